/** Statistics as one table for spreadsheets (RFC 4180). */
import { plainText } from "../views/plain-text.ts";
import type { Stats } from "./stats-shape.ts";

const HEADER = ["section", "key", "label", "views", "clicks", "visitors"];
/** Without it Excel does not decode the file as UTF-8, and Arabic is unreadable. */
const BYTE_ORDER_MARK = "\ufeff";
/**
 * Characters that make a spreadsheet treat a cell as a formula. Visitors choose some of the texts,
 * such as campaigns (OWASP, "CSV Injection"). Excel's East Asian versions accept the full-width
 * forms too.
 */
const FORMULA = /^[=+\-@\uff1d\uff0b\uff0d\uff20]/;

type Cell = string | number | null;

/**
 * Totals, how much of them is imported, the excluded traffic, then the series, links and
 * breakdowns. A cell without a value is empty, and so is the key of an unknown share.
 */
export function statsCsv({ totals, imported, series, links, breakdowns }: Stats): string {
  const rows: Cell[][] = [
    HEADER,
    ["total", "people", null, totals.views, totals.clicks, totals.visitors],
    ["imported", "people", null, imported.views, imported.clicks, imported.visitors],
    ...(["bots", "owner", "limited"] as const).map((key) => ["events", key, null, totals[key]]),
    ...series.map(({ t, views, clicks }) => ["time", t, null, views, clicks]),
    ...links.map(({ link_id, label, removed, clicks }) => [
      removed ? "removed_link" : "link",
      link_id,
      label,
      null,
      clicks,
    ]),
    ...Object.entries(breakdowns).flatMap(([dimension, shares]) =>
      shares.map(({ value, views, clicks }) => [dimension, value, null, views, clicks]),
    ),
  ];
  return BYTE_ORDER_MARK + rows.map(line).join("");
}

function line(cells: readonly Cell[]): string {
  const filled = HEADER.map((_, i) => cell(cells[i] ?? null));
  return `${filled.join(",")}\r\n`;
}

function cell(value: Cell): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  // Bidi controls go first, because a formula may follow one.
  const text = plainText(value).replace(/\s+/g, " ");
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
