/** Writes what was measured into docs/performance.md, between `<!-- bench:NAME -->` and `<!-- /bench:NAME -->`. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../server/bundle.ts";
import { type Report, renderBlocks, type Section, sections } from "./report.ts";

const DOCUMENT = join(ROOT, "docs/performance.md");

/** Replaces the sections that were measured; the others stay. */
export async function writeDocument(report: Report): Promise<void> {
  let text = await readFile(DOCUMENT, "utf8");
  for (const [section, blocks] of sections(report)) {
    text = replaced(text, section, renderBlocks(blocks, true));
  }
  await writeFile(DOCUMENT, text);
}

/** Throws where the text has no place for the section. */
export function replaced(text: string, section: Section, content: string): string {
  const [start, end] = [`<!-- bench:${section} -->`, `<!-- /bench:${section} -->`];
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`docs/performance.md has no ${start} … ${end}`);
  return `${text.slice(0, from + start.length)}\n${content}\n${text.slice(to)}`;
}
