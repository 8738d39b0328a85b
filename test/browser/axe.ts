import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type AxeBuilder from "axe-core";
import type { Page as Tab } from "playwright-core";
import { expect } from "vitest";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
/** With fewer passed rules, axe has hardly looked at the page. */
const PASSES_MIN = 10;

export async function breaches(tab: Tab): Promise<[rule: string, places: string[]][]> {
  // As the developer's tools run it: the pages' CSP allows no other script. To end this session would end the tab's
  // virtual authenticators.
  const devtools = await tab.context().newCDPSession(tab);
  await devtools.send("Runtime.evaluate", { expression: await readFile(AXE, "utf8") });
  const { violations, passes } = await tab.evaluate(() =>
    (window as unknown as { axe: typeof AxeBuilder }).axe.run(),
  );
  expect(passes.length).toBeGreaterThan(PASSES_MIN);
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}
