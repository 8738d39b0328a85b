/**
 * Every page that people see, in both languages, and dark in one of them: it breaks no rule of axe-core, nothing
 * sticks out of a screen of 360, 768 or 1,280 px, and what is pressed is large enough for a finger. Once, here: the
 * journeys (`test/browser/journeys.test.ts`) look at neither.
 */
import type { Page as Tab } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { pagePath } from "../../src/pages/page-address.ts";
import { TIP_TEXTS } from "../../src/tips/tip-texts.ts";
import type { Locale } from "../../src/views/locale.ts";
import { breaches } from "../browser/axe.ts";
import { DESKTOP, type Visitor, visitor } from "../browser/browser-kit.ts";
import { signIn } from "../browser/creators.ts";
import { EDITOR } from "../browser/editor-texts.ts";
import { inBrowser } from "../browser/in-browser.ts";
import { TARGET_PX_MIN, WIDTHS_PX } from "../browser/screens.ts";
import { DEMO_OWNER } from "../demo/data.ts";
import { EVERY_KIND } from "../every-kind.ts";
import { storePage } from "../plain-page.ts";
import { bytesOf, sample } from "../workers/picture-samples.ts";

/** For some twenty pages, on a machine of a quarter of the speed. */
const TIMEOUT_MS = 300_000;

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
/** To which its owner can send a tip. */
const OTHERS_PAGE = { ...EVERY_KIND, page_id: "others", slug: "others", owner_id: "demo-business" };

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
  "a tip, signed out": at(`/tip?page_id=${PAGE.page_id}&link_id=jar&points=5`),
  "a tip of no points": at(`/tip?page_id=${PAGE.page_id}&link_id=jar&points=0`),
};

const PANELS = ["links", "look", "profile", "settings", "history"] as const;

/** Opens something in a panel of the editor. What is typed stays in this browser: nothing of it is saved. */
const inEditor = (panel: string, open: Place["open"]): Place => ({
  path: (locale) => `/dashboard/pages/${PAGE.page_id}/edit?lang=${locale}#${panel}`,
  open: async (tab, locale) => {
    await tab.locator(".panel:not(:has(.editor-loading))").waitFor();
    await open?.(tab, locale);
  },
});

const press = (tab: Tab, name: string) => tab.getByRole("button", { name, exact: true }).click();

/** Opens the dialog for the avatar, and gives it this file. */
async function choosePicture(tab: Tab, file: Uint8Array): Promise<void> {
  await tab.locator(".avatar-field button").click();
  const buffer = Buffer.from(file);
  const mimeType = "application/octet-stream";
  await tab
    .locator('.picture-dialog input[type="file"]')
    .setInputFiles({ name: "file", mimeType, buffer });
}

/** What a creator sees. Operators have a sweep of their own (`operators-pages.test.ts`). */
const OWN: Record<string, Place> = {
  "the list of pages": at("/dashboard"),
  "the numbers of a month": at("/dashboard/demo?range=30d"),
  "the numbers of one link": at("/dashboard/demo?range=all&link=demo-shop"),
  "the numbers of one country": at("/dashboard/demo?range=7d&filter=country:SA"),
  "the notifications": at("/dashboard/notifications"),
  "the wallet": at("/dashboard/wallet"),
  "a tip to oneself": at(`/tip?page_id=${PAGE.page_id}&link_id=jar&points=5`),
  "a tip before it is sent": at(`/tip?page_id=${OTHERS_PAGE.page_id}&link_id=jar&points=5`),
  "a tip that was sent": {
    ...at(`/tip?page_id=${OTHERS_PAGE.page_id}&link_id=jar&points=5`),
    open: async (tab, locale) => {
      await tab.getByRole("button", { name: TIP_TEXTS[locale].send }).click();
      await tab.locator('[data-step="sent"]').waitFor();
    },
  },
  "the tips": at(`/dashboard/${PAGE.page_id}/tips`),
  "the subscribers": at(`/dashboard/${PAGE.page_id}/subscribers`),
  "the webhooks": at(`/dashboard/pages/${PAGE.page_id}/webhooks`),
  "the first page": at("/dashboard/new"),
};

