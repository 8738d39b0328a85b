/**
 * `npm run looks`: draws what is committed of looks, in the Chromium and from the Worker of the tests.
 *
 * - docs/looks-ar.webp and docs/looks-en.webp: the example page in every preset, on a desktop and on a
 *   phone in both schemes; docs/looks.md, which shows them.
 * - src/client/cards: the pictures of the landing page's link previews. Run `npm run build` afterwards.
 *
 * The same sources and the same Chromium give the same pixels.
 */
import type { BrowserContextOptions, Page as Tab } from "playwright-core";
import { LOCALES, type Locale } from "../../src/views/locale.ts";
import { PRESETS } from "../../src/views/presets.ts";
import { startWorld, visitor, type World } from "../browser/browser-kit.ts";
import { webpOf, write } from "./drawn.ts";
import { looksMarkdown, SHEETS } from "./looks-document.ts";
import { SHEET_WIDTH_PX, type Shots, sheetHtml } from "./sheet.ts";

/** Of link previews, as Facebook, WhatsApp and X ask for them. */
const CARD = { width: 1200, height: 630 };
const DESKTOP = { width: 1120, height: 1160 };
const PHONE = { width: 390, height: 1160 };
/** Keeps a sheet below 600 KB. */
const WEBP_QUALITY = 78;
const JPEG_QUALITY = 88;

/** Only to add the card's rules to the page: the CSP allows no style of another origin. */
const UNBOUND: BrowserContextOptions = { bypassCSP: true };

/** The first screen of the landing page, without what can be used. */
const CARD_STYLE = `
  html { overflow: hidden; }
  nav, .bar .quiet, .begin, .example > legend, .try, .swatches { display: none !important; }
  .bar { position: absolute; inset-block-start: 3.25rem; padding: 0; }
  .bar, .home { inline-size: 66rem; }
  .name { font-size: 2rem; }
  .name .mark { inline-size: 2.75rem; block-size: 2.75rem; }
  .home { display: block; padding: 0; }
  .home > :not(.hero) { display: none; }
  .hero { block-size: 630px; grid-template-columns: minmax(0, 1fr) 320px; align-items: center; }
  .pitch { padding-block-start: 4rem; }
  h1 { font-size: 3.75rem; }
  .lede { font-size: 1.375rem; }
  .example { align-self: start; margin-block-start: 4rem; }
`;

const world = await startWorld();
try {
  for (const locale of LOCALES) {
    await write(`src/client/cards/card-${locale}.jpg`, await card(world, locale));
  }
  for (const locale of LOCALES) await write(SHEETS[locale], await sheet(world, locale));
  await write("docs/looks.md", looksMarkdown());
} finally {
  await world.close();
}

async function shoot(
  world: World,
  paths: readonly string[],
  device: BrowserContextOptions,
): Promise<Buffer[]> {
  await using someone = await visitor(world, { reducedMotion: "reduce", ...device });
  const shots: Buffer[] = [];
  for (const path of paths) {
    await someone.tab.goto(path, { waitUntil: "networkidle" });
    await settle(someone.tab);
    shots.push(await someone.tab.screenshot());
  }
  return shots;
}

/** Waits for fonts and pictures. Not for those in frames, of which most are not displayed. */
async function settle(tab: Tab): Promise<void> {
  await tab.evaluate(async () => {
    await document.fonts.ready;
    await Promise.all([...document.images].map((image) => image.decode()));
  });
}

async function sheet(world: World, locale: Locale): Promise<Buffer> {
  const paths = PRESETS.map(({ id }) => `/example/${locale}/${id}`);
  const shots: Shots = {
    desktop: await shoot(world, paths, { viewport: DESKTOP, colorScheme: "light" }),
    light: await shoot(world, paths, { viewport: PHONE, colorScheme: "light" }),
    dark: await shoot(world, paths, { viewport: PHONE, colorScheme: "dark" }),
  };
  const viewport = { width: SHEET_WIDTH_PX, height: 800 };
  await using someone = await visitor(world, { ...UNBOUND, viewport, colorScheme: "light" });
  const { tab } = someone;
  // A page of this origin, which may load its fonts.
  await tab.goto(`/${locale}`);
  const bio_css = await tab.locator('link[href*="/bio-"]').getAttribute("href");
  await tab.setContent(sheetHtml(locale, shots, bio_css ?? ""));
  await settle(tab);
  const height = await tab.evaluate(() => document.documentElement.scrollHeight);
  const size = { width: SHEET_WIDTH_PX, height, scale: 1 };
  return webpOf(tab, { ...size, quality: WEBP_QUALITY, captureBeyondViewport: true });
}

async function card(world: World, locale: Locale): Promise<Buffer> {
  const device = { ...UNBOUND, viewport: CARD, colorScheme: "light" } as const;
  await using someone = await visitor(world, { ...device, reducedMotion: "reduce" });
  const { tab } = someone;
  await tab.goto(`/${locale}`, { waitUntil: "networkidle" });
  await tab.addStyleTag({ content: CARD_STYLE });
  await settle(tab);
  return await tab.screenshot({ type: "jpeg", quality: JPEG_QUALITY });
}
