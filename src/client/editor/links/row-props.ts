/** Values stay the same objects while nothing of the row's link changes. */
import type { Locale } from "../../../views/locale.ts";
import type { Link } from "../draft.ts";
import type { Reason } from "../wire.ts";
import type { Desk } from "./desk.ts";

export type Problem = Reason | null;

export interface RowProps {
  row_key: string;
  link: Link;
  desk: Desk;
  /** Those that visitors find. */
  locales: readonly Locale[];
  /** Those of the fields (`languages.ts`). */
  languages: readonly Locale[];
  time_zone: string;
  is_open: boolean;
  /** A new block, off until its row is closed. */
  is_new: boolean;
  is_lifted: boolean;
  url_problem: Problem;
  from_problem: Problem;
  until_problem: Problem;
  state: string;
  clicks: string;
}
