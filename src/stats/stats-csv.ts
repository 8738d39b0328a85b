/** Statistics as one table for spreadsheets (RFC 4180). */
import { plainText } from "../views/plain-text.ts";
import type { Stats } from "./stats-shape.ts";

const HEADER = ["section", "key", "label", "views", "clicks", "visitors"];
/** Without it Excel reads Arabic as gibberish. */
const BYTE_ORDER_MARK = "\ufeff";
/**
 * What makes a spreadsheet take a text for a formula, and a visitor chooses the texts (OWASP, "CSV Injection"). The
 * wide forms count in Excel's East Asian versions.
 */
const FORMULA = /^[=+\-@\uff1d\uff0b\uff0d\uff20]/;

type Cell = string | number | null;

/**
 * The whole answer: totals, what was not people's, then hours or days, links and each breakdown. What a
 * column says nothing of is empty; so is the key of what is unknown.
 */
export function statsCsv({ totals, series, links, breakdowns }: Stats): string {
  const rows: Cell[][] = [
    HEADER,
    ["total", "people", null, totals.views, totals.clicks, totals.visitors],
    ...(["bots", "owner", "limited"] as const).map((key) => ["events", key, null, totals[key]]),
    ...series.map(({ t, views, clicks }) => ["time", t, null, views, clicks]),
    ...links.map(({ link_id, label, clicks }) => ["link", link_id, label, null, clicks]),
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
  // First: a formula may stand behind a bidi control.
  const text = plainText(value).replace(/\s+/g, " ");
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
