/** What the code has and operators or clients meet, and the document that must name it. Pure. */
import type { Tree } from "./tree.ts";

interface Rule {
  document: string;
  files: RegExp;
  /** Finds the names in it; an event of the log is named by how something went wrong. */
  names: RegExp;
  /** Finds the names of what no longer exists. */
  gone?: RegExp;
}

const RULES: readonly Rule[] = [
  {
    document: "docs/data.md",
    files: /^migrations\/.*\.sql$/,
    names: /^CREATE (?:TABLE|VIEW) (\w+)/gm,
    gone: /^DROP TABLE (\w+)/gm,
  },
  {
    document: "docs/operations.md",
    files: /^(?:src|objects)\/.*\.tsx?$/,
    names: /"([a-z_]+_(?:failed|lost|refused|counted|error))"/g,
  },
  {
    document: "docs/operations.md",
    files: /^wrangler\.toml$/,
    names: /^([A-Z][A-Z_]+) = /gm,
  },
];

/** Every table, event of the log and variable that its document does not name between backticks. */
export function unnamed(tree: Tree): string[] {
  return RULES.flatMap(({ document, files, names, gone }) => {
    const text = tree.get(document) ?? "";
    const codes = [...tree].filter(([path]) => files.test(path)).map(([, code]) => code);
    const all = (pattern: RegExp) =>
      codes.flatMap((code) => Array.from(code.matchAll(pattern), ([, name]) => name));
    const dropped = new Set(gone === undefined ? [] : all(gone));
    return [...new Set(all(names))]
      .filter((name) => !dropped.has(name) && !text.includes(`\`${name}\``))
      .map((name) => `${document}: nothing about ${name}`);
  });
}
