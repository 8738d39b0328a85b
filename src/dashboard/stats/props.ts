/** What the routes pass to the pages of the dashboard. */
import type { LinkDownloads } from "../../../objects/events/announced.ts";
import type { PageName } from "../../pages/document/pages-store.ts";
import type { Audit } from "../../stats/audit.ts";
import type { PageColumns } from "../../stats/page-columns.ts";
import type { Stats } from "../../stats/stats-shape.ts";
import type { ReaderLocale } from "../../views/numbering.ts";
import type { Frame } from "../dashboard-frame.tsx";
import type { QrDrawing } from "../qr-code.tsx";
import type { ReceivedTips } from "../received-tips.ts";
import type { DaysNotice, Range } from "./dashboard-query.ts";

/** What most sections of a page's statistics need. */
export interface SectionProps {
  locale: ReaderLocale;
  stats: Stats;
}

export interface StatsPageProps extends Frame {
  /** All pages of the creator, for the menu. */
  pages: readonly PageName[];
  page: PageColumns;
  range: Range;
  notice: DaysNotice | null;
  stats: Stats;
  /** When the service had counted the events of EVENTS_PER_DAY today, in unix milliseconds; else null. */
  used_up_at: number | null;
  /** Null if they could not be read. */
  received: ReceivedTips | null;
  downloads: readonly LinkDownloads[];
  /** Null if the audit failed. */
  audit: Audit | null;
  /** This service's origin, as in `URL.origin`. */
  origin: string;
  /** The page's address as a code; null where it could not be drawn. */
  qr: QrDrawing | null;
}
