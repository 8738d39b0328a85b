/** Tables for spreadsheets (RFC 4180). */
import { plainText } from "./plain-text.ts";

/** Without it Excel does not decode the file as UTF-8, and Arabic is unreadable. */
export const BYTE_ORDER_MARK = "\ufeff";
/**
 * Characters that make a spreadsheet treat a cell as a formula. Visitors choose some of the texts,
 * such as campaigns (OWASP, "CSV Injection"). Excel's East Asian versions accept the full-width
 * forms too.
 */
const FORMULA = /^[=+\-@\uff1d\uff0b\uff0d\uff20]/;

/** An `id` of letters, digits, `-` and `_` can call nothing and stays as programs look for it. */
export type Cell = string | number | null | { id: string };

export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cell).join(",")}\r\n`;
}

function cell(value: Cell): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  if (typeof value === "object") return FORMULA.test(value.id) ? `"${value.id}"` : value.id;
  // Bidi controls go first, because a formula may follow one.
  const text = plainText(value).replace(/\s+/g, " ");
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
