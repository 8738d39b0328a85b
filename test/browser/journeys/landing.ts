/** The landing page: its first screen, its live example, its weight, the way to a page of one's own, and the manifest. */
import type { Locator, Request, Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { LOCALES } from "../../../src/views/locale.ts";
import { DESKTOP, PHONE, type Visitor, visitor, type World } from "../browser-kit.ts";
import { creator } from "../creators.ts";
import { eventually } from "./eventually.ts";

/** The page with its fonts and with the example that is shown first. A KB is 1,000 bytes. */
const WEIGHT_BYTES_MAX = 100_000;
/** A small phone, of which the browser's bars have taken their part. */
const SMALL_PHONE = { width: 360, height: 740 };
const FIRST = "h1, .hero .lede, .begin .button, .bar a";
const SHOWN = ".phone > iframe:visible";

function boxes(tab: Tab, selector: string) {
  return tab.locator(selector).evaluateAll((all) =>
    all.map((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return { what: element.outerHTML.slice(0, 80), top, bottom };
    }),
  );
}

/** The first request for each path, as it ends. A later one is answered from the browser's cache, with no size. */
function requestsOf({ context }: Visitor): Map<string, Request> {
  const requests = new Map<string, Request>();
  context.on("requestfinished", (request) => {
    const { pathname } = new URL(request.url());
    if (!requests.has(pathname)) requests.set(pathname, request);
  });
  return requests;
}

/**
 * Waits for all that the page and the example shown have loaded. Not for a quiet network, which Chromium
 * does not always report.
 */
async function arrived(tab: Tab, requests: Map<string, Request>): Promise<void> {
  const shown = tab.frameLocator(SHOWN).locator("html");
  await expect.poll(() => shown.evaluate(() => document.readyState)).toBe("complete");
  const loaded = async (root: Locator) =>
    root.evaluate(async () => {
      await document.fonts.ready;
      const entries = [
        ...performance.getEntriesByType("navigation"),
        ...performance.getEntriesByType("resource"),
      ];
      return entries.map(({ name }) => new URL(name).pathname);
    });
  for (const root of [tab.locator("html"), shown]) {
    await expect
      .poll(async () => (await loaded(root)).filter((path) => !requests.has(path)))
      .toEqual([]);
  }
}

function weigh(requests: Map<string, Request>): Promise<[path: string, bytes: number][]> {
  return Promise.all(
    [...requests].map(
      async ([path, request]): Promise<[string, number]> => [
        path,
        (await request.sizes()).responseBodySize,
      ],
    ),
  );
}

export function landingJourneys(world: World): void {
  test.for(LOCALES)(
    "the landing page has all that matters on a small phone's first screen, is light, and fits in double size, in %s",
    async (locale, { expect }) => {
      const other = locale === "ar" ? "en" : "ar";
      await using someone = await visitor(world, {
        ...PHONE,
        viewport: SMALL_PHONE,
        locale: locale === "ar" ? "ar-EG" : "en-GB",
      });
      const { tab } = someone;
      const requests = requestsOf(someone);
      // In the browser's language.
      await tab.goto("/");
      const root = tab.locator("html");
      await eventually(() => root.getAttribute("lang"), locale);
      await eventually(() => root.getAttribute("dir"), locale === "ar" ? "rtl" : "ltr");
      await tab.evaluate(() => document.fonts.ready);
      for (const box of await boxes(tab, FIRST)) {
        expect(box.top, box.what).toBeGreaterThanOrEqual(0);
        expect(box.bottom, box.what).toBeLessThanOrEqual(SMALL_PHONE.height);
      }

      await tab.locator(".phone").scrollIntoViewIfNeeded();
      await expect.poll(() => [...requests.keys()].join(" ")).toContain("shelf-");
      await arrived(tab, requests);
      const weighed = await weigh(requests);
      const bytes = weighed.reduce((sum, [, size]) => sum + size, 0);
      console.info(`/${locale} weighs ${bytes} bytes on the wire: ${weighed.join(" ")}`);
      expect(weighed.filter(([path]) => path.startsWith("/example/"))).toHaveLength(1);
      expect(bytes).toBeLessThanOrEqual(WEIGHT_BYTES_MAX);

      await root.evaluate((html) => html.style.setProperty("font-size", "200%", "important"));
      await tab.evaluate(() => document.fonts.ready);
      expect(await root.evaluate((html) => html.scrollWidth)).toBe(SMALL_PHONE.width);

      await tab.locator(".bar nav a").tap();
      await tab.waitForURL(`**/${other}`);
      await eventually(() => root.getAttribute("lang"), other);
      expect(await someone.complaints()).toEqual([]);
    },
  );

  test("without a script the landing page shows its looks and leads to a page of the wished address", async ({
    expect,
  }) => {
    await using someone = await creator(
      world,
      { ...DESKTOP, javaScriptEnabled: false },
      { is_signed_in: false },
    );
    const { tab } = someone;
    await tab.goto("/ar");
    const shown = () => tab.locator(SHOWN).getAttribute("src");
    expect(await shown()).toMatch(/^\/example\/ar\//);
    await tab.locator(".swatches > label").nth(2).click();
    expect(await shown()).toBe("/example/ar/rosewater");
    const name = tab.frameLocator(SHOWN).locator("h1");
    await expect.poll(() => name.isVisible()).toBe(true);
    await tab.keyboard.press("ArrowDown");
    await expect.poll(shown).not.toBe("/example/ar/rosewater");
    expect(await tab.locator(SHOWN).count()).toBe(1);

    const slug = "ليلى-الخزافة";
    await tab.locator("#slug").fill(slug);
    await tab.locator(".begin .button").click();
    await tab.waitForURL("**/sign-in?**");
    await tab.locator(`button[name="account"][value="${someone.user_id}"]`).click();
    await tab.waitForURL("**/dashboard/new?**");
    const { searchParams } = new URL(tab.url());
    expect([searchParams.get("slug"), searchParams.get("lang")]).toEqual([slug, "ar"]);
    await eventually(() => tab.locator("#start #slug").inputValue(), slug);
  });

  test("the landing page is walked through by keyboard past the phone, and Chromium reads its manifest", async ({
    expect,
  }) => {
    await using someone = await visitor(world, DESKTOP);
    const { context, tab } = someone;
    await tab.goto("/ar");
    await tab.locator(SHOWN).waitFor();
    const reached: string[] = [];
    for (let presses = 0; presses < 10; presses += 1) {
      await tab.keyboard.press("Tab");
      reached.push(await tab.evaluate(() => document.activeElement?.tagName ?? ""));
    }
    expect(reached.slice(0, 9)).toEqual([..."AAA", "INPUT", "BUTTON", "INPUT", ..."AAA"]);
    expect(reached).not.toContain("IFRAME");

    const devtools = await context.newCDPSession(tab);
    const { url, errors } = await devtools.send("Page.getAppManifest");
    expect([url, errors]).toEqual([`${world.origin}/manifest.json`, []]);
    expect(await someone.complaints()).toEqual([]);
  });
}
