/**
 * Looks in a real browser. Not all of them, which are millions, but a set in which every value of every
 * axis is there at least once, and every pair of typefaces in both languages: weight, contrast and the
 * other rules of axe-core, and layout on the narrowest phone, with the text at double size too.
 */
import type { Request, Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { TYPES } from "../../src/client/fonts.ts";
import type { Locale } from "../../src/views/locale.ts";
import { LOOK_VALUES, type Look } from "../../src/views/look-values.ts";
import { SCHEMES } from "../../src/views/palette.ts";
import { breaches } from "../browser/axe.ts";
import { PHONE, poll, visitor } from "../browser/browser-kit.ts";
import { inBrowser } from "../browser/in-browser.ts";
import { pageInLook } from "../browser/look-pages.ts";
import { TARGET_PX_MIN } from "../browser/screens.ts";

const WIDTH_PX = 360;
/**
 * The limit of a bio page without its pictures: 40 KB, and one for its forms. A KB is 1,000 bytes. Most pages have no
 * form, and `lighthouse.test.ts` holds one without to 40 KB.
 */
const WEIGHT_BYTES_MAX = 41_000;
/** Font files of a page with words in both scripts, in texts and in headings: two of its own script. */
const fontsOf = ({ type }: Look, locale: Locale) =>
  2 + (locale === "ar" ? TYPES[type].partner.length : 1);
/** Faint, glaring, grey, and one like a ground. */
const ACCENTS = ["#ffee00", "#ff0080", "#777777", "#fbf1f1"];

type Axes = Omit<Look, "accent">;
const AXES = Object.entries(LOOK_VALUES) as [keyof Axes, readonly string[]][];
const LOOKS = Math.max(...AXES.map(([, values]) => values.length));

/** The n-th look has the n-th value of each axis, from another first one on each. */
function look(n: number): Look {
  const axes = AXES.map(([axis, values], i) => [axis, values[(n + i) % values.length]]);
  const accent = n % 3 === 2 ? ACCENTS[Math.floor(n / 3) % ACCENTS.length] : null;
  return { ...(Object.fromEntries(axes) as Axes), accent: accent ?? null };
}

const types = LOOK_VALUES.type.length;
const COVERING = Array.from({ length: Math.max(LOOKS, 2 * types) }, (_, n) => ({
  look: look(n),
  locale: (Math.floor(n / types) % 2 === 0 ? "ar" : "en") as Locale,
}));

/** The largest fonts, the picture of a background, and a sheet for everything that can have one. */
const HEAVIEST: Look = {
  ...look(0),
  type: "naskh",
  palette: "dusk",
  background: "girih",
  scheme: "auto",
  accent: "#d6336c",
};
const CASES = [...COVERING, { look: HEAVIEST, locale: "ar" as const }].map((one, n) => ({
  n,
  ...one,
}));

/** Bytes on the wire of everything but the creator's pictures. Events that were sent are not waited for. */
async function weigh(finished: readonly Request[]): Promise<Record<string, number>> {
  const weighed = finished.filter(
    (request) =>
      ["document", "stylesheet", "script", "font", "image"].includes(request.resourceType()) &&
      !new URL(request.url()).pathname.startsWith("/media/"),
  );
  const sizes = weighed.map(
    async (request): Promise<[string, number]> => [
      new URL(request.url()).pathname,
      (await request.sizes()).responseBodySize,
    ],
  );
  return Object.fromEntries(await Promise.all(sizes));
}

/** What leaves the window at its sides, and links that are too small to hit. */
function misplaced(tab: Tab): Promise<string[]> {
  return tab.evaluate((min) => {
    const width = document.documentElement.clientWidth;
    const wide = document.documentElement.scrollWidth > width ? ["the page"] : [];
    const all = [...document.querySelectorAll("body *:not(svg *, script, noscript)")];
    const outside = all.filter((element) => {
      const { left, right } = element.getBoundingClientRect();
      return left < -1 || right > width + 1;
    });
    const touched = [...document.querySelectorAll("a, button, summary")];
    const small = touched.filter((link) => {
      const box = link.getBoundingClientRect();
      return box.height < min || box.width < min;
    });
    return [...wide, ...[...outside, ...small].map(({ outerHTML }) => outerHTML.slice(0, 120))];
  }, TARGET_PX_MIN);
}

test("the looks below have every value of every axis, and every pair of typefaces in both languages", () => {
  for (const [axis, values] of AXES) {
    expect(new Set(CASES.map(({ look }) => look[axis]))).toEqual(new Set(values));
  }
  const set = new Set(CASES.map(({ look, locale }) => `${look.type} ${locale}`));
  expect(set.size).toBe(2 * types);
});

inBrowser("a page in any look", (world) => {
  test.concurrent.for(CASES)(
    "is light, readable and in its place: look $n, $locale",
    async ({ look, locale }, { onTestFailed }) => {
      onTestFailed(() => console.error(JSON.stringify(look)));
      const { slug } = await pageInLook(world, look, locale);
      const schemes = look.scheme === "auto" ? SCHEMES : [look.scheme];
      for (const colorScheme of schemes) {
        // Only to inject axe and to enlarge the text: the pages' CSP allows neither.
        await using someone = await visitor(world, {
          ...PHONE,
          viewport: { width: WIDTH_PX, height: 800 },
          colorScheme,
          bypassCSP: true,
        });
        const { context, tab } = someone;
        const finished: Request[] = [];
        context.on("requestfinished", (request) => finished.push(request));
        await tab.goto(`/${slug}`);
        await tab.evaluate(() => document.fonts.ready);
        // By address: a font that is preloaded and then used may be requested twice.
        const fonts = () =>
          new Set(finished.filter((one) => one.resourceType() === "font").map((one) => one.url()));
        const n = fontsOf(look, locale);
        expect(await poll(fonts, ({ size }) => size >= n)).toHaveProperty("size", n);

        const sizes = await weigh(finished);
        const bytes = Object.values(sizes).reduce((sum, size) => sum + size, 0);
        expect(bytes, JSON.stringify(sizes)).toBeLessThanOrEqual(WEIGHT_BYTES_MAX);

        expect(await breaches(tab), colorScheme).toEqual([]);
        expect(await misplaced(tab)).toEqual([]);
        await tab.addStyleTag({ content: ":root { font-size: 200% !important }" });
        expect(await misplaced(tab), "200 %").toEqual([]);
        expect(await someone.complaints()).toEqual([]);
      }
    },
  );

  test("stands still where the visitor wants no motion", async () => {
    const { slug } = await pageInLook(world, { motion: "gentle" }, "ar");
    for (const [reducedMotion, isMoving] of [
      ["reduce", false],
      ["no-preference", true],
    ] as const) {
      await using someone = await visitor(world, { ...PHONE, reducedMotion });
      await someone.tab.goto(`/${slug}`);
      const animated = await someone.tab
        .locator(".profile")
        .evaluate((profile) => getComputedStyle(profile).animationName !== "none");
      expect(animated, reducedMotion).toBe(isMoving);
    }
  });

  test("without an own scheme is light or dark as the device is, and with one as the look says", async () => {
    const paths = await Promise.all(
      LOOK_VALUES.scheme.map(async (scheme) => (await pageInLook(world, { scheme }, "en")).slug),
    );
    const grounds: string[][] = [];
    for (const colorScheme of SCHEMES) {
      await using someone = await visitor(world, { ...PHONE, colorScheme });
      const seen: string[] = [];
      for (const path of paths) {
        await someone.tab.goto(`/${path}`);
        seen.push(
          await someone.tab
            .locator("html")
            .evaluate((html) => getComputedStyle(html).backgroundColor),
        );
      }
      grounds.push(seen);
    }
    const [[light, ...own] = [], [dark, ...same] = []] = grounds;
    expect(light).not.toBe(dark);
    expect([own, same]).toEqual([
      [light, dark],
      [light, dark],
    ]);
  });
});
