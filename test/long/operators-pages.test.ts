/**
 * The operators' pages and the public status (S36) with long and hostile texts in every place: phones, both languages,
 * keyboard, axe-core. What operators do there is a journey (`test/browser/journeys/numbers.ts`).
 */
import type { Page as Tab } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { MONITOR } from "../../objects/flush/flush-reports.ts";
import type { MonitorBook } from "../../objects/monitor/monitor-book.ts";
import { probed } from "../../objects/monitor/sample.ts";
import { breaches } from "../browser/axe.ts";
import { PHONE, type Visitor, type World } from "../browser/browser-kit.ts";
import { demoOwner } from "../browser/creators.ts";
import { inBrowser } from "../browser/in-browser.ts";
import { SCHEMES, TARGET_PX_MIN, WIDTHS_PX } from "../browser/screens.ts";
import { plainPage, storePage } from "../plain-page.ts";

const PAGE_ID = "looked-at-with-a-rather-long-id-of-its-own";
const ADMIN = [
  "/admin",
  "/admin/errors",
  "/admin/errors/long",
  "/admin/pages",
  `/admin/pages/${PAGE_ID}`,
  "/admin/pages?q=nobody",
];
const LANGS = ["ar", "en"] as const;
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
    page_id: PAGE_ID,
    name: `${EVIL}${"طويل".repeat(30)}`,
    slug: "looked-at",
  });
  await storePage(db, page);
  const message = `TypeError: ${EVIL} ${"unbreakable".repeat(40)}`;
  await db
    .prepare("INSERT INTO errors VALUES ('long', 1, ?1, 12345, 'error', ?2, ?3, ?4, '/looked-at')")
    .bind(Date.now(), message, `${message}\n  at f (a.js:1)\n`.repeat(20), PAGE_ID)
    .run();
  const { miniflare } = server.workerd;
  const namespace = await miniflare.getDurableObjectNamespace("MONITOR");
  const monitor = namespace.getByName(MONITOR) as unknown as MonitorBook;
  for (const backup_at of [0, Date.now(), 0]) {
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
      backup_at,
    });
  }
  await monitor.counted({ sample: {}, pages: { [PAGE_ID]: 9, demo: 3 } });
  for (let n = 0; n < 12; n += 1) {
    await monitor.flushed({
      page_id: n === 0 ? PAGE_ID : `late-${n}`,
      due_at: Date.now() - (n + 2) * 61_000,
      again_by: Date.now() + 3_600_000,
      failures: 2,
      cause: `D1_ERROR: ${"overloaded".repeat(12)}`,
    });
  }
}

/** What sticks out of the window, is too small for a finger, or is a word of ours that is broken. */
function faults(tab: Tab) {
  return tab.evaluate((least) => {
    const found: string[] = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) found.push(`wider by ${scrollWidth - clientWidth} px`);
    for (const element of document.querySelectorAll("a, button, summary, input, textarea")) {
      const { left, right, height } = element.getBoundingClientRect();
      const said = (element.textContent || element.tagName).slice(0, 30);
      if (height === 0 || element.closest(".skip, .sr") !== null) continue;
      if (left < 0 || right > innerWidth) found.push(`outside: ${said}`);
      if (height < least) found.push(`${height} px high: ${said}`);
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

inBrowser("operators", (world: World) => {
  beforeAll(() => fill(world));

  async function look(someone: Visitor, path: string, lang: string): Promise<void> {
    const is_status = path === "/status";
    const url = new URL(is_status ? `/status/${lang}` : path, world.origin);
    if (!is_status) url.searchParams.set("lang", lang);
    const response = await someone.tab.goto(url.pathname + url.search);
    expect([path, response?.status()]).toEqual([path, 200]);
    expect(await someone.tab.locator("html").getAttribute("lang")).toBe(lang);
    expect(await someone.tab.title()).not.toBe("owned");
  }

  test.for([...ADMIN, "/status"].flatMap((path) => LANGS.map((lang) => [path, lang] as const)))(
    "%s in %s fits each screen, breaks no rule of axe-core, and is used with the keyboard alone",
    async ([path, lang]) => {
      for (const colorScheme of SCHEMES) {
        await using someone = await demoOwner(world, { ...PHONE, colorScheme, bypassCSP: true });
        const { tab } = someone;
        await look(someone, path, lang);
        expect(await breaches(tab)).toEqual([]);
        // Colours alone differ.
        if (colorScheme === "dark") continue;
        for (const width of WIDTHS_PX) {
          await tab.setViewportSize({ width, height: 800 });
          expect([width, await faults(tab)]).toEqual([width, []]);
        }
        const stops = await tab.locator(STOPS).filter({ visible: true }).count();
        const places: number[] = [];
        for (let n = 0; n < stops; n += 1) {
          const { place, outline_px } = await focused(tab);
          places.push(place);
          expect([place, outline_px >= 2]).toEqual([place, true]);
        }
        // All of them, in the order of the document.
        expect(new Set(places).size).toBe(stops);
        expect(places).toEqual(places.toSorted((one, other) => one - other));
      }
    },
  );
});
