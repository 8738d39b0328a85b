/**
 * 200 links on a phone: a row that follows the finger costs the page little work, however long the list is. The work is
 * counted and not timed: nodes and attributes that change, and layouts.
 */
import type { CDPSession, Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { PHONE } from "../browser/browser-kit.ts";
import { creator, openEditor, pageOf } from "../browser/creators.ts";
import { inBrowser } from "../browser/in-browser.ts";
import { centre, dragReady, finger, grip, many, order, row } from "../browser/links-kit.ts";

/** Moves of the finger, each in a frame of its own. */
const MOVES = 90;
/** Of all of them; measured: 104 and 15. */
const CHANGES_MAX = 3 * MOVES;
const LAYOUTS_MAX = MOVES;

inBrowser("200 links", (world) => {
  test("scroll, and are dragged, with little work for each move of the finger", async () => {
    await using someone = await creator(world, PHONE);
    const { tab, context } = someone;
    const { page_id } = await pageOf(someone, world, { links: many(200) });
    await openEditor(tab, page_id);
    await dragReady(tab);
    await tab.locator(".row-clicks").first().waitFor();
    const cdp = await context.newCDPSession(tab);
    await cdp.send("Performance.enable");
    const scrolling = await workOf(tab, cdp, async () => {
      await cdp.send("Input.synthesizeScrollGesture", {
        x: 200,
        y: 500,
        yDistance: -6_000,
        speed: 2_500,
        gestureSourceType: "touch",
      });
    });
    const name = "رابط 30.";
    await row(tab, name).evaluate((element) => element.scrollIntoView({ block: "center" }));
    const from = await centre(grip(tab, name));
    const [top, bottom] = [
      { ...from, y: 260 },
      { ...from, y: 640 },
    ];
    const touch = finger(cdp);
    await touch.down(from.x, from.y);
    await tab.locator(".row.sortable-chosen").waitFor();
    const dragging = await workOf(tab, cdp, async () => {
      await touch.move(tab, from, top, MOVES / 3);
      await touch.move(tab, top, bottom, (MOVES * 2) / 3);
    });
    // Near the edge of the window the list scrolls under the row.
    await touch.move(tab, bottom, { ...from, y: 800 }, 10);
    const scrolled = await tab.evaluate(() => scrollY);
    await expect.poll(() => tab.evaluate(() => scrollY)).toBeGreaterThan(scrolled + 200);
    await touch.move(tab, { ...from, y: 800 }, bottom, 10);
    await touch.up();
    await expect.poll(() => order(tab).then((names) => names.indexOf(name))).toBeGreaterThan(33);
    expect(scrolling.changes).toBe(0);
    expect(dragging.changes).toBeGreaterThan(MOVES / 2);
    expect(dragging.changes).toBeLessThan(CHANGES_MAX);
    expect(dragging.layouts).toBeLessThan(LAYOUTS_MAX);
  });
});

/** Nodes and attributes of the page that changed meanwhile, and layouts. */
async function workOf(tab: Tab, cdp: CDPSession, work: () => Promise<void>) {
  const observer = await tab.evaluateHandle(() => {
    const seen = { changes: 0 };
    new MutationObserver((records) => {
      for (const { addedNodes, removedNodes } of records) {
        seen.changes += Math.max(1, addedNodes.length + removedNodes.length);
      }
    }).observe(document, { attributes: true, childList: true, characterData: true, subtree: true });
    return seen;
  });
  const before = await layouts(cdp);
  await work();
  const { changes } = await observer.jsonValue();
  return { changes, layouts: (await layouts(cdp)) - before };
}

async function layouts(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send("Performance.getMetrics");
  const found = metrics.find(({ name }) => name === "LayoutCount");
  if (found === undefined) throw new Error("the browser does not count layouts");
  return found.value;
}
