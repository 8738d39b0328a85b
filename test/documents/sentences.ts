/** What people are told: the sentences of the table in docs/faults.md are those of the product, in both languages. */
import type { Tree } from "./tree.ts";

const TABLE = "docs/faults.md";
const HEADING = "## What a person is told";
const TEXTS = /^src\/.*texts\.ts$/;
/** A literal of one line; of a template a value may have quotes and brackets, and no braces. */
const LITERAL = /"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;
const VALUE = /\$?\{[^}]*\}/g;
const CELLS = 5;
const PROOF = /`([^`]+)` “([^”]+)”/g;

/** In place of values, because a document names them as a reader would. */
const blanked = (text: string) => text.replace(VALUE, "{}");

function sentencesOf(code: string): Set<string> {
  const literals = [...code.matchAll(LITERAL)].map(
    ([, plain, template]) => plain ?? template ?? "",
  );
  return new Set(literals.map(blanked));
}

export function untrueSentences(tree: Tree): string[] {
  const [, after = ""] = (tree.get(TABLE) ?? "").split(`${HEADING}\n`);
  const [section = ""] = after.split("\n## ");
  // Without the table's head.
  const rows = section
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(1);
  if (rows.length === 0) return [`${TABLE}: no table of sentences`];
  const files = [...tree].filter(([path]) => TEXTS.test(path)).map(([, code]) => sentencesOf(code));
  return rows.flatMap((row) => {
    const cells = row.slice(2, -2).split(" | ");
    const [, arabic = "", english = "", , proof = ""] = cells;
    if (cells.length !== CELLS) return [`${TABLE}: a row of ${cells.length} cells: ${row}`];
    const isSaid = files.some((said) => said.has(blanked(arabic)) && said.has(blanked(english)));
    const proofs = [...proof.matchAll(PROOF)];
    return [
      ...(isSaid ? [] : [`${TABLE}: no texts say ${english}`]),
      ...(proofs.length === 0 ? [`${TABLE}: no test of ${english}`] : []),
      ...proofs
        .filter(([, path = "", title = ""]) => !tree.get(path)?.includes(title))
        .map(([, path, title]) => `${TABLE}: no test “${title}” in ${path}`),
    ];
  });
}
