/** The rules of axe-core, in a tab whose context was opened with `bypassCSP`: pages let no script in but theirs. */
import { createRequire } from "node:module";
import type AxeBuilder from "axe-core";
import type { Page as Tab } from "playwright-core";
import { expect } from "vitest";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
/** Fewer, and it looked at hardly anything. */
const PASSES_MIN = 10;

/** Which rules the page breaks, and where. */
export async function breaches(tab: Tab): Promise<[rule: string, places: string[]][]> {
  await tab.addScriptTag({ path: AXE });
  const { violations, passes } = await tab.evaluate(() =>
    (window as unknown as { axe: typeof AxeBuilder }).axe.run(),
  );
  expect(passes.length).toBeGreaterThan(PASSES_MIN);
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}
