/** `/docs` in a real browser, with everything unfolded, and its weight. */
import type { Request } from "playwright-core";
import { expect, test } from "vitest";
import { DESKTOP, PHONE, poll, visitor } from "../browser/browser-kit.ts";
import { inBrowser } from "../browser/in-browser.ts";
import { TARGET_PX_MIN, WIDTHS_PX } from "../browser/screens.ts";

/** Compressed size of the page and its two style sheets, without fonts; a KB is 1,000 bytes. */
const WEIGHT_BYTES_MAX = 56_000;

inBrowser("the reference", (world) => {
  test("S8: fits every width with everything unfolded, its contents can be pressed, and no CSP is broken", async () => {
    await using someone = await visitor(world, DESKTOP);
    const { tab } = someone;
    await tab.goto("/docs");
    for (const details of await tab.locator("details").all()) {
      await details.evaluate((element) => element.setAttribute("open", ""));
    }
    await tab.evaluate(() => document.fonts.ready);
    for (const width of WIDTHS_PX) {
      await tab.setViewportSize({ width, height: 800 });
      expect(await tab.locator("html").evaluate((html) => html.scrollWidth)).toBe(width);
      const outside = await tab.evaluate((width) => {
        const visible = [...document.querySelectorAll("body *")].filter(
          (element) => element.closest("pre, .skip") === null,
        );
        return visible
          .filter((element) => {
            const { left, right } = element.getBoundingClientRect();
            return left < -0.5 || right > width + 0.5;
          })
          .map((element) => element.outerHTML.slice(0, 80));
      }, width);
      expect([width, outside]).toEqual([width, []]);
    }
    await tab.setViewportSize(PHONE.viewport);
    const links = await tab.locator(".fold > summary, .fold a").all();
    expect(links.length).toBeGreaterThan(15);
    for (const link of links) {
      expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(TARGET_PX_MIN);
    }
    expect(await someone.complaints()).toEqual([]);
  });

  test("weighs at most 56 KB on the wire without its fonts", async () => {
    await using someone = await visitor(world, PHONE);
    const { context, tab } = someone;
    const requests: Request[] = [];
    context.on("requestfinished", (request) => {
      if (["document", "stylesheet"].includes(request.resourceType())) requests.push(request);
    });
    await tab.goto("/docs");
    await poll(
      () => requests.length,
      (n) => n >= 3,
    );
    const weighed = await Promise.all(
      requests.map(
        async (request): Promise<[path: string, bytes: number]> => [
          new URL(request.url()).pathname,
          (await request.sizes()).responseBodySize,
        ],
      ),
    );
    const bytes = weighed.reduce((sum, [, size]) => sum + size, 0);
    console.info(`/docs weighs ${bytes} bytes on the wire without fonts: ${weighed.join(" ")}`);
    expect(weighed).toHaveLength(3);
    expect(bytes).toBeLessThanOrEqual(WEIGHT_BYTES_MAX);
  });
});
