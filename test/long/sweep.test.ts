/**
 * Every page that people see, in both languages, and dark in one of them: it breaks no rule of axe-core, nothing
 * sticks out of a screen of 360, 768 or 1,280 px, and what is pressed is large enough for a finger. Once, here: the
 * journeys (`test/browser/journeys.test.ts`) look at neither. Operators' pages (S36) have long and hostile texts.
 */
import { type Browser, chromium, type Page as Tab } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MONITOR } from "../../objects/flush/flush-reports.ts";
import type { MonitorBook } from "../../objects/monitor/monitor-book.ts";
import { probed } from "../../objects/monitor/sample.ts";
import { TIP_TEXTS } from "../../src/blocks/tips/tip-texts.ts";
import { API_VERSION, API_VERSION_HEADER } from "../../src/http/endpoints.ts";
import { pagePath } from "../../src/pages/document/page-address.ts";
import type { Locale } from "../../src/views/locale.ts";
import { breaches } from "../browser/axe.ts";
import {
  CHROMIUM_ARGS,
  chromiumPath,
  DESKTOP,
  HAS_CHROMIUM,
  PHONE,
  type Visitor,
  visitor,
  type World,
} from "../browser/browser-kit.ts";
import { demoOwner, signIn } from "../browser/creators.ts";
import { EDITOR } from "../browser/editor-texts.ts";
import { inBrowser, START_TIMEOUT_MS } from "../browser/in-browser.ts";
import { TARGET_PX_MIN, WIDTHS_PX } from "../browser/screens.ts";
import { DEMO_OWNER } from "../demo/data.ts";
import { EVERY_KIND } from "../every-kind.ts";
import { plainPage, storePage } from "../plain-page.ts";
import { bytesOf, sample } from "../workers/authoring/pictures/picture-samples.ts";
import { ACCOUNT_PAGES, OPERATOR_COOKIE, startAccounts } from "./accounts-kit.ts";

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

/** With all that can be unfolded. */
const unfolded = (place: Place): Place => ({
  ...place,
  open: (tab) =>
    tab.locator("main details, .fold").evaluateAll((all) => {
      for (const one of all) one.setAttribute("open", "");
    }),
});

const PAGE = { ...EVERY_KIND, owner_id: DEMO_OWNER };
/** To which its owner can send a tip. */
const OTHERS_PAGE = { ...EVERY_KIND, page_id: "others", slug: "others", owner_id: "demo-business" };

/** What everybody sees. */
const PUBLIC: Record<string, Place> = {
  "the landing page": { path: (locale) => `/${locale}` },
  "the documentation": unfolded({ path: (locale) => `/docs/${locale}` }),
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

/** What a creator sees. */
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
    const headers = { [API_VERSION_HEADER]: API_VERSION };
    await tab.route("**/api/me/pages/*", (route) =>
      route.fulfill({ headers, json: { ok: true, page: saved } }),
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
      await tab.locator(".found-line").first().waitFor();
    },
  ),
  "a page without a name in the editor": inEditor("profile", async (tab, locale) => {
    const { PROFILE_TEXTS: texts } = EDITOR[locale];
    await tab.getByLabel(texts.in(texts.name, "ar"), { exact: true }).fill("");
    await tab.getByText(texts.no_name).waitFor();
  }),
};

const WATCHED_ID = "looked-at-with-a-rather-long-id-of-its-own";

const OPERATORS: Record<string, Place> = Object.fromEntries(
  [
    ...["/admin", "/admin/errors", "/admin/errors/long"],
    ...["/admin/pages", "/admin/pages?q=nobody", `/admin/pages/${WATCHED_ID}`],
  ].map((path) => [path, at(path)]),
);

const COMPONENTS = [
  ["d1", true],
  ["kv", true],
  ["r2", true],
  ["hub", false],
  ["config", true],
  ["objects", true],
] as const;
const EVIL = "<script>document.title = 'owned'</script>";

