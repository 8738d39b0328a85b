import type { Link } from "../draft.ts";
import type { Desk } from "../links/desk.ts";

/** Changes go through `desk.change(link, { block })`. */
export interface BlockFormProps {
  link: Link;
  desk: Desk;
}
