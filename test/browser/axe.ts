/**
 * The rules of axe-core, in a tab whose context has `bypassCSP`, because the pages' CSP allows no other
 * script.
 */
import { createRequire } from "node:module";
import type AxeBuilder from "axe-core";
import type { Page as Tab } from "playwright-core";
import { expect } from "vitest";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
/** With fewer passed rules, axe has hardly looked at the page. */
const PASSES_MIN = 10;

/** The rules that the page breaks, and where. */
export async function breaches(tab: Tab): Promise<[rule: string, places: string[]][]> {
  await tab.addScriptTag({ path: AXE });
  const { violations, passes } = await tab.evaluate(() =>
    (window as unknown as { axe: typeof AxeBuilder }).axe.run(),
  );
  expect(passes.length).toBeGreaterThan(PASSES_MIN);
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}
