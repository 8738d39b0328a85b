/** `/docs` in a real browser: three widths, no script, keyboard and fingers. */
import { expect, test } from "vitest";
import { DESKTOP, PHONE, poll, visitor } from "../browser/browser-kit.ts";
import { inBrowser } from "../browser/in-browser.ts";
import { TARGET_PX_MIN, WIDTHS_PX } from "../browser/screens.ts";

/** Compressed size of the page and its two style sheets, without fonts; a KB is 1,000 bytes. */
const WEIGHT_BYTES_MAX = 46_000;

inBrowser("the reference", (world) => {
  test("S8: fits every width with everything unfolded, without a CSP violation", async () => {
    await using someone = await visitor(world, DESKTOP);
    const { tab } = someone;
    expect((await tab.goto("/docs"))?.status()).toBe(200);
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
    expect(await someone.complaints()).toEqual([]);
  });

  test("opens and closes its errors without JavaScript", async () => {
    await using someone = await visitor(world, { ...PHONE, javaScriptEnabled: false });
    const { tab } = someone;
    await tab.goto("/docs");
    const code = tab.locator("#recordEvent").getByText("INVALID_JSON");
    await expect.poll(() => code.isVisible()).toBe(false);
    await tab.locator("#recordEvent summary").first().click();
    await tab.locator("#recordEvent .failures summary").click();
    await expect.poll(() => code.isVisible()).toBe(true);
  });

  test("has contents on a phone with large touch targets and correct links", async () => {
    await using someone = await visitor(world, PHONE);
    const { tab } = someone;
    await tab.goto("/docs");
    await tab.locator(".fold > summary").tap();
    const links = await tab.locator(".fold a").all();
    expect(links.length).toBeGreaterThan(15);
    for (const target of [tab.locator(".fold > summary"), ...links]) {
      expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(TARGET_PX_MIN);
    }
    await tab.locator('.fold a[href="#getContactCard"]').tap();
    const top = () =>
      tab.locator("#getContactCard").evaluate((card) => card.getBoundingClientRect().top);
    const near = await poll(top, (y) => y >= 0 && y < 100);
    expect(near).toBeGreaterThanOrEqual(0);
    expect(near).toBeLessThan(100);
  });

  test("has a skip link for the keyboard, and shows the focus", async () => {
    await using someone = await visitor(world);
    const { tab } = someone;
    await tab.goto("/docs");
    const focus = () =>
      tab.evaluate(() => {
        const { activeElement } = document;
        const { outlineStyle, outlineWidth } = getComputedStyle(activeElement ?? document.body);
        const { top, height } = (activeElement ?? document.body).getBoundingClientRect();
        const name = `${activeElement?.getAttribute("href") ?? activeElement?.tagName}`;
        return { name, outlineStyle, width: Number.parseFloat(outlineWidth), top, height };
      });
    await tab.keyboard.press("Tab");
    expect(await focus()).toMatchObject({ name: "#content", outlineStyle: "solid" });
    expect((await focus()).top).toBeGreaterThanOrEqual(0);
    await tab.keyboard.press("Enter");
    // The first focus after the contents: a sample that scrolls.
    await tab.keyboard.press("Tab");
    const { name, outlineStyle, width } = await focus();
    expect([name, outlineStyle]).toEqual(["PRE", "solid"]);
    expect(width).toBeGreaterThanOrEqual(2);
  });

  test("weighs at most 46 KB on the wire without its fonts", async () => {
    await using someone = await visitor(world, PHONE);
    const { context, tab } = someone;
    const sizes: Promise<[path: string, bytes: number]>[] = [];
    context.on("requestfinished", (request) => {
      if (!["document", "stylesheet"].includes(request.resourceType())) return;
      const { pathname } = new URL(request.url());
      sizes.push(request.sizes().then(({ responseBodySize }) => [pathname, responseBodySize]));
    });
    await tab.goto("/docs");
    await poll(
      () => sizes.length,
      (n) => n >= 3,
    );
    const weighed = await Promise.all(sizes);
    const bytes = weighed.reduce((sum, [, size]) => sum + size, 0);
    console.info(`/docs weighs ${bytes} bytes on the wire without fonts: ${weighed.join(" ")}`);
    expect(weighed).toHaveLength(3);
    expect(bytes).toBeLessThanOrEqual(WEIGHT_BYTES_MAX);
  });
});
