/**
 * Every page that people see, in both languages and both colour schemes: it breaks no rule of axe-core, nothing
 * sticks out of a screen of 360, 768 or 1,280 px, and what is pressed is large enough for a finger. Once, here: the
 * journeys (`test/browser/journeys.test.ts`) look at neither.
 */
import type { Page as Tab } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { pagePath } from "../../src/pages/page-address.ts";
import { breaches } from "../browser/axe.ts";
import { DESKTOP, type Visitor, visitor } from "../browser/browser-kit.ts";
import { signIn } from "../browser/creators.ts";
import { EDITOR } from "../browser/editor-texts.ts";
import { inBrowser } from "../browser/in-browser.ts";
import { SCHEMES, TARGET_PX_MIN, WIDTHS_PX } from "../browser/screens.ts";
import { DEMO_OWNER } from "../demo/data.ts";
import { EVERY_KIND } from "../every-kind.ts";
import { storePage } from "../plain-page.ts";

/** For some twenty pages, on a machine of a quarter of the speed. */
const TIMEOUT_MS = 300_000;

const LOCALES = ["ar", "en"] as const;
type Locale = (typeof LOCALES)[number];

interface Place {
  /** Where it is. */
  path: (locale: Locale) => string;
  /** What opens after the page has loaded. */
  open?: (tab: Tab, locale: Locale) => Promise<void>;
  status?: number;
}

const at = (path: string): Place => ({
  path: (locale) => `${path}${path.includes("?") ? "&" : "?"}lang=${locale}`,
});

const PAGE = { ...EVERY_KIND, owner_id: DEMO_OWNER };

/** What everybody sees. */
const PUBLIC: Record<string, Place> = {
  "the landing page": { path: (locale) => `/${locale}` },
  "the documentation": { path: (locale) => `/docs/${locale}` },
  "an example": { path: (locale) => `/example/${locale}/lapis` },
  "the status": { path: (locale) => `/status/${locale}` },
  "a page of every kind of link": { path: (locale) => pagePath(PAGE, locale) },
  "a page that is not there": { path: (locale) => `/nobody-here?lang=${locale}`, status: 404 },
  "the dashboard, signed out": { ...at("/dashboard"), status: 401 },
  "signing in": at("/api/auth/login"),
};

const PANELS = ["links", "look", "profile", "settings", "history"];

/** What a creator sees. Operators have a sweep of their own (`operators-pages.test.ts`). */
const OWN: Record<string, Place> = {
  "the list of pages": at("/dashboard"),
  "the numbers of a month": at("/dashboard/demo?range=30d"),
  "the numbers of one link": at("/dashboard/demo?range=all&link=demo-shop"),
  "the numbers of one country": at("/dashboard/demo?range=7d&filter=country:SA"),
  "the notifications": at("/dashboard/notifications"),
  "the wallet": at("/dashboard/wallet"),
  "a tip before it is sent": at(`/tip?page_id=${PAGE.page_id}&link_id=jar&points=5`),
  "the tips": at(`/dashboard/${PAGE.page_id}/tips`),
  "the subscribers": at(`/dashboard/${PAGE.page_id}/subscribers`),
  "the webhooks": at(`/dashboard/pages/${PAGE.page_id}/webhooks`),
  "the first page": at("/dashboard/new"),
  ...Object.fromEntries(
    PANELS.map((panel): [string, Place] => [
      `the editor's ${panel}`,
      {
        path: (locale) => `/dashboard/pages/${PAGE.page_id}/edit?lang=${locale}#${panel}`,
        open: (tab) => tab.locator(".panel:not(:has(.editor-loading))").waitFor(),
      },
    ]),
  ),
  "a link in the editor": {
    path: (locale) => `/dashboard/pages/${PAGE.page_id}/edit?lang=${locale}`,
    open: async (tab) => {
      await tab.locator('.panel [aria-expanded="false"]').first().click();
      await tab.locator(".row-form").waitFor();
    },
  },
  "the dialog for sharing": {
    path: (locale) => `/dashboard/pages/${PAGE.page_id}/edit?lang=${locale}#links`,
    open: async (tab, locale) => {
      await tab.getByRole("button", { name: EDITOR[locale].EDITOR_TEXTS.share }).click();
      await tab.locator("dialog.share").waitFor();
    },
  },
};

/** What sticks out of the window, or is too small for a finger. */
function misfits(tab: Tab): Promise<string[]> {
  return tab.evaluate((least) => {
    const found: string[] = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) found.push(`wider by ${scrollWidth - clientWidth} px`);
    for (const element of document.querySelectorAll(
      "button, nav a, summary, a.button, .foot a, .swatches > label",
    )) {
      const { height } = element.getBoundingClientRect();
      if (height === 0 || element.closest(".skip, .sr") !== null) continue;
      if (Math.round(height) < least) {
        found.push(`${height} px high: ${element.className} ${element.textContent?.slice(0, 30)}`);
      }
    }
    return found;
  }, TARGET_PX_MIN);
}

inBrowser("every page", (world) => {
  beforeAll(async () => {
    await storePage(await world.server.db(), PAGE);
  });

  const KINDS = [
    ["of the public", PUBLIC, null],
    ["of creators", OWN, DEMO_OWNER],
  ] as const;
  const ALL = KINDS.flatMap(([whose, places, user_id]) =>
    LOCALES.flatMap((locale) =>
      SCHEMES.map((colorScheme) => ({ whose, places, user_id, locale, colorScheme })),
    ),
  );

  test.for(ALL)(
    "$whose, in $locale, $colorScheme, breaks no rule and fits",
    { timeout: TIMEOUT_MS },
    async ({ places, user_id, locale, colorScheme }) => {
      // Only to inject axe: the pages' CSP allows no other script.
      await using someone: Visitor = await visitor(world, {
        ...DESKTOP,
        colorScheme,
        bypassCSP: true,
      });
      if (user_id !== null) await signIn(world, someone, user_id);
      const { tab } = someone;
      const faults: Record<string, unknown> = {};
      for (const [name, { path, open, status = 200 }] of Object.entries(places)) {
        // Only the fragment of some differs.
        await tab.goto("about:blank");
        const response = await tab.goto(path(locale));
        expect([name, response?.status()]).toEqual([name, status]);
        await open?.(tab, locale);
        const broken = await breaches(tab);
        if (broken.length > 0) faults[`${name}: axe`] = broken;
        // Colours alone differ.
        if (colorScheme === "dark") continue;
        for (const width of WIDTHS_PX) {
          await tab.setViewportSize({ width, height: 800 });
          const found = await misfits(tab);
          if (found.length > 0) faults[`${name}: ${width} px`] = found;
        }
      }
      expect(faults).toEqual({});
    },
  );
});
