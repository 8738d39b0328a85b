/** 200 links on a slow phone: how the list scrolls, and how a row follows the finger. */
import type { CDPSession, Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { PHONE } from "../../browser/browser-kit.ts";
import { creator, openEditor, pageOf } from "../../browser/creators.ts";
import { inBrowser } from "../../browser/in-browser.ts";
import { centre, dragReady, finger, grip, many, order, row } from "../../browser/links-kit.ts";

/** A phone a quarter as fast as this machine. */
const SLOWER = 4;
const LONG_FRAME_MS = 50;

/** Of all frames. Measured while dragging: 2 to 3 %, and 11 % beside a load of 33 on two cores. */
const LONG_FRAMES_MAX = 0.25;
/** Processor time of the page's thread for one move of the finger, at a quarter of the speed. */
const MOVE_MS_MAX = 50;
const MOVES = 90;

inBrowser("200 links", (world) => {
  test("scroll, and are dragged, with few long frames on a slow phone", async () => {
    await using someone = await creator(world, PHONE);
    const { tab, context } = someone;
    const { page_id } = await pageOf(someone, world, { links: many(200) });
    await openEditor(tab, page_id);
    await dragReady(tab);
    await tab.locator(".row-clicks").first().waitFor();
    const cdp = await context.newCDPSession(tab);
    await cdp.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    const scrolling = await framesWhile(tab, async () => {
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
    const busy_ms = await busyTime(cdp);
    const dragging = await framesWhile(tab, async () => {
      await touch.move(tab, from, top, MOVES / 3);
      await touch.move(tab, top, bottom, (MOVES * 2) / 3);
    });
    const move_ms = ((await busyTime(cdp)) - busy_ms) / MOVES;
    // Near the edge of the window the list scrolls under the row.
    await touch.move(tab, bottom, { ...from, y: 800 }, 10);
    const scrolled = await tab.evaluate(() => scrollY);
    await expect.poll(() => tab.evaluate(() => scrollY)).toBeGreaterThan(scrolled + 200);
    await touch.move(tab, { ...from, y: 800 }, bottom, 10);
    const dropping = await framesWhile(tab, async () => {
      await touch.up();
    });
    await expect.poll(() => order(tab).then((names) => names.indexOf(name))).toBeGreaterThan(33);
    console.info(JSON.stringify({ scrolling, dragging, dropping, move_ms }));
    expect(scrolling.long / scrolling.frames).toBeLessThan(LONG_FRAMES_MAX);
    expect(move_ms).toBeLessThan(MOVE_MS_MAX);
    expect(dragging.long / dragging.frames).toBeLessThan(LONG_FRAMES_MAX);
  });
});

/** Milliseconds that the page's thread has worked: other processes do not count. */
async function busyTime(cdp: CDPSession): Promise<number> {
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  const { metrics } = await cdp.send("Performance.getMetrics");
  return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1_000;
}

/** How many frames there were meanwhile, how many of them took over 50 ms, and the longest. */
async function framesWhile(tab: Tab, work: () => Promise<void>) {
  await tab.evaluate(() => {
    const times: number[] = [];
    const seen = window as unknown as { frame_times: number[] };
    seen.frame_times = times;
    const tick = (now: number) => {
      times.push(now);
      if (seen.frame_times === times) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  await work();
  return tab.evaluate((long_ms) => {
    const seen = window as unknown as { frame_times: number[] };
    const times = seen.frame_times;
    seen.frame_times = [];
    const lengths = times.slice(1).map((time, i) => time - (times[i] ?? time));
    return {
      frames: lengths.length,
      long: lengths.filter((ms) => ms > long_ms).length,
      longest_ms: Math.round(Math.max(...lengths)),
    };
  }, LONG_FRAME_MS);
}
