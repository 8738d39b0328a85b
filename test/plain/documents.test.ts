/** The documents and the code say the same: what one names, the other has. */
import { beforeAll, describe, expect, test } from "vitest";
import { ERRORS } from "../../src/http/api-error.ts";
import { LIMITS_PER_MINUTE } from "../../src/http/limits.ts";
import { brokenCitations } from "../documents/citations.ts";
import { unnamed } from "../documents/coverage.ts";
import { brokenLinks, slugsOf } from "../documents/links.ts";
import { mentionsIn, undefinedNumbers, unprovenNumbers } from "../documents/numbers.ts";
import { brokenPaths, unknownCommands } from "../documents/paths.ts";
import { readTree, type Tree } from "../documents/tree.ts";
import { ROOT } from "../server/bundle.ts";

/** Characters of the README: a newcomer reads it in five minutes. */
const README_CHARACTERS_MAX = 9_000;

describe("in this repository", () => {
  let tree: Tree;

  beforeAll(async () => {
    tree = await readTree(ROOT);
  });

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

  test("every path in documents and comments exists", () => {
    expect(brokenPaths(tree)).toEqual([]);
  });

  test("every command in documents and comments exists", () => {
    expect(unknownCommands(tree)).toEqual([]);
  });

  test("every table, event of the log and variable is explained", () => {
    expect(unnamed(tree)).toEqual([]);
  });

  test("the contract has every error with its status, every limit and every described route", () => {
    const contract = tree.get("docs/contract.md") ?? "";
    for (const [code, { status }] of Object.entries(ERRORS)) {
      expect(contract).toContain(`| \`${code}\` | ${status} |`);
    }
    for (const [scope, limit] of Object.entries(LIMITS_PER_MINUTE)) {
      expect(contract).toMatch(
        new RegExp(`^\\| \`${scope}\` \\|.*\\| ${limit}(?: in any 60 s)? \\|$`, "m"),
      );
    }
    const described = [...tree].flatMap(([path, code]) =>
      path.startsWith("src/site/openapi/") ? [...code.matchAll(/\bpath: "([^"]+)"/g)] : [],
    );
    expect(described).not.toEqual([]);
    for (const [, route = ""] of described) {
      expect(contract).toContain(route.replace(/\{(\w+)\}/g, ":$1"));
    }
  });

  test(`the README has at most ${README_CHARACTERS_MAX} characters`, () => {
    const { length } = [...(tree.get("README.md") ?? "")];
    expect(length).toBeGreaterThan(0);
    expect(length).toBeLessThanOrEqual(README_CHARACTERS_MAX);
  });
});

