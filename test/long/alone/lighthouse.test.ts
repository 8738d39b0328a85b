/**
 * Lighthouse's scores of bio pages and of the landing page on a phone, and the demo page's weight. The score of
 * performance depends on the machine: it is printed, for docs/performance.md, and what a page does for it is checked.
 * The weight in other looks is in look.test.ts.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import lighthouse, { type Result } from "lighthouse";
import Trace from "lighthouse/core/gather/gatherers/trace.js";
import type { Request } from "playwright-core";
import { expect, test } from "vitest";
import type { Page } from "../../../src/pages/document/pages-store.ts";
import type { Locale } from "../../../src/views/locale.ts";
import type { Look } from "../../../src/views/look-values.ts";
import { freshAddress, launchWithPort, PHONE, poll, visitor } from "../../browser/browser-kit.ts";
import { inBrowser } from "../../browser/in-browser.ts";
import { pageInLook } from "../../browser/look-pages.ts";
import { DEMO_PAGES } from "../../demo/data.ts";
import { storePage } from "../../plain-page.ts";

/** Audits of performance that come out the same on any machine. */
const STEADY = [
  ...["cumulative-layout-shift", "unsized-images", "total-byte-weight", "cache-insight"],
  ...["unminified-css", "unminified-javascript", "unused-css-rules", "unused-javascript"],
  ...["duplicated-javascript-insight", "legacy-javascript-insight", "third-parties-insight"],
  ...["font-display-insight", "image-delivery-insight", "dom-size-insight", "viewport-insight"],
];

/** The limits of a bio page without its avatar, and of one with forms. A KB is 1,000 bytes. */
const WEIGHT_BYTES_MAX = 40_000;
const FORMS_WEIGHT_BYTES_MAX = 41_000;
/** The types of requests that the page needs to be readable, by the browser's names. */
const WEIGHED = ["document", "stylesheet", "script", "font"];

// Chromium 147 aborts the navigation (ERR_ABORTED) if this category is traced and the answer has a
// Referrer-Policy. Only the audit "baseline" needs it, which has no weight in any score.
const allCategories = Trace.getDefaultTraceCategories;
Trace.getDefaultTraceCategories = () =>
  allCategories().filter((category) => category !== "blink.webdx_feature_usage");

/** One run with the preset for phones: a slow 4G line and a slow processor, both simulated. */
async function audit(url: string): Promise<Result> {
  const profile = await mkdtemp(join(tmpdir(), "sila-lighthouse-"));
  const browser = await launchWithPort(profile);
  try {
    const run = await lighthouse(url, {
      port: browser.port,
      logLevel: "error",
      onlyCategories: ["performance", "accessibility", "best-practices", "seo"],
      extraHeaders: { "CF-Connecting-IP": freshAddress() },
    });
    if (run === undefined) throw new Error("Lighthouse said nothing");
    return run.lhr;
  } finally {
    await browser.close();
    await rm(profile, { recursive: true, force: true });
  }
}

/** The category's score out of 100; without a score, 0. */
function score({ categories }: Result, category: string): number {
  return Math.round((categories[category]?.score ?? 0) * 100);
}

/** The audits that cost the category points. */
function shortfalls({ audits, categories }: Result, category: string) {
  return categories[category]?.auditRefs
    .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1)
    .map(({ id }) => ({ id, details: audits[id]?.details }));
}

/** The heaviest looks: most style sheets, the largest fonts of each script, a background with a picture. */
const HEAVY_LOOKS: readonly [Locale, Partial<Look>][] = [
  [
    "ar",
    { type: "naskh", palette: "dusk", background: "girih", accent: "#d6336c", motion: "gentle" },
  ],
  [
    "en",
    { type: "messiri", palette: "lapis", background: "waves", button: "filled", accent: "#ffcc00" },
  ],
];

inBrowser("a page on a phone", (world) => {
  test.for<[path: string, Locale, Partial<Look>]>([
    ["/demo", "ar", {}],
    ["/ar", "ar", {}],
    ["/en", "en", {}],
    ...HEAVY_LOOKS.map(([locale, look]) => ["", locale, look] as [string, Locale, Partial<Look>]),
  ])(
    "has full scores in everything that does not depend on the machine: %s %s %j",
    async ([path, locale, look]) => {
      const url = `${world.origin}${path || `/${(await pageInLook(world, look, locale)).slug}`}`;
      const result = await audit(url);
      // For example: the page never became idle.
      expect(result.runWarnings).toEqual([]);
      expect(result.configSettings).toMatchObject({
        formFactor: "mobile",
        throttlingMethod: "simulate",
      });
      for (const category of ["accessibility", "best-practices", "seo"]) {
        expect(shortfalls(result, category), category).toEqual([]);
        expect(score(result, category), category).toBe(100);
      }
      expect(STEADY.map((id) => [id, result.audits[id]?.score])).toEqual(
        STEADY.map((id) => [id, 1]),
      );
      console.info(
        `Lighthouse ${result.lighthouseVersion}, phone, ${path} ${JSON.stringify(look)}: ` +
          `performance ${score(result, "performance")}`,
      );
    },
  );

  test.each([
    ["/demo", FORMS_WEIGHT_BYTES_MAX],
    ["/no-forms", WEIGHT_BYTES_MAX],
  ])(
    "%s weighs at most %i bytes on the wire without its avatar, fonts included",
    async (path, max) => {
      // The demo page without its tip jar, file and newsletter.
      const no_forms = { ...(DEMO_PAGES[0] as Page), page_id: "no-forms", slug: "no-forms" };
      if (path === "/no-forms") await storePage(await world.server.db(), no_forms);
      await using someone = await visitor(world, PHONE);
      const { context, tab } = someone;
      const finished: Request[] = [];
      context.on("requestfinished", (request) => {
        if (WEIGHED.includes(request.resourceType())) finished.push(request);
      });
      await tab.goto(path);
      await tab.evaluate(() => document.fonts.ready);
      // The page, its style sheet, its script, and two weights of each script.
      await poll(
        () => finished.length,
        (n) => n >= 7,
      );
      expect(finished.map((request) => request.resourceType()).sort()).toEqual([
        "document",
        ...["font", "font", "font", "font"],
        "script",
        "stylesheet",
      ]);

      const weighed = await Promise.all(
        finished.map(async (request) => ({
          path: new URL(request.url()).pathname,
          bytes: (await request.sizes()).responseBodySize,
        })),
      );
      const bytes = weighed.reduce((sum, file) => sum + file.bytes, 0);
      console.info(
        `${path} weighs ${bytes} bytes on the wire: ` +
          weighed.map((file) => `${file.path} ${file.bytes}`).join(", "),
      );
      expect(bytes).toBeLessThanOrEqual(max);
    },
  );
});
