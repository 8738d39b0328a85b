/**
 * Imports CSV, a link per record. The first record may name the columns, in English or Arabic; else
 * the cell with an address is the address, and the first other one the label. Pure.
 */
import { SECOND_MS } from "../../../objects/platform/clock.ts";
import { LINK_KINDS, type LinkKind } from "../../pages/document/page-document.ts";
import type { Bilingual } from "../../views/bilingual.ts";
import { plainText } from "../../views/plain-text.ts";
import { parseCsv, separatorOf } from "./csv.ts";
import { REASONS } from "./import-reasons.ts";
import { type ForeignLink, ForeignPage, type ImportedPage, labelOf } from "./imported-page.ts";
import { IMPORT_LINE_CHARS_MAX, IMPORT_LINES_MAX } from "./limits.ts";
import { withScheme } from "./with-scheme.ts";

type Column = "label" | "url" | "kind" | "enabled" | "from" | "until" | "highlight";

/** Names of the columns, in lower case and without harakat. */
const NAMES: Record<Column, readonly string[]> = {
  label: ["label", "title", "name", "text", "العنوان", "الاسم", "النص", "التسمية", "اسم الرابط"],
  url: ["url", "link", "address", "href", "الرابط", "رابط", "عنوان الرابط"],
  kind: ["kind", "type", "النوع", "نوع"],
  enabled: ["enabled", "active", "on", "مفعل", "ظاهر", "التفعيل"],
  from: ["from", "start", "من", "البداية"],
  until: ["until", "to", "end", "إلى", "حتى", "النهاية"],
  highlight: ["highlight", "featured", "مميز", "بارز"],
};
const COLUMNS = new Map(
  Object.entries(NAMES).flatMap(([column, names]) => names.map((name) => [name, column as Column])),
);
const KINDS = new Map<string, LinkKind>([
  ...LINK_KINDS.map((kind) => [kind, kind] as const),
  ["رابط", "link"],
  ["بطاقة", "card"],
  ["حساب", "social"],
  ["عنوان", "heading"],
  ["نص", "text"],
]);
const SWITCHES = new Map<string, boolean>([
  ...["1", "true", "yes", "on", "نعم", "صح"].map((word) => [word, true] as const),
  ...["0", "false", "no", "off", "لا", "خطأ"].map((word) => [word, false] as const),
]);

const HARAKAT = /[\u064b-\u0652]/g;
const UNIX_SECOND = /^\d{1,11}$/;
const ISO_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** Throws `ImportRefused` for an open quote: the cells after it are unknown. */
export function fromCsv(text: string): ImportedPage {
  const page = new ForeignPage();
  let columns: readonly (Column | null)[] | null | undefined;
  for (const { line, cells } of parseCsv(text, separatorOf(text))) {
    if (line > IMPORT_LINES_MAX) {
      page.refused.add(line, cells[0] ?? "", REASONS.too_many_lines);
      break;
    }
    if (columns === undefined) {
      columns = columnsOf(cells);
      if (columns !== null) {
        noteUnknown(page, line, cells, columns);
        continue;
      }
    }
    const shown = cells.map((cell) => cell.slice(0, IMPORT_LINE_CHARS_MAX)).join(" ");
    if (plainText(shown) === "") continue;
    if (cells.some(({ length }) => length > IMPORT_LINE_CHARS_MAX)) {
      page.refused.add(line, shown, REASONS.long_line);
      continue;
    }
    const link = linkOf(cells.map(plainText), columns);
    if ("reason" in link) page.refused.add(line, shown, link.reason);
    else page.add(line, shown, link);
  }
  return page.finish();
}

function columnsOf(cells: readonly string[]): (Column | null)[] | null {
  const columns = cells.map(
    (cell) => COLUMNS.get(keyword(cell.slice(0, IMPORT_LINE_CHARS_MAX))) ?? null,
  );
  return columns.includes("url") ? columns : null;
}

function noteUnknown(
  page: ForeignPage,
  line: number,
  cells: readonly string[],
  columns: readonly (Column | null)[],
): void {
  for (const [i, column] of columns.entries()) {
    if (column === null) page.notes.add(line, cells[i] ?? "", REASONS.column_ignored);
  }
}

function linkOf(
  cells: readonly string[],
  columns: readonly (Column | null)[] | null,
): ForeignLink | { reason: Bilingual } {
  const cellOf = (column: Column) => cells[columns?.indexOf(column) ?? -1] ?? "";
  const named = columns === null ? unnamed(cells) : { label: cellOf("label"), url: cellOf("url") };
  const kind = KINDS.get(keyword(cellOf("kind") || "link"));
  if (kind === undefined) return { reason: REASONS.unknown_kind };
  const enabled = switchOf(cellOf("enabled"), true);
  const highlight = switchOf(cellOf("highlight"), false);
  if (enabled === null || highlight === null) return { reason: REASONS.bad_switch };
  const from = timeOf(cellOf("from"));
  const until = timeOf(cellOf("until"));
  if (from === undefined || until === undefined) return { reason: REASONS.bad_time };
  const options = { kind, enabled, highlight, from, until };
  if (kind === "heading" || kind === "text") {
    return named.label === "" ? { reason: REASONS.no_text } : { label: named.label, ...options };
  }
  if (named.url === "") return { reason: REASONS.no_address };
  const url = withScheme(named.url);
  if (url === null) return { reason: REASONS.bad_address };
  return { label: named.label || labelOf(url), url, ...options };
}

function unnamed(cells: readonly string[]): { label: string; url: string } {
  const at = cells.findIndex((cell) => withScheme(cell) !== null);
  const label = cells.find((cell, i) => i !== at && cell !== "") ?? "";
  return { label, url: cells[at] ?? "" };
}

function keyword(cell: string): string {
  return plainText(cell).toLowerCase().replace(HARAKAT, "");
}

function switchOf(cell: string, usual: boolean): boolean | null {
  return cell === "" ? usual : (SWITCHES.get(keyword(cell)) ?? null);
}

/** Unix seconds; null for an empty cell, undefined for a text that is no time. */
function timeOf(cell: string): number | null | undefined {
  if (cell === "") return null;
  if (UNIX_SECOND.test(cell)) return Number(cell);
  const ms = ISO_TIME.test(cell) ? Date.parse(cell.replace(" ", "T")) : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.floor(ms / SECOND_MS);
}
