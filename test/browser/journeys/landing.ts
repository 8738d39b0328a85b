/** The landing page: its first screen, its live example, its weight, the way to a page of one's own, and the manifest. */
import type { Page as Tab } from "playwright-core";
import { type ExpectStatic, test } from "vitest";
import { LOCALES, type Locale } from "../../../src/views/locale.ts";
import { DESKTOP, PHONE, type Visitor, visitor, type World } from "../browser-kit.ts";
import { creator } from "../creators.ts";

/** The page with its fonts and with the example that is shown first. A KB is 1,000 bytes. */
const WEIGHT_BYTES_MAX = 100_000;
/** A small phone, of which the browser's bars have taken their part. */
const SMALL_PHONE = { width: 360, height: 740 };
/** What there is on the first screen. */
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

/** The bytes on the wire of each path that a browser loads. */
function weigh({ context }: Visitor): Map<string, Promise<number>> {
  const sizes = new Map<string, Promise<number>>();
  context.on("requestfinished", (request) => {
    const { pathname } = new URL(request.url());
    // The example asks again for what the page has: from the browser's cache, with no size.
    if (sizes.has(pathname)) return;
    const size = request.sizes().then(({ responseBodySize }) => responseBodySize);
    sizes.set(pathname, size);
  });
  return sizes;
}

/** The manifest as Chromium parsed it. */
interface ParsedManifest {
  name?: string;
  startUrl?: string;
  display?: string;
  icons?: { url: string; sizes?: string; type?: string }[];
  preferRelatedApplications?: boolean;
}

/**
 * The reasons for which Chromium would not offer to install the site, by the criteria of
 * web.dev/articles/install-criteria. The headless build's `Page.getInstallabilityErrors` is always empty.
 */
function obstacles(manifest: ParsedManifest): string[] {
  const sides = (manifest.icons ?? []).map(({ sizes = "" }) => Number.parseInt(sizes, 10));
  const wanted: [string, boolean][] = [
    ["a name", !!manifest.name],
    ["a start URL", !!manifest.startUrl],
    ["a window of its own", ["kStandalone", "kMinimalUi"].includes(manifest.display ?? "")],
    ["an icon of 192 pixels", sides.includes(192)],
    ["an icon of 512 pixels", sides.includes(512)],
    ["no other app preferred", manifest.preferRelatedApplications === false],
  ];
  return wanted.filter(([, there]) => !there).map(([what]) => what);
}

/** The manifest of the page in this tab, and the sizes of its icons. */
async function manifestOf({ context, tab }: Visitor) {
  const devtools = await context.newCDPSession(tab);
  const { url, errors, ...answer } = await devtools.send("Page.getAppManifest");
  const manifest = "manifest" in answer ? (answer.manifest as ParsedManifest) : {};
  const addresses = manifest.icons?.map((icon) => icon.url) ?? [];
  const sizes = await tab.evaluate(async (icons) => {
    const shown = icons.map(async (src) => {
      const picture = Object.assign(new Image(), { src });
      await picture.decode();
      return `${picture.naturalWidth}x${picture.naturalHeight}`;
    });
    return Promise.all(shown);
  }, addresses);
  return { url, errors, manifest, sizes };
}

