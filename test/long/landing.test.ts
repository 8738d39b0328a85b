/**
 * The landing page in a real browser: what is on the first screen of a small phone, three widths, both
 * schemes and languages, the live example, the way to a page of one's own, and its weight.
 */
import type { Page as Tab } from "playwright-core";
import { describe, expect, test } from "vitest";
import { LOCALES } from "../../src/views/locale.ts";
import { DESKTOP, PHONE, poll, visitor } from "../browser/browser-kit.ts";
import { inBrowser } from "../browser/in-browser.ts";
import { SCHEMES, TARGET_PX_MIN, WIDTHS_PX } from "../browser/screens.ts";

/** The page with its fonts and with the example that is shown first. A KB is 1,000 bytes. */
const WEIGHT_BYTES_MAX = 100_000;
/** A small phone, of which the browser's bars have taken their part. */
const SMALL_PHONE = { width: 360, height: 740 };

/** Everything that is clicked or touched: a radio button by its label. */
const TARGETS =
  ".bar a, .begin input:not([type=hidden]), button, .swatches > label, .button, .foot a";

function boxes(tab: Tab, selector: string) {
  return tab.locator(selector).evaluateAll((all) =>
    all.map((element) => {
      const { top, bottom, left, right, height } = element.getBoundingClientRect();
      return { what: element.outerHTML.slice(0, 80), top, bottom, left, right, height };
    }),
  );
}

