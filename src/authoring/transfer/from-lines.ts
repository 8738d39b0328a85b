import { plainText } from "../../views/plain-text.ts";
import { REASONS } from "./import-reasons.ts";
import { linesOf } from "./import-text.ts";
import { ForeignPage, type ImportedPage, labelOf } from "./imported-page.ts";
import { IMPORT_LINE_CHARS_MAX, IMPORT_LINES_MAX } from "./limits.ts";
import { withScheme } from "./with-scheme.ts";

const SEPARATORS = new Set("-–—:|=>,;،؛•·*");

/** A line is `label url`, `url label`, `label - url`, an address, a `#` heading, or empty. Pure. */
export function fromLines(text: string): ImportedPage {
  const page = new ForeignPage();
  let line = 0;
  for (const raw of linesOf(text)) {
    line += 1;
    if (line > IMPORT_LINES_MAX) {
      page.refused.add(line, raw, REASONS.too_many_lines);
      break;
    }
    if (raw.length > IMPORT_LINE_CHARS_MAX) page.refused.add(line, raw, REASONS.long_line);
    else addLine(page, line, plainText(raw));
  }
  return page.finish();
}

function addLine(page: ForeignPage, line: number, text: string): void {
  if (text === "") return;
  if (text.startsWith("# ")) {
    page.add(line, text, { kind: "heading", label: text.slice(2).trim() });
    return;
  }
  const words = text.split(/\s+/);
  const in_last = withScheme(words.at(-1) ?? "");
  const url = in_last ?? withScheme(words[0] ?? "");
  if (url === null) {
    page.refused.add(line, text, REASONS.no_address);
    return;
  }
  const label = in_last === null ? words.slice(1) : words.slice(0, -1);
  page.add(line, text, { label: withoutSeparators(label.join(" ")) || labelOf(url), url });
}

function withoutSeparators(label: string): string {
  const characters = [...label];
  const isOuter = (character: string | undefined) =>
    character !== undefined && (character === " " || SEPARATORS.has(character));
  while (isOuter(characters.at(-1))) characters.pop();
  let start = 0;
  while (isOuter(characters[start])) start += 1;
  return characters.slice(start).join("");
}