/** The last two leave lines that are not added, and an empty field, which the browser would show in others, too. */
const IN_EDITOR: Record<string, Place> = {
  ...Object.fromEntries(
    PANELS.map((panel) => [
      `the editor's ${panel}`,
      inEditor(panel, async (tab) => {
        if (panel === "history") await tab.locator(".sitting").first().waitFor();
      }),
    ]),
  ),
  "the dialog for sharing": inEditor("links", async (tab, locale) => {
    await press(tab, EDITOR[locale].EDITOR_TEXTS.share);
    await tab.locator("dialog.share").waitFor();
  }),
  "a file that is no picture": inEditor("profile", async (tab) => {
    await choosePicture(tab, bytesOf("words"));
    await tab.locator(".picture-dialog [role=alert]").waitFor();
  }),
  "a picture before it is used": inEditor("profile", async (tab) => {
    await choosePicture(tab, sample("jpeg"));
    await tab.locator(".crop-stage").waitFor();
  }),
  "suggestions for missing texts": inEditor("settings", async (tab, locale) => {
    await press(tab, EDITOR[locale].AI_TEXTS.fill);
    await tab.locator(".offer").first().waitFor();
  }),
  "the undo of a deletion": inEditor("settings", async (tab, locale) => {
    const { confirm, start } = EDITOR[locale].SETTINGS_TEXTS.deletion;
    // Answered here, so that the page is there for whatever comes next.
    const saved = { ...PAGE, version: 2, ends_at: new Date(Date.now() + 1_000_000).toISOString() };
    await tab.route("**/api/me/pages/*", (route) =>
      route.fulfill({ json: { ok: true, page: saved } }),
    );
    await press(tab, start);
    await press(tab, confirm);
    await tab.locator("dialog.deleted").waitFor();
    await tab.unroute("**/api/me/pages/*");
  }),
  "a download in the editor": inEditor("links", async (tab, locale) => {
    await press(tab, EDITOR[locale].LINKS_TEXTS.kinds.download);
    await tab.locator(".download-form").waitFor();
  }),
  "the dialog for files": inEditor("links", async (tab, locale) => {
    await press(tab, EDITOR[locale].LINKS_TEXTS.kinds.download);
    await press(tab, EDITOR[locale].FILES_TEXTS.choose_file);
    await tab.locator(".files-dialog .files-space").waitFor();
  }),
  "a link in the editor with its times, and lines that ask what they are": inEditor(
    "links",
    async (tab) => {
      await tab.locator('.panel [aria-expanded="false"]').first().click();
      await tab.locator(".row-form .schedule summary").click();
      await tab.locator("#add-links").fill("@layan\n0501234567\nwords\njavascript:1");
      await tab.locator(".found").waitFor();
    },
  ),
  "a page without a name in the editor": inEditor("profile", async (tab, locale) => {
    const { PROFILE_TEXTS: texts } = EDITOR[locale];
    await tab.getByLabel(texts.in(texts.name, "ar"), { exact: true }).fill("");
    await tab.getByText(texts.no_name).waitFor();
  }),
};

/** What sticks out of the window, or is too small for a finger. */
function misfits(tab: Tab): Promise<string[]> {
  return tab.evaluate((least) => {
    const found: string[] = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) found.push(`wider by ${scrollWidth - clientWidth} px`);
    for (const element of document.querySelectorAll(
      "button, nav a, summary, a.button, .foot a, .swatches > label, .links-panel .input",
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
    const db = await world.server.db();
    for (const page of [PAGE, OTHERS_PAGE]) await storePage(db, page);
  });

  const KINDS = [
    ["of the public", PUBLIC, null],
    ["of creators", OWN, DEMO_OWNER],
    ["of the editor", IN_EDITOR, DEMO_OWNER],
  ] as const;
  /** Colours do not depend on the language. */
  const DRESSES = [
    { locale: "ar", colorScheme: "light" },
    { locale: "ar", colorScheme: "dark" },
    { locale: "en", colorScheme: "light" },
  ] as const;
  const ALL = KINDS.flatMap(([whose, places, user_id]) =>
    DRESSES.map((dress) => ({ whose, places, user_id, ...dress })),
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
