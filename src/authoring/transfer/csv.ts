/** Reads CSV (RFC 4180) with `,`, `;` or tabs, as spreadsheets write it. Pure, linear time. */
import { ImportRefused, REASONS } from "./import-reasons.ts";

/** Cells kept of a record; 8 MiB of separators would be as many cells. */
const CELLS_MAX = 32;

export interface CsvRecord {
  /** The record's first line in the file, from 1 on. */
  line: number;
  cells: string[];
}

const SEPARATORS = [",", ";", "\t"] as const;
export type Separator = (typeof SEPARATORS)[number];

export function separatorOf(text: string): Separator {
  const counts = new Map<string, number>(SEPARATORS.map((separator) => [separator, 0]));
  let is_quoted = false;
  for (const character of text) {
    if (character === '"') is_quoted = !is_quoted;
    if (is_quoted) continue;
    if (character === "\n" || character === "\r") break;
    const n = counts.get(character);
    if (n !== undefined) counts.set(character, n + 1);
  }
  const most = Math.max(...counts.values());
  return SEPARATORS.find((separator) => counts.get(separator) === most) ?? ",";
}

/** Throws {@link ImportRefused} for a quote that is not closed. */
export function* parseCsv(text: string, separator: Separator): Generator<CsvRecord> {
  const cell_end = new RegExp(`[${separator}\r\n]`, "g");
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const record: CsvRecord = { line, cells: [] };
    for (let more = true; more; ) {
      let cell = "";
      if (text[at] === '"') {
        const quoted = readQuoted(text, at, line);
        cell = quoted.text;
        at = quoted.end;
        line += cell.match(/\r\n|\n|\r/g)?.length ?? 0;
      }
      cell_end.lastIndex = at;
      const end = cell_end.exec(text)?.index ?? text.length;
      if (record.cells.length < CELLS_MAX) record.cells.push(cell + text.slice(at, end));
      more = text[end] === separator;
      at = text.startsWith("\r\n", end) ? end + 2 : end + 1;
    }
    line += 1;
    yield record;
  }
}

function readQuoted(text: string, at: number, line: number): { text: string; end: number } {
  let quote = text.indexOf('"', at + 1);
  while (quote !== -1 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  if (quote === -1) throw new ImportRefused(REASONS.open_quote, line);
  return { text: text.slice(at + 1, quote).replaceAll('""', '"'), end: quote + 1 };
}
