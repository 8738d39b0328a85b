/** docs/looks.md and its pictures, which `npm run looks` makes from the presets. */
import { readFile, stat } from "node:fs/promises";
import { expect, test } from "vitest";
import { ROOT } from "../../../src/commands/root.ts";
import { looksMarkdown, SHEETS } from "../../looks/looks-document.ts";

/** What somebody who clones the repository or opens the document on a phone is asked to load. */
const SHEET_BYTES_MAX = 600_000;

test("docs/looks.md lists the presets as they are: run `npm run looks` otherwise", async () => {
  expect(await readFile(`${ROOT}docs/looks.md`, "utf8")).toBe(looksMarkdown());
});

test.for(Object.values(SHEETS))("%s is light enough to look at", async (path) => {
  expect((await stat(ROOT + path)).size).toBeLessThanOrEqual(SHEET_BYTES_MAX);
});
