/** The dashboard in a real browser: live numbers while visitors come, and the mark "exact". */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page as Tab } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";
import { breaches } from "../browser/axe.ts";
import { DESKTOP, PHONE, type Visitor, visitor } from "../browser/browser-kit.ts";
import { signInAt } from "../browser/editor-kit.ts";
import { inBrowser } from "../browser/in-browser.ts";
import { TARGET_PX_MIN } from "../browser/screens.ts";
import { DEMO_OWNER } from "../demo/data.ts";
import { seedHistory } from "../demo/seed-history.ts";

const require = createRequire(import.meta.url);

const live = (tab: Tab, kind: string) => tab.locator(`[data-live="${kind}"]`);

/** A number in Western or Arabic digits. */
function numberIn(text: string): number {
  const latin = text.replace(/[٠-٩]/g, (digit) => String("٠١٢٣٤٥٦٧٨٩".indexOf(digit)));
  return Number(latin.replace(/[^\d]/g, ""));
}

/** A number of the page. */
async function read(tab: Tab, kind: string): Promise<number> {
  return numberIn((await live(tab, kind).textContent()) ?? "");
}

/** Waits until the page shows a number. */
async function shows(tab: Tab, kind: string, n: number): Promise<void> {
  await tab.waitForFunction(
    ([kind, n]) => {
      const text = document.querySelector(`[data-live="${kind}"]`)?.textContent ?? "";
      const latin = text.replace(/[٠-٩]/g, (digit) => String("٠١٢٣٤٥٦٧٨٩".indexOf(digit)));
      return latin.replace(/[^\d]/g, "") === String(n);
    },
    [kind, n] as const,
  );
}

async function isLive(tab: Tab): Promise<void> {
  await tab.locator('[data-live-state="live"]').waitFor();
}

async function isExact(tab: Tab): Promise<void> {
  await tab.locator('[data-exact="exact"]').waitFor();
}

/** The audit's first row, for the whole page: accepted, in the reports, on the way, and the difference. */
async function account(tab: Tab): Promise<number[]> {
  const cells = await tab.locator("[data-audit-entries] tr:first-child td").allTextContents();
  return cells.map(numberIn);
}

/** Complaints, except those that belong to signing in: cookies, the hub's page, and the 401 before it. */
async function complaintsOf(someone: Visitor): Promise<string[]> {
  const complaints = await someone.complaints();
  return complaints.filter((text) => !/^cookie |\/hub\.css$|status of 401/.test(text));
}

