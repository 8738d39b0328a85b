/** The documents and the code say the same: what one names, the other has. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../src/commands/root.ts";
import { ERRORS } from "../../src/http/api-error.ts";
import { LIMITS_PER_MINUTE } from "../../src/http/limits.ts";
import { brokenCitations } from "../documents/citations.ts";
import { unnamed } from "../documents/coverage.ts";
import { brokenLinks } from "../documents/links.ts";
import { undefinedNumbers, unprovenNumbers } from "../documents/numbers.ts";
import { brokenPaths, unknownCommands } from "../documents/paths.ts";
import { plansTable } from "../documents/plans-table.ts";
import { groupsList, withRouteTables } from "../documents/route-tables.ts";
import { untrueSentences } from "../documents/sentences.ts";
import { documentOf, readTree, type Tree } from "../documents/tree.ts";
import { withPart } from "../markdown.ts";

/**
 * Characters of what is read through: a newcomer reads the README in five minutes, the contract in ten, and the
 * architecture in fifteen.
 */
const CHARACTERS_MAX = {
  "README.md": 9_000,
  "docs/contract.md": 19_000,
  "docs/architecture.md": 28_000,
};

const CONTRACT = "docs/contract.md";

describe("in this repository", async () => {
  const tree = await readTree(ROOT);

  test("every link between files leads to a file, and to a heading of it", () => {
    expect(brokenLinks(tree)).toEqual([]);
  });

  test("every cited section and heading of a document is there", () => {
    expect(brokenCitations(tree)).toEqual([]);
  });

  test("every fault, invariant and security rule in use is defined", () => {
    expect(undefinedNumbers(tree)).toEqual([]);
  });

  test("every one that is defined names tests that mention it, or says that it has none", () => {
    expect(unprovenNumbers(tree)).toEqual([]);
  });

  test("every sentence about what is saved, kept, sent or paid is said in both languages, and has a test", () => {
    expect(untrueSentences(tree)).toEqual([]);
  });

  test("every path in documents and comments exists", () => {
    expect(brokenPaths(tree)).toEqual([]);
  });

  test("every command in documents and comments exists", () => {
    expect(unknownCommands(tree)).toEqual([]);
  });

  test("every table, event of the log and variable is explained", () => {
    expect(unnamed(tree)).toEqual([]);
  });

  test("the contract has every error with its status, and every limit", () => {
    const contract = documentOf(tree, CONTRACT);
    for (const [code, { status }] of Object.entries(ERRORS)) {
      expect(contract).toContain(`| \`${code}\` | ${status} |`);
    }
    for (const [scope, limit] of Object.entries(LIMITS_PER_MINUTE)) {
      expect(contract).toMatch(
        new RegExp(`^\\| \`${scope}\` \\|.*\\| ${limit}(?: in any 60 s)? \\|$`, "m"),
      );
    }
  });

  test("each section of the contract leads to the files that have the rest of it", () => {
    const sections = (tree.get(CONTRACT) ?? "").split("\n## ");
    for (const [path, text] of tree) {
      if (!path.startsWith("docs/contract/")) continue;
      const [, number = "no number"] = /^# (\d+\. )/.exec(text) ?? [];
      const own = sections.find((section) => section.startsWith(number));
      expect(own).toContain(`](${path.slice("docs/".length)})`);
    }
  });

  test("the contract's tables of routes and plans are made from what is served, and from the limits", async () => {
    const dist = join(ROOT, "src/client/dist");
    const manifest = JSON.parse(await readFile(join(dist, "manifest.json"), "utf8"));
    const served = join(dist, "public", manifest["prerendered-openapi.txt"]);
    const document = JSON.parse(await readFile(served, "utf8"));
    const files = [...tree].filter(([path]) => /^docs\/contract[./].*md$/.test(path));
    const texts = files.map(([path, text]) =>
      path === CONTRACT
        ? withPart(withPart(text, "plans", plansTable()), "groups", groupsList())
        : text,
    );
    const made = withRouteTables(texts, document);
    for (const [i, [path]] of files.entries()) {
      // With `vitest -u` it is written.
      await expect(made[i]).toMatchFileSnapshot(join(ROOT, path));
    }
  });

  test("the contract has every kind of link and of notification", () => {
    /** The words that stand in quotes between a mark and the end of its list. */
    const listed = (path: string, start: string, end: RegExp, quote: string) => {
      const [, text = ""] = documentOf(tree, path).split(start);
      const [list = ""] = text.split(end);
      return [...list.matchAll(new RegExp(`${quote}(\\w+)${quote}`, "g"))].map(([, one]) => one);
    };
    const promised = (start: string, end: RegExp) => listed(CONTRACT, start, end, "`");
    const coded = (path: string, name: string) =>
      listed(path, `export const ${name} = [`, /\]/, '"');
    const links = coded("src/pages/document/page-document.ts", "LINK_KINDS");
    const blocks = coded("src/pages/document/block-kinds.ts", "BLOCK_KINDS");
    expect(promised("\n| `kind` |", /\n/)).toEqual([...links, ...blocks]);
    const notifications = coded("src/accounts/notifications-store.ts", "NOTIFICATION_KINDS");
    expect(promised("`text_en` in English, `kind`", /\. /)).toEqual(notifications);
    expect([links, blocks, notifications]).not.toContainEqual([]);
  });

  test.each(Object.entries(CHARACTERS_MAX))("%s has at most %i characters", (path, most) => {
    const { length } = [...(tree.get(path) ?? "")];
    expect(length).toBeGreaterThan(0);
    expect(length).toBeLessThanOrEqual(most);
  });
});