/** Each state that the pages can show, with texts that are long and hostile. */
async function fill({ server }: World): Promise<void> {
  const db = await server.db();
  const page = plainPage({
    page_id: WATCHED_ID,
    name: `${EVIL}${"طويل".repeat(30)}`,
    slug: "looked-at",
  });
  await storePage(db, page);
  const message = `TypeError: ${EVIL} ${"unbreakable".repeat(40)}`;
  await db
    .prepare("INSERT INTO errors VALUES ('long', 1, ?1, 12345, 'error', ?2, ?3, ?4, '/looked-at')")
    .bind(Date.now(), message, `${message}\n  at f (a.js:1)\n`.repeat(20), WATCHED_ID)
    .run();
  const known = { version: 12_345, tips: 1_234, subscribers: 20_000 };
  const survey = {
    ...{ noticed_at: Date.now(), minutes_back: 43_200, notes_after: null, pages_after: null },
    ...{ asked: 12_345, unanswered: 12, more: 345 },
    known: [WATCHED_ID, "lost-with-a-rather-long-id-of-its-own"].map((page_id) => ({
      page_id,
      ...known,
    })),
  };
  await (await server.media()).put("d1-restored.json", JSON.stringify(survey));
  const { miniflare } = server.workerd;
  const namespace = await miniflare.getDurableObjectNamespace("MONITOR");
  const monitor = namespace.getByName(MONITOR) as unknown as MonitorBook;
  for (let n = 0; n < 3; n += 1) {
    await monitor.measured({
      sample: {
        ...Object.assign(
          {},
          ...COMPONENTS.map(([name, ok]) => probed(name, { ok, latency_ms: 12 })),
        ),
        "max.mail": 900,
        "max.db_bytes": 123_456_789,
        "responses.5xx": 3,
      },
      mail_per_day: 1_000,
    });
  }
  await monitor.counted({ sample: {}, pages: { [WATCHED_ID]: 9, demo: 3 } });
  for (let n = 0; n < 12; n += 1) {
    await monitor.flushed({
      page_id: n === 0 ? WATCHED_ID : `late-${n}`,
      due_at: Date.now() - (n + 2) * 61_000,
      again_by: Date.now() + 3_600_000,
      failures: 2,
      cause: `D1_ERROR: ${"overloaded".repeat(12)}`,
    });
  }
}

/** What sticks out of the window, is too small for a finger, or is a heading with a broken word. */
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
    for (const heading of document.querySelectorAll("th")) {
      const range = document.createRange();
      range.selectNodeContents(heading);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
      const words = heading.textContent.split(" ").length;
      if (lines > words) found.push(`broken: ${heading.textContent}`);
    }
    return found;
  }, TARGET_PX_MIN);
}

const STOPS = "a, button, summary, input:not([type=hidden]), textarea, pre[tabindex]";

/** Where everything is that the tab key reaches. Of radio buttons it is the pressed one, seen at its label. */
function stopsOn(tab: Tab): Promise<number[]> {
  return tab.locator(STOPS).evaluateAll((all) =>
    all.flatMap((element) => {
      const radio =
        element instanceof HTMLInputElement && element.type === "radio" ? element : null;
      const shown = radio?.labels?.item(0) ?? element;
      const { top, height } = shown.getBoundingClientRect();
      const is_stop = radio === null || radio.checked;
      const is_seen = height > 0 && shown.checkVisibility({ visibilityProperty: true });
      return is_stop && is_seen ? [top] : [];
    }),
  );
}

/** What the tab key reaches next: its place among all that it may reach, and the width of its outline. */
async function focused(tab: Tab): Promise<{ place: number; outline_px: number }> {
  await tab.keyboard.press("Tab");
  return tab.evaluate((stops) => {
    const element = document.activeElement ?? document.body;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return {
      place: [...document.querySelectorAll(stops)].indexOf(element),
      outline_px: outlineStyle === "none" ? 0 : Number.parseFloat(outlineWidth),
    };
  }, STOPS);
}

const ascending = (numbers: readonly number[]) => numbers.toSorted((one, other) => one - other);

/** Colours do not depend on the language. */
const DRESSES = [
  { locale: "ar", colorScheme: "light" },
  { locale: "ar", colorScheme: "dark" },
  { locale: "en", colorScheme: "light" },
] as const;
type Dress = (typeof DRESSES)[number];