inBrowser("a creator", (world) => {
  beforeAll(async () => {
    await seedHistory(await world.server.db(), Date.now());
  });

  test("signs in at the hub, sees a visit and a click elsewhere at once, and the audit stay exact", async () => {
    await using owner = await visitor(world);
    await using someone = await visitor(world, PHONE);
    await signInAt(owner.tab, "/dashboard");
    await owner.tab
      .locator('a[href^="/dashboard/demo?"], a[href="/dashboard/demo"]')
      .first()
      .click();
    await isLive(owner.tab);
    await isExact(owner.tab);
    const [views, clicks] = [await read(owner.tab, "views"), await read(owner.tab, "clicks")];
    expect(views).toBeGreaterThan(500);
    await someone.tab.goto("/demo");
    await shows(owner.tab, "views", views + 1);
    // The shop does not exist; the click is counted by the redirect.
    await someone.tab.locator('a[href="/r/demo/demo-shop"]').click({ noWaitAfter: true });
    await shows(owner.tab, "clicks", clicks + 1);
    // The ranking shows it too.
    const link = owner.tab.locator('[data-live-link="demo-shop"]');
    const before = Number(await link.getAttribute("data-shown"));
    expect(before).toBeGreaterThan(0);
    // Opening the mark loads the audit again, which has both events.
    await owner.tab.locator(".exact > summary").click();
    await expect.poll(() => account(owner.tab).then(([accepted]) => accepted)).toBe(2);
    const [accepted = 0, flushed = 0, pending = 0, drift] = await account(owner.tab);
    expect([flushed + pending, drift]).toEqual([accepted, 0]);
    await isExact(owner.tab);
    // The same after a reload.
    await owner.tab.reload();
    await isLive(owner.tab);
    expect(await read(owner.tab, "views")).toBe(views + 1);
    expect(await read(owner.tab, "clicks")).toBe(clicks + 1);
    await isExact(owner.tab);
    expect(await complaintsOf(owner)).toEqual([]);
  });

  test("needs one request and a socket for a view of the dashboard, and sees the audit without a script", async () => {
    await using owner = await visitor(world);
    const { tab } = owner;
    await signInAt(tab, "/dashboard");
    const asked: string[] = [];
    tab.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await tab.goto("/dashboard/demo?range=30d");
    await isLive(tab);
    await isExact(tab);
    const charged = asked.filter((path) => !path.startsWith("/assets/") && path !== "/favicon.ico");
    expect(charged).toEqual(["/dashboard/demo"]);
  });

  test("sees visitors move with the views, each person once", async () => {
    await using owner = await visitor(world);
    await using someone = await visitor(world);
    const { tab } = owner;
    await signInAt(tab, "/dashboard/demo-en?range=today&lang=en");
    await isLive(tab);
    const shown = async () =>
      numberIn((await tab.locator("[data-live-visitors]").textContent()) ?? "");
    const views = await read(tab, "views");
    await someone.tab.goto("/demo-en");
    await shows(tab, "views", views + 1);
    const visitors = await shown();
    expect(visitors).toBeGreaterThan(0);
    await someone.tab.reload();
    await shows(tab, "views", views + 2);
    expect(await shown()).toBe(visitors);
    await tab.reload();
    await isLive(tab);
    expect(await shown()).toBe(visitors);
  });

  test("opens a link's own numbers, sees its click live, copies its address and goes back", async () => {
    await using owner = await visitor(world);
    await using someone = await visitor(world);
    const { tab } = owner;
    await owner.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await signInAt(tab, "/dashboard/demo?range=30d&lang=en");
    await tab.locator('table[data-links] a[href*="link=demo-video"]').click();
    await tab.waitForURL("**link=demo-video**");
    await isLive(tab);
    const [views, clicks] = [await read(tab, "views"), await read(tab, "clicks")];
    await someone.tab.goto("/demo");
    await shows(tab, "views", views + 1);
    await someone.tab.locator('a[href="/r/demo/demo-shop"]').click({ noWaitAfter: true });
    await someone.tab.goto("/demo");
    await someone.tab.locator('a[href="/r/demo/demo-video"]').click({ noWaitAfter: true });
    await shows(tab, "clicks", clicks + 1);
    await tab.locator(".part [data-copy]").click();
    expect(await tab.evaluate(() => navigator.clipboard.readText())).toMatch(/^https:\/\/video\./);
    await tab.locator(".part-chip").click();
    await tab.waitForURL((url) => !url.search.includes("link"));
    await expect.poll(() => tab.locator("table[data-links]").count()).toBe(1);
  });

  test("opens a country's numbers from its row, keeps it in another range, and goes back", async () => {
    await using owner = await visitor(world, { ...DESKTOP, javaScriptEnabled: false });
    const { tab } = owner;
    await signInAt(tab, "/dashboard/demo?range=30d&lang=en");
    await tab.getByRole("link", { name: "Egypt" }).click();
    await tab.getByRole("link", { name: "90 days" }).click();
    expect(tab.url()).toContain("filter=country%3AEG");
    await expect.poll(() => tab.locator("[data-series] tbody tr").count()).toBe(90);
    await expect.poll(() => tab.locator(".part-chip").textContent()).toContain("Egypt");
    await tab.locator(".part-chip").click();
    await expect.poll(() => tab.locator("table[data-links]").count()).toBe(1);
  });

  test("sees their own click in another tab among their own, not among people's", async () => {
    await using owner = await visitor(world);
    await signInAt(owner.tab, "/dashboard/demo?range=today");
    await isLive(owner.tab);
    const [clicks, own] = [await read(owner.tab, "clicks"), await read(owner.tab, "owner")];
    const other = await owner.context.newPage();
    await other.goto("/demo");
    await shows(owner.tab, "owner", own + 1);
    await other.locator('a[href="/r/demo/demo-video"]').click({ noWaitAfter: true });
    await shows(owner.tab, "owner", own + 2);
    expect(await read(owner.tab, "clicks")).toBe(clicks);
    await isExact(owner.tab);
  });

  test("opens the mark and finds the numbers behind it, for the page and every link", async () => {
    await using owner = await visitor(world);
    await signInAt(owner.tab, "/dashboard/demo-en?range=30d&lang=en");
    await isExact(owner.tab);
    await owner.tab.locator(".exact > summary").click();
    const rows = await owner.tab
      .locator("[data-audit-entries] tr")
      .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
    // The page, its views, four links and the contact button, beside the blocks.
    expect(rows.length).toBeGreaterThanOrEqual(6);
    for (const row of rows) expect(row.at(-1)).toBe("0");
  });

  test("sees the right numbers after being offline", async () => {
    await using owner = await visitor(world);
    await using someone = await visitor(world);
    await signInAt(owner.tab, "/dashboard/demo-en?range=today&lang=en");
    await isLive(owner.tab);
    const views = await read(owner.tab, "views");
    await owner.context.setOffline(true);
    await owner.tab.evaluate(() => dispatchEvent(new Event("offline")));
    await someone.tab.goto("/demo-en");
    await someone.tab.waitForResponse("**/api/analytics/view");
    await owner.context.setOffline(false);
    await owner.tab.evaluate(() => dispatchEvent(new Event("online")));
    await shows(owner.tab, "views", views + 1);
  });

  test("keeps watching after a change of their account", async () => {
    await using owner = await visitor(world);
    await using someone = await visitor(world);
    const { tab } = owner;
    await signInAt(tab, "/dashboard/demo-en?range=today&lang=en");
    await isLive(tab);
    const views = await read(tab, "views");
    const again = tab.waitForEvent("websocket");
    await world.hub.control("POST", "/plan", { user_id: DEMO_OWNER, plan: "business" });
    await again;
    await someone.tab.goto("/demo-en");
    await shows(tab, "views", views + 1);
    await isLive(tab);
    await world.hub.control("POST", "/plan", { user_id: DEMO_OWNER, plan: "pro" });
  });

  test("is asked to sign in when their session ends elsewhere", async () => {
    await using owner = await visitor(world);
    const { tab } = owner;
    await signInAt(tab, "/dashboard/demo-en?range=today&lang=en");
    await isLive(tab);
    await world.hub.control("POST", "/revoke", { user_id: DEMO_OWNER });
    await tab.locator('a[href^="/api/auth/login"]').waitFor();
  });

  test("saves the table and the code, and a phone's camera can read the code", async () => {
    await using owner = await visitor(world);
    const { tab } = owner;
    await signInAt(tab, "/dashboard/demo?range=30d");
    const [download] = await Promise.all([
      tab.waitForEvent("download"),
      tab.locator('a[href*="stats.csv"]').first().click(),
    ]);
    const csv = await readFile((await download.path()) ?? "", "utf8");
    expect(csv).toMatch(
      /^\ufeffالقسم,المفتاح,الاسم,المشاهدات,النقرات,الزوّار\r\n[^,]+,[^,]+,,\d{4,},/,
    );
    const wasm = await readFile(require.resolve("zxing-wasm/reader/zxing_reader.wasm"));
    prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasm).buffer } });
    const picture = await tab.locator(".code:visible svg").first().screenshot();
    const [code] = await readBarcodes(new Uint8Array(picture));
    expect(code?.text).toBe(`${world.origin}/demo`);
  });

  test("moves along the chart with the arrow keys, and a screen reader gets the values", async () => {
    await using owner = await visitor(world);
    const { tab } = owner;
    await signInAt(tab, "/dashboard/demo?range=7d&lang=en");
    const chart = tab.getByRole("slider");
    await chart.focus();
    const said: (string | null)[] = [];
    for (const key of ["End", "ArrowLeft", "ArrowLeft", "ArrowRight", "Home"]) {
      await chart.press(key);
      said.push(await chart.getAttribute("aria-valuetext"));
    }
    for (const words of said) expect(words).toMatch(/: [\d,]+ views?, [\d,]+ clicks?$/);
    expect(said[1]).toBe(said[3]);
    expect(new Set(said).size).toBe(4);
  });

  test("signs out, and can see no numbers afterwards", async () => {
    await using owner = await visitor(world);
    const { tab } = owner;
    await signInAt(tab, "/dashboard/demo");
    await tab.locator(".account > summary").click();
    await tab.locator("[data-sign-out]").click();
    await tab.waitForURL(`${world.origin}/`);
    const response = await tab.goto("/dashboard/demo");
    expect(response?.status()).toBe(401);
  });

  test("reads the numbers without any script", async () => {
    await using owner = await visitor(world, { ...DESKTOP, javaScriptEnabled: false });
    const { tab } = owner;
    await signInAt(tab, "/dashboard/demo?range=7d&lang=en");
    expect(await read(tab, "views")).toBeGreaterThan(500);
    await expect.poll(() => tab.locator("[data-series] tbody tr:not([hidden])").count()).toBe(7);
  });

  describe.for(["light", "dark"] as const)("meets, in %s,", (colorScheme) => {
    describe.for(["ar", "en"] as const)("in %s,", (lang) => {
      test.for([360, 768, 1280])("pages that fit %i px and break no rule", async (width) => {
        await using owner = await visitor(world, {
          ...DESKTOP,
          colorScheme,
          viewport: { width, height: 900 },
          bypassCSP: true,
        });
        const { tab } = owner;
        await signInAt(tab, `/dashboard?lang=${lang}`);
        for (const path of [
          "/dashboard?",
          "/dashboard/notifications?",
          "/dashboard/demo?range=30d&",
          "/dashboard/demo?range=all&link=demo-shop&",
          "/dashboard/demo?range=7d&filter=country:SA&",
        ].map((path) => `${path}lang=${lang}`)) {
          await tab.goto(path);
          expect(await tab.locator("html").evaluate((html) => html.scrollWidth)).toBe(width);
          for (const target of await tab
            .locator("button:visible, nav a:visible, summary:visible")
            .all()) {
            const box = await target.boundingBox();
            const words = await target.textContent();
            expect([words, Math.round(box?.height ?? 0) >= TARGET_PX_MIN]).toEqual([words, true]);
          }
          expect(await breaches(tab)).toEqual([]);
        }
      });
    });
  });
});
