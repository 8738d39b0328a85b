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

export interface SectionProps {
  locale: ReaderLocale;
  stats: Stats;
}

export interface StatsPageProps extends Frame {
  pages: readonly PageName[];
  page: PageColumns;
  range: Range;
  notice: DaysNotice | null;
  stats: Stats;
  /** Unix milliseconds of the last event of EVENTS_PER_DAY today; null while there are more. */
  used_up_at: number | null;
  /** Null if they could not be read: the page is complete without them. */
  received: ReceivedTips | null;
  downloads: readonly LinkDownloads[];
  /** Null if the audit failed: the page is complete without it. */
  audit: Audit | null;
  origin: string;
  /** Null where it could not be drawn: the page is complete without it. */
  qr: QrDrawing | null;
}
