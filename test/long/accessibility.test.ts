/**
 * Every public page in a real browser: both languages, both colour schemes, three widths, keyboard only,
 * and the rules of axe-core.
 */
import type { Page as Tab } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { pagePath } from "../../src/pages/page-address.ts";
import { textIn } from "../../src/pages/page-words.ts";
import { breaches } from "../browser/axe.ts";
import { BEACON_PATH, DESKTOP, PHONE, visitor } from "../browser/browser-kit.ts";
import { inBrowser } from "../browser/in-browser.ts";
import { SCHEMES, TARGET_PX_MIN, WIDTHS_PX } from "../browser/screens.ts";
import { DEMO_PAGES } from "../demo/data.ts";
import { EVERY_KIND } from "../every-kind.ts";
import { storePage } from "../plain-page.ts";

/** Our links, buttons and fields, in document order. */
function links(tab: Tab) {
  const all = tab.locator("a, button:not([hidden]), input:not([type=hidden]), textarea");
  return all.evaluateAll((all) =>
    all.flatMap((link) => {
      const label = link instanceof HTMLInputElement ? link.labels?.item(0) : null;
      const is_radio = link instanceof HTMLInputElement && link.type === "radio";
      // A radio button is pressed, and its focus is seen, at its label.
      const shown = is_radio && label ? label : link;
      const { top, bottom, left, right, height } = shown.getBoundingClientRect();
      // Of a group of radio buttons the tab key reaches the one that is pressed.
      const is_stop = !is_radio || link.checked;
      const text = link.textContent;
      return height === 0 ? [] : [{ text, top, bottom, left, right, height, is_stop }];
    }),
  );
}

/** Every visible text in document order, with the y position at which it starts. */
function visibleTexts(tab: Tab) {
  return tab.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found: { text: string; top: number }[] = [];
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text = node.textContent?.trim() ?? "";
      const range = document.createRange();
      range.selectNode(node);
      const { top, width } = range.getBoundingClientRect();
      if (text !== "" && width > 0) found.push({ text, top: top + scrollY });
    }
    return found;
  });
}

/** The addresses of all bio pages, in each of their languages. */
const ADDRESSES = [...DEMO_PAGES, EVERY_KIND].flatMap((page) =>
  page.locales.map((locale) => ({
    path: pagePath(page, locale),
    locale,
    name: textIn(page.name, locale),
  })),
);

const byTop = (one: { top: number }, other: { top: number }) => one.top - other.top;

inBrowser("for everybody", (world) => {
  beforeAll(async () => {
    await storePage(await world.server.db(), EVERY_KIND);
  });

  describe.concurrent.for(ADDRESSES)("$path", ({ path, locale, name }) => {
    describe.concurrent.for(SCHEMES)("in %s", (colorScheme) => {
      test.for(WIDTHS_PX)(
        "fits %i px, is easy to hit, and keeps our promises to visitors",
        async (width) => {
          await using someone = await visitor(world, {
            ...DESKTOP,
            colorScheme,
            viewport: { width, height: 800 },
          });
          const { tab } = someone;
          const counted = tab.waitForResponse(`**${BEACON_PATH}`);
          await tab.goto(path);
          expect((await counted).status()).toBe(202);

          // Measured once the page's own fonts are loaded.
          const fonts = await tab.evaluate(async () => {
            await document.fonts.ready;
            return [...document.fonts].filter(({ status }) => status === "loaded").length;
          });
          expect(fonts).toBeGreaterThanOrEqual(2);

          const root = tab.locator("html");
          expect(await root.getAttribute("lang")).toBe(locale);
          expect(await root.getAttribute("dir")).toBe(locale === "ar" ? "rtl" : "ltr");
          expect(await tab.title()).toBe(name);
          expect(await root.evaluate((html) => html.scrollWidth)).toBe(width);
          for (const link of await links(tab)) {
            expect(link.height, link.text ?? "").toBeGreaterThanOrEqual(TARGET_PX_MIN);
            expect(link.left, link.text ?? "").toBeGreaterThanOrEqual(0);
            expect(link.right, link.text ?? "").toBeLessThanOrEqual(width);
          }
          // Without console errors, page errors, CSP violations, cookies, or requests to another origin.
          expect(await someone.complaints()).toEqual([]);
        },
      );
    });

    test("can be read and used with the keyboard alone, in its visual order", async () => {
      await using someone = await visitor(world);
      const { tab } = someone;
      await tab.goto(path);

      const texts = await visibleTexts(tab);
      expect(texts.length).toBeGreaterThan(0);
      expect(texts.toSorted(byTop)).toEqual(texts);

      const all = await links(tab);
      expect(all.toSorted(byTop)).toEqual(all);
      const there = all.filter(({ is_stop }) => is_stop);
      const reached: (string | null)[] = [];
      for (let tabs = 0; tabs < there.length; tabs++) {
        await tab.keyboard.press("Tab");
        const focus = await tab.evaluate(() => {
          const { activeElement } = document;
          const { outlineStyle, outlineWidth } = getComputedStyle(activeElement ?? document.body);
          return { text: activeElement?.textContent ?? null, outlineStyle, outlineWidth };
        });
        reached.push(focus.text);
        expect(focus, focus.text ?? "").toMatchObject({ outlineStyle: "solid" });
        expect(Number.parseFloat(focus.outlineWidth)).toBeGreaterThanOrEqual(2);
      }
      expect(reached).toEqual(there.map(({ text }) => text));
    });
  });

  describe.concurrent.for([
    ...["/ar", "/en", "/docs/ar", "/docs/en", "/example/ar/lapis"],
    ...ADDRESSES.map(({ path }) => path),
    "/nobody-here",
  ])("%s", (path) => {
    test.for(SCHEMES)("breaks no rule of axe-core in %s", async (colorScheme) => {
      // Only to inject axe: the pages' CSP allows no other script.
      await using someone = await visitor(world, { ...PHONE, colorScheme, bypassCSP: true });
      const { tab } = someone;
      const response = await tab.goto(path);
      expect(response?.status()).toBe(path === "/nobody-here" ? 404 : 200);
      expect(await breaches(tab)).toEqual([]);
    });
  });
});