export function landingJourneys(world: World): void {
  /** On a small phone, in the browser's language; in double size the words still fit. */
  const see = async (locale: Locale, expect: ExpectStatic) => {
    const other = locale === "ar" ? "en" : "ar";
    await using someone = await visitor(world, {
      ...PHONE,
      viewport: SMALL_PHONE,
      locale: locale === "ar" ? "ar-EG" : "en-GB",
    });
    const { tab } = someone;
    const sizes = weigh(someone);
    // In the browser's language.
    await tab.goto("/");
    const root = tab.locator("html");
    expect(await root.getAttribute("lang")).toBe(locale);
    expect(await root.getAttribute("dir")).toBe(locale === "ar" ? "rtl" : "ltr");
    await tab.evaluate(() => document.fonts.ready);
    for (const box of await boxes(tab, FIRST)) {
      expect(box.top, box.what).toBeGreaterThanOrEqual(0);
      expect(box.bottom, box.what).toBeLessThanOrEqual(SMALL_PHONE.height);
    }

    await tab.locator(".phone").scrollIntoViewIfNeeded();
    await expect.poll(() => [...sizes.keys()].join(" ")).toContain("shelf-");
    await tab.waitForLoadState("networkidle");
    const weighed = await Promise.all(
      [...sizes].map(async ([path, size]): Promise<[string, number]> => [path, await size]),
    );
    const bytes = weighed.reduce((sum, [, size]) => sum + size, 0);
    console.info(`/${locale} weighs ${bytes} bytes on the wire: ${weighed.join(" ")}`);
    expect(weighed.filter(([path]) => path.startsWith("/example/"))).toHaveLength(1);
    expect(bytes).toBeLessThanOrEqual(WEIGHT_BYTES_MAX);

    await root.evaluate((html) => html.style.setProperty("font-size", "200%", "important"));
    await tab.evaluate(() => document.fonts.ready);
    expect(await root.evaluate((html) => html.scrollWidth)).toBe(SMALL_PHONE.width);

    await tab.locator(".bar nav a").tap();
    await tab.waitForURL(`**/${other}`);
    expect(await root.getAttribute("lang")).toBe(other);
    // No console error, no CSP violation, no cookie, no request to another origin.
    expect(await someone.complaints()).toEqual([]);
  };

  /** Without a script. */
  const begin = async (locale: Locale, expect: ExpectStatic) => {
    await using someone = await creator(
      world,
      { ...DESKTOP, javaScriptEnabled: false },
      { is_signed_in: false },
    );
    const { tab } = someone;
    await tab.goto(`/${locale}`);
    const shown = () => tab.locator(SHOWN).getAttribute("src");
    expect(await shown()).toMatch(new RegExp(`^/example/${locale}/`));
    await tab.locator(".swatches > label").nth(2).click();
    expect(await shown()).toBe(`/example/${locale}/rosewater`);
    const name = tab.frameLocator(SHOWN).locator("h1");
    await expect.poll(() => name.isVisible()).toBe(true);
    await tab.keyboard.press("ArrowDown");
    await expect.poll(shown).not.toBe(`/example/${locale}/rosewater`);
    expect(await tab.locator(SHOWN).count()).toBe(1);

    const slug = locale === "ar" ? "ليلى-الخزافة" : "layla-the-potter";
    await tab.locator("#slug").fill(slug);
    await tab.locator(".begin .button").click();
    await tab.waitForURL("**/sign-in?**");
    await tab.locator(`button[name="account"][value="${someone.user_id}"]`).click();
    await tab.waitForURL("**/dashboard/new?**");
    const { searchParams } = new URL(tab.url());
    expect([searchParams.get("slug"), searchParams.get("lang")]).toEqual([slug, locale]);
    expect(await tab.locator("#start #slug").inputValue()).toBe(slug);
  };

  test.for(LOCALES)(
    "the landing page has all that matters on the first screen, is light, and without a script shows its looks and leads to a page of the wished address, in %s",
    async (locale, { expect }) => {
      await Promise.all([see(locale, expect), begin(locale, expect)]);
    },
  );

  test("the landing page is walked through by keyboard past the phone, and can be installed, by Chromium's criteria", async ({
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
    // Its name, the other language, the way in, the address, the button, the looks, the end, two links.
    expect(reached.slice(0, 9)).toEqual([..."AAA", "INPUT", "BUTTON", "INPUT", ..."AAA"]);
    expect(reached).not.toContain("IFRAME");

    const { url, errors, manifest, sizes } = await manifestOf(someone);
    expect([url, errors]).toEqual([`${world.origin}/manifest.json`, []]);
    expect(obstacles(manifest)).toEqual([]);
    expect(manifest).toMatchObject({ name: "صلة · Sila", display: "kStandalone" });
    expect(manifest.icons?.map((icon) => icon.sizes)).toEqual(sizes);
    expect(await someone.complaints()).toEqual([]);

    // A creator's page is not ours to install.
    await tab.goto("/demo");
    expect((await manifestOf(someone)).url).toBe("");
    // The criteria find what is missing.
    const contentType = "application/manifest+json";
    await context.route("**/manifest.json", (route) =>
      route.fulfill({ contentType, body: '{"name": 3, "display": "door"}' }),
    );
    await tab.goto("/ar");
    const broken = await manifestOf(someone);
    expect(broken.errors).toHaveLength(2);
    expect(obstacles(broken.manifest)).toEqual([
      "a name",
      "a window of its own",
      "an icon of 192 pixels",
      "an icon of 512 pixels",
    ]);
  });
}
