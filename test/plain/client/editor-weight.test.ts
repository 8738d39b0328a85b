/** The weight of the editor's script, compressed: what its first paint waits for, and all of it. */
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../../src/commands/root.ts";
import { LOCALES } from "../../../src/views/locale.ts";

/** A KB is 1,000 bytes. */
const FIRST_BYTES_MAX = 60_000;
/**
 * Of these 13 KB are blocks, files and suggestions, 11 KB what reads pasted links, and 2 KB the photo's step,
 * which load after the first paint as all panels do.
 */
const ALL_BYTES_MAX = 125_000;
/** The numbers of all countries and the ends of all domains: loaded when a creator types one. */
const LISTS_BYTES_MAX = 40_000;
const LIST = /export\s*\{[^}]*\b(?:numberIn|isTopLevel)\b/;

const DIST = join(ROOT, "src/client/dist");
const read = (path: string) => readFile(join(DIST, path), "utf8");

/** The files that a script imports, itself included: at once alone, or also later. */
async function filesOf(script: string, is_all: boolean, found = new Set<string>()) {
  if (found.has(script)) return found;
  found.add(script);
  const code = await read(`public/assets/${script}`);
  const pattern = is_all
    ? /(?:from|import|import\()"\.\/([\w-]+\.js)"/g
    : /(?:from|import)"\.\/([\w-]+\.js)"/g;
  for (const [, name = ""] of code.matchAll(pattern)) await filesOf(name, is_all, found);
  return found;
}

async function weightOf(scripts: Iterable<string>): Promise<number> {
  const codes = await Promise.all([...scripts].map((name) => read(`public/assets/${name}`)));
  return codes.reduce((sum, code) => sum + gzipSync(code, { level: 9 }).length, 0);
}

describe.each(LOCALES)("the editor's script in %s", (locale) => {
  test("weighs at most 60 KB until the first paint, at most 125 KB in all, and its lists 40 KB", async () => {
    const manifest = JSON.parse(await read("manifest.json")) as Record<string, string>;
    const script = basename(manifest[`editor-${locale}.js`] ?? "");
    const [first, all] = [await filesOf(script, false), await filesOf(script, true)];
    const codes = await Promise.all([...all].map((name) => read(`public/assets/${name}`)));
    const lists = new Set([...all].filter((_, i) => LIST.test(codes[i] ?? "")));
    const [first_bytes, lists_bytes] = [await weightOf(first), await weightOf(lists)];
    const all_bytes = await weightOf([...all].filter((name) => !lists.has(name)));
    const said = `${first_bytes} bytes at first, ${all_bytes} in all, lists of ${lists_bytes}`;
    console.info(`editor-${locale}.js: ${said}`);
    expect([...lists].filter((name) => first.has(name))).toEqual([]);
    expect(lists.size).toBe(2);
    // What is loaded later is a file of its own.
    expect(all.size).toBeGreaterThan(first.size);
    expect(first_bytes).toBeLessThanOrEqual(FIRST_BYTES_MAX);
    expect(all_bytes).toBeLessThanOrEqual(ALL_BYTES_MAX);
    expect(lists_bytes).toBeLessThanOrEqual(LISTS_BYTES_MAX);
  });
});
