/** What the routes pass to the pages of the dashboard. */
import type { PageName } from "../../pages/pages-store.ts";
import type { Locale } from "../../views/locale.ts";
import type { OwnedPage } from "../owned-pages-store.ts";
import type { PageColumns } from "../page-columns.ts";
import type { Stats } from "../stats-shape.ts";
import type { Range } from "./dashboard-query.ts";

export interface Frame {
  locale: Locale;
  user_name: string;
  now_ms: number;
  csrf_token: string;
  /** The requested address, for links that change one of its parameters. */
  url: URL;
}

export interface PagesPageProps extends Frame {
  pages: readonly OwnedPage[];
}

/** What most sections of a page's statistics need. */
export interface SectionProps {
  locale: Locale;
  stats: Stats;
}

export interface StatsPageProps extends Frame {
  /** All pages of the creator, for the menu. */
  pages: readonly PageName[];
  page: PageColumns;
  range: Range;
  stats: Stats;
  /** This service's origin, as in `URL.origin`. */
  origin: string;
}
