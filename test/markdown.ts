/** Tables of the documents that tools write, between `<!-- NAME -->` and `<!-- /NAME -->`. */

/** A head and rows. A heading that ends in a colon is of a column of numbers. */
export type Table = readonly (readonly string[])[];

export function markdownTable([head = [], ...rows]: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    line(head.map((cell) => cell.replace(/:$/, ""))),
    `|${head.map((cell) => (cell.endsWith(":") ? "---:" : "---")).join("|")}|`,
    ...rows.map(line),
  ].join("\n");
}

/** What the document has there. @throws where it has no such place */
export function partOf(document: string, name: string): string {
  const [from, to] = placeOf(document, name);
  return document.slice(from, to);
}

/** The document with this text there. @throws where it has no such place */
export function withPart(document: string, name: string, text: string): string {
  const [from, to] = placeOf(document, name);
  return document.slice(0, from) + text + document.slice(to);
}

function placeOf(document: string, name: string): [from: number, to: number] {
  const start = `<!-- ${name} -->\n`;
  const from = document.indexOf(start) + start.length;
  const to = document.indexOf(`\n<!-- /${name} -->`, from - 1);
  if (from < start.length || to < from) throw new Error(`the document has no place for ${name}`);
  return [from, to];
}