describe("the checks find", () => {
  /** A small repository in which all is well, with these files in place of its own. */
  function sample(files: Record<string, string> = {}): Tree {
    return new Map(
      Object.entries({
        ".gitignore": "node_modules/\nsrc/dist/\n",
        "package.json": '{"scripts":{"dev":"x","test:quick":"y"}}',
        "README.md": "# Sample\n\n[rules](docs/rules.md#1-the-words), [a](./src/), `npm run dev`\n",
        "docs/rules.md": '# Rules\n\n## 1. The `words`\n\n## The "edge"\n\n## Words\n\n## Words\n',
        "docs/faults.md":
          "| F1 | a kill | ids | `test/a.test.ts` |\n| F2 | a flood | bounds | none yet |\n",
        "src/a.ts":
          "/**\n * See docs/rules.md\n * section 1 (F1), `a.ts` and src/dist/x.js, `npm run dev`.\n */\n",
        "test/a.test.ts": "// F1–F1\n",
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
      brokenPaths,
      unknownCommands,
    ]) {
      expect(check(sample()), check.name).toEqual([]);
    }
  });

  test.each([
    ["[x](docs/none.md)", "README.md: no file docs/none.md"],
    ["![x](a.webp)", "README.md: no file a.webp"],
    ['<img alt="x" src="docs/a.webp">', "README.md: no file docs/a.webp"],
    ["[x](docs/rules.md#2-words)", "README.md: no heading docs/rules.md#2-words"],
    ["[x](#elsewhere)", "README.md: no heading #elsewhere"],
    ["[x]: src/none", "README.md: no file src/none"],
  ])("a link that leads nowhere: %s", (text, fault) => {
    expect(brokenLinks(sample({ "README.md": text }))).toEqual([fault]);
  });

  test("no link in code", () => {
    expect(brokenLinks(sample({ "README.md": "`[x](y)`\n\n```\n[x](y)\n```\n" }))).toEqual([]);
  });

  test.each([
    "docs/rules.md section 2",
    "docs/rules.md sections 1 and 2",
    'docs/rules.md "The door"',
    "docs/none.md section 1",
    "docs/rules.md, last paragraph",
  ])("a citation of what is not there: %s", (citation) => {
    expect(brokenCitations(sample({ "src/a.ts": `// ${citation}` }))).toEqual([
      `src/a.ts: ${citation}`,
    ]);
  });

  test("a citation that is wrapped, in any kind of comment", () => {
    for (const wrapped of [
      "/**\n * docs/rules.md\n * section 2\n */",
      "-- docs/rules.md\n-- section 2",
    ]) {
      expect(brokenCitations(sample({ "src/a.ts": wrapped }))).toEqual([
        "src/a.ts: docs/rules.md section 2",
      ]);
    }
  });

  test("the name of a document that is not in the repository", () => {
    const name = ["CONTRACT", "section"].join(" ");
    expect(brokenCitations(sample({ "src/a.ts": `// ${name} 6` }))).toEqual([`src/a.ts: ${name}`]);
  });

  test("a number that nothing defines, and one that is defined twice", () => {
    const faults = "| F1 | x | `test/a.test.ts` |\n| F1 | y | none |\n";
    const other = `F${9}`;
    expect(
      undefinedNumbers(sample({ "docs/faults.md": faults, "src/a.ts": `// ${other}` })),
    ).toEqual(["F1 is defined twice", `src/a.ts: ${other} is not defined`]);
  });

  test("a number without a test, and one whose test does not know it", () => {
    const faults = [
      "| F1 | x | nothing |",
      "| F2 | x | `test/a.test.ts` |",
      "| F3 | x | `test/none.test.ts` |",
      "",
    ].join("\n");
    expect(unprovenNumbers(sample({ "docs/faults.md": faults }))).toEqual([
      "docs/faults.md: F1 names no test",
      "docs/faults.md: F2 is not in test/a.test.ts",
      "docs/faults.md: F3 is not in test/none.test.ts",
    ]);
  });

  test("a number that has a test and says that it has none", () => {
    expect(unprovenNumbers(sample({ "docs/faults.md": "| F1 | x | none yet |\n" }))).toEqual([
      "docs/faults.md: F1 has no test, but test/a.test.ts mentions it",
    ]);
  });

  test("a path that is not there, in a document and in a comment, and not in code", () => {
    const tree = sample({
      "README.md": "`src/none/a.ts`, `none.ts` and src/*.sql, but `src/*.ts`",
      "src/a.ts": 'import "./none.ts";\n// as in src/b.ts, or in b.ts\n',
    });
    expect(brokenPaths(tree)).toEqual([
      "README.md: no file src/none/a.ts",
      "README.md: no file src/*.sql",
      "README.md: no file none.ts",
      "src/a.ts: no file src/b.ts",
      "src/a.ts: no file b.ts",
    ]);
  });

  test("a table, an event of the log and a variable that no document explains", () => {
    const tree = sample({
      "migrations/1.sql": "CREATE TABLE told (n);\nCREATE VIEW untold AS SELECT 1;\n",
      "docs/data.md": "`told`",
      "src/a.ts": 'logError("page_lost", {});',
      "wrangler.toml": '[vars]\nSETTING = "1"\n',
    });
    expect(unnamed(tree)).toEqual([
      "docs/data.md: nothing about untold",
      "docs/operations.md: nothing about page_lost",
      "docs/operations.md: nothing about SETTING",
    ]);
  });

  test("a command that package.json does not have", () => {
    expect(unknownCommands(sample({ "README.md": "`npm run test:quick`, `npm run fly`" }))).toEqual(
      ["README.md: no script fly"],
    );
  });
});

test("the anchors of headings are GitHub's", () => {
  const markdown = [
    "# Sila · صلة",
    "## 10. Pages, links & their lives",
    "## `Retry-After`: *true*",
    "```",
    "# no heading",
    "```",
    "## Words",
    "## [Words](x.md)",
  ].join("\n");
  expect(slugsOf(markdown)).toEqual([
    "sila--صلة",
    "10-pages-links--their-lives",
    "retry-after-true",
    "words",
    "words-1",
  ]);
});

test("numbers are found alone and in ranges, and not in hex, addresses or other names", () => {
  expect([...mentionsIn("(F7, S14) F1–F3 I2–4")]).toEqual([
    "F7",
    "S14",
    "F1",
    "F2",
    "F3",
    "I2",
    "I3",
    "I4",
  ]);
  expect([...mentionsIn("%F7 \\xF7 UTF8 F7a F100 #F1 S0 /F2")]).toEqual([]);
});
