/** How long the editor's first paint takes (docs/performance.md), with what is drawn in it: every kind of link. */
import { expect, test } from "vitest";
import { creator, openEditor } from "../../browser/editor-kit.ts";
import { inBrowser } from "../../browser/in-browser.ts";
import { EVERY_KIND } from "../../every-kind.ts";
import { plainPage, storePage } from "../../plain-page.ts";
import { slowness } from "../slowness.ts";

/** Milliseconds on an idle machine. */
const PAINT_MS_MAX = 1_000;

inBrowser("the editor", (world) => {
  test("paints within a second", async () => {
    await using owner = await creator(world);
    const page = plainPage({ ...EVERY_KIND, page_id: "paint", slug: "paint" });
    await storePage(await world.server.db(), page);
    const before = slowness().wall;
    await openEditor(owner.tab, page.page_id);
    const first_paint = await owner.tab.evaluate(
      () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
    );
    const slower = Math.max(1, before, slowness().wall);
    expect(first_paint).toBeLessThan(PAINT_MS_MAX * slower);
  });
});