/** A check, a text in place of the sample's, and what the check says of that file. */
type Case = [check: (tree: Tree) => string[], path: string, text: string, faults: string[]];

const TOLD = "\n## What a person is told\n\n| a | b | c | d | e |\n|---|---|---|---|---|\n";

describe("the checks find", () => {
  /** A small repository in which all is well, with these files in place of its own. */
  function sample(files: Record<string, string> = {}): Tree {
    return new Map(
      Object.entries({
        ".gitignore": "node_modules/\nsrc/dist/\n",
        "package.json": '{"scripts":{"dev":"x","test:quick":"y"}}',
        "README.md": "# Sample\n\n[rules](docs/rules.md#1-the-words), [a](./src/), `npm run dev`\n",
        "docs/rules.md": '# Rules\n\n## 1. The `words`\n\n## The "edge"\n\n## Words\n\n## Words\n',
        "docs/rules/more.md": "# 3. More\n",
        "docs/faults.md":
          "| F1 | a kill | ids | `test/a.test.ts` |\n| F2 | a flood | bounds | none yet |\n" +
          `${TOLD}| saved | نعم {n} | Yes {n} | x | \`test/a.test.ts\` “F1” |\n`,
        "src/a-texts.ts": `export const T = { a: "لا", b: \`نعم \${n(1)}\`, c: (n) => \`Yes \${n}\` };\n`,
        "src/a.ts":
          "/**\n * See docs/rules.md\n * sections 1 and 3 (F1), `a.ts` and src/dist/x.js, `npm run dev`.\n */\n",
        "test/a.test.ts": "// F1–F1\n",
        "migrations/1.sql": "CREATE TABLE told (n);\n",
        "docs/data.md": "`told`\n",
        ...files,
      }),
    );
  }

  test("nothing where all is well", () => {
    for (const check of [
      brokenLinks,
      brokenCitations,
      undefinedNumbers,
      unprovenNumbers,
      untrueSentences,
      brokenPaths,
      unknownCommands,
    ]) {
      expect(check(sample()), check.name).toEqual([]);
    }
  });

  test("what one names and the other does not have", () => {
    const unknown = `F${9}`;
    const cases: Case[] = [
      [
        brokenLinks,
        "README.md",
        "[x](docs/none.md), ![x](a.webp), [x](docs/rules.md#2-words), but `[x](y)`",
        ["no file docs/none.md", "no file a.webp", "no heading docs/rules.md#2-words"],
      ],
      [
        brokenCitations,
        "src/a.ts",
        '/**\n * docs/rules.md\n * section 2, or docs/rules.md "The door"\n */',
        ["docs/rules.md section 2", 'docs/rules.md "The door"'],
      ],
      [undefinedNumbers, "src/a.ts", `// ${unknown}`, [`${unknown} is not defined`]],
      [
        unprovenNumbers,
        "docs/faults.md",
        "| F1 | x | nothing |\n| F2 | x | `test/a.test.ts` |\n",
        ["F1 names no test", "F2 is not in test/a.test.ts"],
      ],
      [untrueSentences, "docs/faults.md", "", ["no table of sentences"]],
      [
        untrueSentences,
        "docs/faults.md",
        `${TOLD}| saved | نعم | Yes {n} | x | none |\n| kept | x |\n| saved | لا | Yes {n} | x | \`test/a.test.ts\` “F3” |\n`,
        [
          "no texts say Yes {n}",
          "no test of Yes {n}",
          "a row of 2 cells: | kept | x |",
          "no test “F3” in test/a.test.ts",
        ],
      ],
      [
        brokenPaths,
        "src/a.ts",
        'import "./none.ts";\n// as in src/b.ts, or in b.ts\n',
        ["no file src/b.ts", "no file b.ts"],
      ],
      [unknownCommands, "README.md", "`npm run test:quick`, `npm run fly`", ["no script fly"]],
      [unnamed, "docs/data.md", "", ["nothing about told"]],
    ];
    for (const [check, path, text, faults] of cases) {
      expect(check(sample({ [path]: text })), check.name).toEqual(
        faults.map((fault) => `${path}: ${fault}`),
      );
    }
  });
});