/** Only to inject axe: the pages' CSP allows no other script. */
const dressed = ({ colorScheme }: Dress) => ({ ...DESKTOP, colorScheme, bypassCSP: true });

/** What is wrong with these places, by their names. */
async function faultsOf(
  tab: Tab,
  places: Readonly<Record<string, Place>>,
  { locale, colorScheme }: Dress,
): Promise<Record<string, unknown>> {
  const faults: Record<string, unknown> = {};
  for (const [name, { path, open, status = 200 }] of Object.entries(places)) {
    // Only the fragment of some differs.
    await tab.goto("about:blank");
    const response = await tab.goto(path(locale));
    expect([name, response?.status()]).toEqual([name, status]);
    await open?.(tab, locale);
    // The CSP, which would stop the script, is off.
    if ((await tab.title()) === "owned") faults[name] = "a creator's script runs";
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
  return faults;
}

inBrowser("every page", (world) => {
  beforeAll(async () => {
    const db = await world.server.db();
    for (const page of [PAGE, OTHERS_PAGE]) await storePage(db, page);
    await fill(world);
  });

  const KINDS = [
    ["of the public", PUBLIC, null],
    ["of creators", OWN, DEMO_OWNER],
    ["of the editor", IN_EDITOR, DEMO_OWNER],
    ["of operators", OPERATORS, DEMO_OWNER],
  ] as const;
  const ALL = KINDS.flatMap(([whose, places, user_id]) =>
    DRESSES.map((dress) => ({ whose, places, user_id, ...dress })),
  );

  test.for(ALL)(
    "$whose, in $locale, $colorScheme, breaks no rule and fits",
    { timeout: TIMEOUT_MS },
    async ({ places, user_id, ...dress }) => {
      await using someone: Visitor = await visitor(world, dressed(dress));
      if (user_id !== null) await signIn(world, someone, user_id);
      expect(await faultsOf(someone.tab, places, dress)).toEqual({});
    },
  );

  const BIO = (["ar", "en"] as const).map((locale) => pagePath(PAGE, locale));

  test.for([...BIO, ...Object.keys(OPERATORS), "/status/ar"])(
    "%s is used with the keyboard alone, in the order of the document, and shows the focus",
    async (path) => {
      await using someone = await demoOwner(world, PHONE);
      const { tab } = someone;
      await tab.goto(path);
      const tops = await stopsOn(tab);
      const places: number[] = [];
      for (let n = 0; n < tops.length; n += 1) {
        const { place, outline_px } = await focused(tab);
        places.push(place);
        expect([place, outline_px >= 2]).toEqual([place, true]);
      }
      // All of them.
      expect(new Set(places).size).toBe(tops.length);
      expect(places).toEqual(ascending(places));
      // A creator's page is read from top to bottom.
      if (BIO.includes(path)) expect(tops).toEqual(ascending(tops));
    },
  );
});

describe.skipIf(!HAS_CHROMIUM)("every page of accounts in the box", () => {
  let accounts: Awaited<ReturnType<typeof startAccounts>>;
  let browser: Browser;

  beforeAll(async () => {
    accounts = await startAccounts();
    browser = await chromium.launch({ executablePath: await chromiumPath(), args: CHROMIUM_ARGS });
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await browser?.close();
    await accounts?.[Symbol.asyncDispose]();
  }, START_TIMEOUT_MS);

  test.for(DRESSES)(
    "in $locale, $colorScheme, breaks no rule and fits",
    { timeout: TIMEOUT_MS },
    async (dress) => {
      const { origin } = accounts;
      await using someone = await visitor({ browser, origin }, dressed(dress));
      const places = (paths: readonly string[]) =>
        Object.fromEntries(paths.map((path) => [path, unfolded(at(path))]));
      const faults = await faultsOf(someone.tab, places(ACCOUNT_PAGES.public), dress);
      expect(faults).toEqual({});
      await someone.context.addCookies([{ ...OPERATOR_COOKIE, url: origin }]);
      expect(await faultsOf(someone.tab, places(ACCOUNT_PAGES.operator), dress)).toEqual({});
    },
  );
});
