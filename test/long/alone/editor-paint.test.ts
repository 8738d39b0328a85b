/** How long the editor's first paint takes (docs/performance.md), with what is drawn in it: every kind of link. */
import { expect, test } from "vitest";
import { demoOwner, openEditor } from "../../browser/creators.ts";
import { inBrowser } from "../../browser/in-browser.ts";
import { EVERY_KIND } from "../../every-kind.ts";
import { storePage } from "../../plain-page.ts";
import { slowness } from "../slowness.ts";

/** Milliseconds on an idle machine. */
const PAINT_MS_MAX = 1_000;
/** Other work slows some openings down, and never speeds one up. */
const OPENINGS_MAX = 5;

inBrowser("the editor", (world) => {
  test("paints within a second", async () => {
    await storePage(await world.server.db(), EVERY_KIND);
    let best_ms = Number.POSITIVE_INFINITY;
    for (let n = 0; n < OPENINGS_MAX && best_ms >= PAINT_MS_MAX; n += 1) {
      await using owner = await demoOwner(world);
      const before = slowness().wall;
      await openEditor(owner.tab, EVERY_KIND.page_id);
      const paint_ms = await owner.tab.evaluate(
        () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
      );
      const slower = Math.max(1, before, slowness().wall);
      best_ms = Math.min(best_ms, (paint_ms ?? Number.POSITIVE_INFINITY) / slower);
    }
    expect(best_ms).toBeLessThan(PAINT_MS_MAX);
  });
});