inBrowser("the landing page", (world) => {
  describe.concurrent.for(LOCALES)("in %s", (locale) => {
    test("has what it is, the button and the other language on the first screen", async () => {
      await using someone = await visitor(world, { ...PHONE, viewport: SMALL_PHONE });
      const { tab } = someone;
      await tab.goto(`/${locale}`);
      await tab.evaluate(() => document.fonts.ready);
      for (const box of await boxes(tab, "h1, .hero .lede, .begin .button, .bar a")) {
        expect(box.top, box.what).toBeGreaterThanOrEqual(0);
        expect(box.bottom, box.what).toBeLessThanOrEqual(SMALL_PHONE.height);
      }
    });

    describe.concurrent.for(SCHEMES)("in %s", (colorScheme) => {
      test.for(WIDTHS_PX)(
        "fits %i px, is easy to hit, and loads nothing of others",
        async (width) => {
          const viewport = { width, height: 800 };
          await using someone = await visitor(world, { ...DESKTOP, colorScheme, viewport });
          const { tab } = someone;
          await tab.goto(`/${locale}`, { waitUntil: "networkidle" });
          await tab.evaluate(() => document.fonts.ready);
          const root = tab.locator("html");
          expect(await root.getAttribute("dir")).toBe(locale === "ar" ? "rtl" : "ltr");
          expect(await root.evaluate((html) => html.scrollWidth)).toBe(width);
          for (const box of await boxes(tab, TARGETS)) {
            expect(box.height, box.what).toBeGreaterThanOrEqual(TARGET_PX_MIN);
            expect(box.left, box.what).toBeGreaterThanOrEqual(0);
            expect(box.right, box.what).toBeLessThanOrEqual(width);
          }
          // No console error, no CSP violation, no cookie, no request to another origin.
          expect(await someone.complaints()).toEqual([]);
        },
      );
    });

    test("shows another look of the example without a script, by keyboard too", async ({
      expect,
    }) => {
      await using someone = await visitor(world, { ...DESKTOP, javaScriptEnabled: false });
      const { tab } = someone;
      await tab.goto(`/${locale}`, { waitUntil: "networkidle" });
      const shown = () => tab.locator(".phone > iframe:visible").getAttribute("src");
      const first = await shown();
      expect(first).toMatch(new RegExp(`^/example/${locale}/`));
      await tab.locator(".swatches > label").nth(2).click();
      expect(await shown()).toBe(`/example/${locale}/rosewater`);
      const name = tab.frameLocator(".phone > iframe:visible").locator("h1");
      await expect.poll(() => name.isVisible()).toBe(true);
      await tab.keyboard.press("ArrowDown");
      expect(await shown()).not.toBe(`/example/${locale}/rosewater`);
      expect(await tab.locator(".phone > iframe:visible").count()).toBe(1);
    });

    test("reaches nothing inside of the phone by keyboard", async () => {
      await using someone = await visitor(world, DESKTOP);
      const { tab } = someone;
      await tab.goto(`/${locale}`, { waitUntil: "networkidle" });
      const reached: string[] = [];
      for (let presses = 0; presses < 10; presses += 1) {
        await tab.keyboard.press("Tab");
        reached.push(await tab.evaluate(() => document.activeElement?.tagName ?? ""));
      }
      // Its name, the other language, the way in, the address, the button, the looks, the end, two links.
      expect(reached.slice(0, 9)).toEqual([..."AAA", "INPUT", "BUTTON", "INPUT", ..."AAA"]);
      expect(reached).not.toContain("IFRAME");
    });

    test("leads to a page of one's own with the wished address, through sign-in", async () => {
      await using someone = await visitor(world, { ...PHONE, javaScriptEnabled: false });
      const { tab } = someone;
      await tab.goto(`/${locale}`);
      const slug = locale === "ar" ? "ليلى" : "layla";
      await tab.locator("#slug").fill(slug);
      await tab.locator(".begin .button").tap();
      await tab.waitForURL("**/sign-in?**");
      // The page there goes on to the sign-in by itself, which returns to it.
      await tab.locator('form button[type="submit"], form button').first().tap();
      await tab.waitForURL("**/dashboard/new?**");
      const { searchParams } = new URL(tab.url());
      expect([searchParams.get("slug"), searchParams.get("lang")]).toEqual([slug, locale]);
      expect(await tab.locator("#start #slug").inputValue()).toBe(slug);
    });
  });

  test("answers in the browser's language", async () => {
    for (const [browser, language] of [
      ["en-GB", "en"],
      ["ar-EG", "ar"],
    ] as const) {
      await using someone = await visitor(world, { ...PHONE, locale: browser });
      await someone.tab.goto("/");
      expect(await someone.tab.locator("html").getAttribute("lang")).toBe(language);
      await someone.tab.locator(".bar nav a").tap();
      const other = language === "ar" ? "en" : "ar";
      await someone.tab.waitForURL(`**/${other}`);
      expect(await someone.tab.locator("html").getAttribute("lang")).toBe(other);
    }
  });

  test("keeps all words on the page where text is twice as large", async () => {
    await using someone = await visitor(world, {
      ...PHONE,
      viewport: SMALL_PHONE,
      bypassCSP: true,
    });
    const { tab } = someone;
    for (const locale of LOCALES) {
      await tab.goto(`/${locale}`);
      await tab.addStyleTag({ content: "html { font-size: 200% !important; }" });
      await tab.evaluate(() => document.fonts.ready);
      const width = await tab.evaluate(() => document.documentElement.scrollWidth);
      expect([locale, width]).toEqual([locale, SMALL_PHONE.width]);
    }
  });

  test("weighs at most 100 KB on the wire, with its fonts and its first example", async () => {
    for (const locale of LOCALES) {
      await using someone = await visitor(world, PHONE);
      const { context, tab } = someone;
      const sizes = new Map<string, Promise<number>>();
      context.on("requestfinished", (request) => {
        const { pathname } = new URL(request.url());
        // The example asks again for what the page has: from the browser's cache, with no size.
        if (sizes.has(pathname)) return;
        const size = request.sizes().then(({ responseBodySize }) => responseBodySize);
        sizes.set(pathname, size);
      });
      await tab.goto(`/${locale}`, { waitUntil: "networkidle" });
      await tab.locator(".phone").scrollIntoViewIfNeeded();
      await poll(
        () => [...sizes.keys()].some((path) => path.includes("shelf-")),
        (there) => there,
      );
      await tab.waitForLoadState("networkidle");
      const weighed = await Promise.all(
        [...sizes].map(async ([path, size]): Promise<[string, number]> => [path, await size]),
      );
      const bytes = weighed.reduce((sum, [, size]) => sum + size, 0);
      console.info(`/${locale} weighs ${bytes} bytes on the wire: ${weighed.join(" ")}`);
      expect(weighed.filter(([path]) => path.startsWith("/example/"))).toHaveLength(1);
      expect(bytes).toBeLessThanOrEqual(WEIGHT_BYTES_MAX);
    }
  });
});
