/**
 * Docstrings of the product. "Of the block; by default the page's first." makes its reader guess the noun, and "The page's
 * id." at `page_id` says nothing. Each either has a sentence or goes.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../../src/commands/root.ts";

const PREPOSITIONS = new Set(
  `about above across after against along among around as at because before behind below beneath beside
  besides between beyond by concerning despite down during except for from in inside into like near of
  off on onto out outside over per since through throughout till to toward towards under underneath
  unlike until up upon via with within without`.split(/\s+/),
);
/** "Up to 20 links" and "as many as fit" are nouns. */
const QUANTITY = /^(?:up to|as (?:many|much)) /i;
/** These add nothing to the words of a name. */
const EMPTY = new Set("a an the of this that its all every each one".split(" "));
const DOCSTRING = /^[ \t]*\/\*\*(?=\s)(.*?)\*\/(?=(\s*)([^\n]*))/gms;
const NAME =
  /^(?:(?:export|default|declare|abstract|public|private|protected|static|readonly|override|async|const|let|function\*?|class|interface|type|enum|get|set)\s+)*[#"]?([A-Za-z_$][\w$]*)/;

/** Why a docstring of this name is refused: its first sentence is a phrase, or it is the name again. */
function faultOf(docstring: string, name = ""): string | null {
  const text = docstring.replace(/^\s*\*/gm, "").trim();
  const [paragraph = ""] = text.split(/\n\s*\n|\n\s*- /);
  const line = paragraph.replace(/\s+/g, " ");
  const sentence = /^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line;
  const [first = ""] = /^[a-z]+/i.exec(sentence) ?? [];
  const isPhrase = PREPOSITIONS.has(first.toLowerCase()) && !QUANTITY.test(sentence);
  if (isPhrase && !/[,:]/.test(sentence)) return `a phrase without its noun: ${sentence}`;
  const known = new Set([...EMPTY, ...wordsOf(name)]);
  const isName = name !== "" && wordsOf(text).every((word) => known.has(word));
  return isName ? `the name again: ${text}` : null;
}

function wordsOf(text: string): string[] {
  const words =
    text
      .replace(/([a-z\d])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .match(/[a-z\d]+/g) ?? [];
  return words.map((word) => word.replace(/(?<=..)s$/, ""));
}

function* faultsIn(text: string): Generator<string> {
  for (const match of text.matchAll(DOCSTRING)) {
    const [found, docstring = "", gap = "", next = ""] = match;
    // A docstring that a blank line follows is the file's.
    const name = /\n\s*\n/.test(gap) ? undefined : NAME.exec(next)?.[1];
    const fault = faultOf(docstring, name);
    const at = match.index + found.indexOf("/**");
    if (fault !== null) yield `${text.slice(0, at).split("\n").length}: ${fault}`;
  }
}

it.each([
  ["Of one request.", "TIMEOUT_MS"],
  ["In the bucket.", "key"],
  ["Of the block; by default the page's first.", "link_id"],
  ["To be called after D1 has the new page.", "note"],
  ["After this wait an object counts as failed.", "TIMEOUT_MS"],
  ["\n * Between two looks\n * at a link.\n ", "CHECK_EVERY_MS"],
  ["As `location.origin` has it. The host is ours, and the scheme.", "origin"],
  ["The id of a page.", "page_id"],
  ["All page tables", "PageTables"],
])("%j is no docstring of `%s`", (docstring, name) => {
  expect(faultOf(docstring, name)).not.toBeNull();
});

it.each([
  ["One request ends after this time.", "TIMEOUT_MS"],
  ["Unix milliseconds.", "at"],
  ["After this wait, an object counts as failed.", "TIMEOUT_MS"],
  ["From now on, nothing is stored.", "end"],
  ["Up to `limit` tips after the cursor.", "list"],
  ["As many of the oldest items as fit.", "next"],
  ["The id of a page, in hex.", "page_id"],
  ["Null without an answer.", "status"],
])("%j is a docstring of `%s`", (docstring, name) => {
  expect(faultOf(docstring, name)).toBeNull();
});

it("says in which line a refused docstring begins, and takes the file's own for no name's", () => {
  const file =
    "/** Pages. */\n\nexport const pages = 1;\n\n/**\n * Of a page.\n */\nexport const key = 2;\n";
  expect([...faultsIn(file)]).toEqual(["5: a phrase without its noun: Of a page."]);
});

it("every docstring of the product says more than a phrase, and more than its name", async () => {
  const faults: string[] = [];
  let files = 0;
  for (const top of ["objects", "src"]) {
    for (const name of await readdir(join(ROOT, top), { recursive: true })) {
      if (!/\.tsx?$/.test(name) || name.includes("dist/")) continue;
      const text = await readFile(join(ROOT, top, name), "utf8");
      files += 1;
      for (const fault of faultsIn(text)) faults.push(`${top}/${name}:${fault}`);
    }
  }
  expect(faults).toEqual([]);
  expect(files).toBeGreaterThan(500);
});
