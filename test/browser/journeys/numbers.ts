/** What creators see of their pages: live numbers, months, notifications, the list; and what operators see. */
import { readFile } from "node:fs/promises";
import type { Page as Tab, WebSocketRoute } from "playwright-core";
import { expect, test } from "vitest";
import { NOTIFICATIONS_TEXTS } from "../../../src/dashboard/notifications-texts.ts";
import { PAGES_TEXTS } from "../../../src/dashboard/pages-texts.ts";
import { FRAME_SCRIPT_TEXTS, UNREAD } from "../../../src/dashboard/script-texts.ts";
import { SCRIPT_TEXTS } from "../../../src/dashboard/stats/script-texts.ts";
import { FRAME_TEXTS } from "../../../src/dashboard/texts.ts";
import type { Page } from "../../../src/pages/document/pages-store.ts";
import { timeAt } from "../../../src/views/dates.ts";
import { inForm } from "../../../src/views/numbers.ts";
import { DEMO_OWNER } from "../../demo/data.ts";
import { demoHistory } from "../../demo/history.ts";
import { storeHistory } from "../../demo/seed-history.ts";
import { generator } from "../../random.ts";
import { badNetwork } from "../bad-network.ts";
import { BEACON_PATH, DESKTOP, PHONE, visitor, type World } from "../browser-kit.ts";
import { type Creator, creator, expectNoComplaints, pageOf, signIn } from "../creators.ts";
import { clipboardOf } from "./clipboard.ts";
import { hasFocus } from "./editor-parts.ts";
import { eventually, LOOK_AGAIN } from "./eventually.ts";
import { scanned } from "./scan.ts";

const ARABIC_DIGITS = "٠١٢٣٤٥٦٧٨٩";
const LATIN_DIGITS = "0123456789";

const EVIL = "<script>document.title = 'owned'</script>";

export function numberJourneys(world: World): void {
  test("a creator signs in at the hub, sees visits and clicks elsewhere at once and their own apart, and the audit stays exact", async () => {
    await using owner = await creator(world, DESKTOP, { is_signed_in: false });
    await using someone = await visitor(world, PHONE);
    const { page_id } = await countedPage(world, owner);
    const { tab } = owner;
    await tab.goto("/dashboard?lang=ar");
    await tab.locator('a[href^="/api/auth/login"]').click();
    await tab.getByRole("button", { name: owner.name }).click();
    await tab.locator(`a[href^="/dashboard/${page_id}?"]`).first().click();
    await isLive(tab);

    await someone.tab.goto(`/${page_id}`);
    await shows(tab, { views: 1, visitors: 1 });
    await someone.tab.reload();
    await shows(tab, { views: 2, visitors: 1 });
    await clickLink(someone.tab, page_id, "shop");
    await shows(tab, { clicks: 1 });
    await eventually(() => read(tab, '[data-live-link="shop"]'), 1);

    const own = await owner.context.newPage();
    await own.goto(`/${page_id}`);
    await shows(tab, { owner: 1 });
    await clickLink(own, page_id, "video");
    await shows(tab, { owner: 2, views: 2, visitors: 1, clicks: 1 });

    // Opening the mark loads the audit again, which has all of them.
    await isExact(tab);
    await tab.locator(".exact > summary").click();
    await eventually(async () => (await audit(tab))[0]?.[0], 5);
    const rows = await audit(tab);
    const [accepted, flushed = 0, pending = 0] = rows[0] ?? [];
    expect(flushed + pending).toBe(accepted);
    expect(rows.length).toBeGreaterThanOrEqual(4);
    expect(rows.map((row) => row.at(-1))).toEqual(rows.map(() => 0));

    // The same after a reload, which costs one request beside the socket.
    const asked: string[] = [];
    tab.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await tab.reload();
    await isLive(tab);
    await isExact(tab);
    await shows(tab, { views: 2, visitors: 1, clicks: 1, owner: 2 });
    expect(asked.filter((path) => !/^\/assets\/|^\/favicon\.ico$/.test(path))).toEqual([
      `/dashboard/${page_id}`,
    ]);
    // Those that belong to signing in: the hub's page, and the 401 before it.
    await expectNoComplaints(owner, /\/page\.css$|status of 401/);
  });

  test("numbers are right after being offline and after a change of the account, and whose session ends elsewhere is asked to sign in", async () => {
    await using owner = await creator(world);
    await using someone = await visitor(world);
    const { page_id } = await countedPage(world, owner);
    const { context, tab } = owner;
    await tab.goto(`/dashboard/${page_id}?range=today&lang=en`);
    await isLive(tab);

    await context.setOffline(true);
    await tab.evaluate(() => dispatchEvent(new Event("offline")));
    await tab.locator('[data-live-state="lost"]').waitFor();
    const counted = someone.tab.waitForResponse(`**${BEACON_PATH}`);
    await someone.tab.goto(`/${page_id}`);
    await counted;
    await context.setOffline(false);
    await tab.evaluate(() => dispatchEvent(new Event("online")));
    await shows(tab, { views: 1 });

    const again = tab.waitForEvent("websocket");
    await world.hub.control("POST", "/plan", { user_id: owner.user_id, plan: "business" });
    await again;
    await someone.tab.reload();
    await shows(tab, { views: 2 });
    await isLive(tab);

    await world.hub.control("POST", "/revoke", { user_id: owner.user_id });
    await tab.locator('a[href^="/api/auth/login"]').waitFor();
  });

  test("numbers are called live only while the line answers: silence shows within 10 s, with the time of the last update", async () => {
    await using owner = await creator(world);
    await using someone = await visitor(world);
    const { page_id, time_zone } = await countedPage(world, owner);
    const { tab } = owner;
    const state = tab.locator("[data-live-state]");
    const isNow = (wanted: string) =>
      eventually(() => state.getAttribute("data-live-state"), wanted);
    const line = await lineOf(tab);

    // Accepted on the way, with something that is not ours.
    line.goesThrough = false;
    await openWithStoppedClock(tab, `/dashboard/${page_id}?range=today&lang=en`);
    await eventually(() => line.opened, 1);
    await tab.clock.runFor(9_999);
    await isNow("connecting");
    await tab.clock.runFor(1);
    await isNow("lost");

    line.goesThrough = true;
    await tab.clock.runFor(1_000);
    await isNow("live");
    await someone.tab.goto(`/${page_id}`);
    await shows(tab, { views: 1 });
    for (const pings of [1, 2, 3]) {
      await tab.clock.runFor(5_000);
      await eventually(() => line.pongs, pings);
    }
    expect(line.opened).toBe(2);
    await tab.locator("[data-present]:visible").waitFor();

    line.goesThrough = false;
    await tab.clock.runFor(8_999);
    await isNow("live");
    await tab.clock.runFor(1);
    await isNow("lost");
    const last = timeAt("en", line.last_ms, time_zone);
    await eventually(() => state.textContent(), SCRIPT_TEXTS.en.lost(last));
    await tab.locator("[data-present]").waitFor({ state: "hidden" });
  });

  test("a creator reads a month: the chart by its keys, one link with its live clicks, the table as a file, and the code that a camera reads", async () => {
    await using owner = await creator(world);
    await using someone = await visitor(world, PHONE);
    const { page_id } = await pageWithHistory(world, owner);
    const { context, tab } = owner;
    const clipboard = await clipboardOf(context);
    await tab.goto(`/dashboard/${page_id}?range=30d&lang=en`);
    await saysPointsOfChart(tab);

    const download = tab.waitForEvent("download");
    await tab.locator('a[href*="stats.csv"]').first().click();
    const csv = await readFile(await (await download).path(), "utf8");
    // A line of titles, then one of the whole page with its views.
    expect(csv).toMatch(/^\ufeff[^\r\n]+\r\n[^,]+,[^,]+,,\d{3,},/);
    const code = await tab.locator(".code:visible svg").first().screenshot();
    expect(await scanned(code)).toBe(`${world.origin}/${page_id}`);

    await tab.locator('table[data-links] a[href*="link=video"]').click();
    await tab.waitForURL("**link=video**");
    await isLive(tab);
    const [views, clicks] = [await number(tab, "views"), await number(tab, "clicks")];
    expect(clicks).toBeGreaterThan(0);
    await someone.tab.goto(`/${page_id}`);
    await shows(tab, { views: views + 1 });
    await clickLink(someone.tab, page_id, "shop");
    await someone.tab.goto(`/${page_id}`);
    await clickLink(someone.tab, page_id, "video");
    await shows(tab, { views: views + 2, clicks: clicks + 1 });
    await tab.locator(".part [data-copy]").click();
    await eventually(clipboard.last, `http://video.example.com/${page_id}`);
    await tab.locator(".part-chip").click();
    await tab.waitForURL((url) => !url.search.includes("link"));
    await tab.locator("table[data-links]").waitFor();
    await expectNoComplaints(owner);
  });

  test("a creator copies an address from the list, undoes a deletion, and signs out by the keyboard, after which no numbers are shown", async () => {
    await using owner = await creator(world);
    const { page_id } = await countedPage(world, owner);
    const { context, tab } = owner;
    const clipboard = await clipboardOf(context);
    await tab.goto("/dashboard?lang=en");
    const copy = tab.locator(`[data-copy$="/${page_id}"]`);
    const { copied } = FRAME_TEXTS.en;
    await copy.click();
    await eventually(() => copy.textContent(), copied);
    await eventually(() => tab.locator("[data-announcer]").textContent(), copied);
    expect(clipboard.last()).toBe(`${world.origin}/${page_id}`);

    await deletePage(tab, page_id);
    await tab.reload();
    await tab.getByRole("button", { name: PAGES_TEXTS.en.undelete }).click();
    await copy.waitFor();
    await eventually(() => tab.locator("[data-undelete]").count(), 0);
    await expectNoComplaints(owner);

    const summary = tab.locator(".account > summary");
    const sign_out = tab.locator("[data-sign-out]");
    await eventually(() => summary.textContent(), expect.stringContaining(owner.name));
    await summary.press("Enter");
    await sign_out.waitFor();
    await tab.keyboard.press("Tab");
    await tab.keyboard.press("Escape");
    await sign_out.waitFor({ state: "hidden" });
    await hasFocus(summary);
    await summary.press("Enter");
    await sign_out.press("Enter");
    await tab.waitForURL(`${world.origin}/`);
    const response = await tab.goto(`/dashboard/${page_id}`);
    expect(response?.status()).toBe(401);
  });
}

export function deepNumberJourneys(world: World): void {
  test("digits have one width, and text of double size fits a phone", async () => {
    await using owner = await creator(world, { ...PHONE, viewport: { width: 360, height: 800 } });
    const { page_id } = await pageWithHistory(world, owner);
    const { tab } = owner;
    await tab.goto(`/dashboard/${page_id}?range=30d&lang=ar`);
    await haveOneWidth(tab);
    for (const path of [`/dashboard/${page_id}`, "/dashboard", "/dashboard/notifications"]) {
      await tab.goto(`${path}?lang=ar`);
      await fitsAtDoubleSize(tab);
    }
    await expectNoComplaints(owner);
  });

  test("the bell says how much is new, what was shown is not new any more, and older ones are marked at a click", async () => {
    using network = await badNetwork(world);
    await using owner = await creator(network.world);
    const { tab } = owner;
    const { notifications } = FRAME_TEXTS.en;
    const bell = () => tab.locator("[data-bell]").textContent();
    const says = (n: number) => `${notifications}${n} (${inForm("en", UNREAD.en, n)})`;
    await notify(world, owner, 2);
    await tab.goto("/dashboard?lang=en");
    await eventually(() => tab.reload().then(bell), says(2), LOOK_AGAIN);
    const marked = tab.waitForResponse("**/api/me/notifications/read");
    await tab.locator("[data-bell]").click();
    expect((await marked).status()).toBe(200);
    await tab.locator(".unread").waitFor({ state: "hidden" });
    await eventually(() => tab.locator(".fresh:visible").count(), 2);
    await tab.reload();
    expect(await tab.locator(".fresh").count()).toBe(0);
    expect(await bell()).toBe(notifications);

    // One more than a page shows.
    await notify(world, owner, 21);
    await eventually(
      async () => {
        await tab.goto("/dashboard?lang=en");
        return bell();
      },
      says(21),
      LOOK_AGAIN,
    );
    await tab.locator("[data-bell]").click();
    const { all_read, not_read } = FRAME_SCRIPT_TEXTS.en;
    const read_all = tab.getByRole("button", { name: NOTIFICATIONS_TEXTS.en.read_all });
    await read_all.waitFor();
    network.break(({ method }) => method === "POST", { end: "lose" });
    await read_all.click();
    const again = tab.getByRole("button", { name: not_read });
    await again.waitFor();
    network.mend();
    await again.click();
    await eventually(() => tab.locator("[data-announcer]").textContent(), all_read);
    await tab.reload();
    expect(await bell()).toBe(notifications);
    // Without that of the request that was broken.
    await expectNoComplaints(owner, /ERR_/);
  });

  test("an operator takes a page down and puts it back with the keyboard alone", async () => {
    await using owner = await creator(world);
    const page = await pageOf(owner, world);
    await using operator = await visitor(world, PHONE);
    await signIn(world, operator, DEMO_OWNER);
    const { tab } = operator;
    await tab.goto(`/admin/pages/${page.page_id}?lang=ar`);
    await tab.locator("#reason").focus();
    await tab.keyboard.type(`تصيّد ${EVIL}`);
    await tab.keyboard.press("Tab");
    await tab.keyboard.press("Enter");
    const undo = tab.locator("form[data-method=DELETE] button");
    await undo.waitFor();
    await tab.getByText(`تصيّد ${EVIL}`).first().waitFor();
    expect(await tab.title()).not.toBe("owned");
    await undo.press("Enter");
    await tab.locator("#reason").waitFor();
    await expectNoComplaints(operator);
  });
}

/** A page whose links lead to the outside world, so that a browser arrives there. */
function countedPage(world: World, owner: Pick<Creator, "user_id">): Promise<Page> {
  const page_id = `page-${crypto.randomUUID().slice(0, 8)}`;
  return pageOf(owner, world, {
    page_id,
    slug: page_id,
    links: [
      { link_id: "shop", label: { ar: "المتجر" }, url: `http://shop.example.com/${page_id}` },
      { link_id: "video", label: { ar: "فيديو" }, url: `http://video.example.com/${page_id}` },
      { link_id: "mail", label: { ar: "راسلني" }, url: "mailto:layan@example.com" },
    ],
  });
}

async function pageWithHistory(world: World, owner: Pick<Creator, "user_id">): Promise<Page> {
  const page = await countedPage(world, owner);
  const now_ms = Date.now();
  const { page_id } = page;
  const rows = demoHistory(page, now_ms, generator(0));
  await storeHistory(await world.server.db(), page_id, rows, now_ms);
  return page;
}

async function notify({ hub }: World, { user_id }: Creator, n: number): Promise<void> {
  for (let i = 1; i <= n; i += 1) {
    const told = { text: `خبر ${i}`, text_en: `News ${i}`, url: null };
    await hub.control("POST", "/notify", { user_id, ...told });
  }
}

/** What the live socket of a tab goes through; instead, it may open to somebody who only says what is not ours. */
async function lineOf(tab: Tab) {
  const line = { goesThrough: true, opened: 0, pongs: 0, last_ms: 0 };
  await tab.routeWebSocket("**/live", (socket: WebSocketRoute) => {
    line.opened += 1;
    if (!line.goesThrough) return socket.send(PORTAL_SAYS);
    const service = socket.connectToServer();
    socket.onMessage((message) => {
      if (line.goesThrough) service.send(message);
      else socket.send(PORTAL_SAYS);
    });
    service.onMessage((message) => {
      if (!line.goesThrough) return;
      if (message === "pong") line.pongs += 1;
      else line.last_ms = Date.parse(JSON.parse(String(message)).at);
      socket.send(message);
    });
  });
  return line;
}

const PORTAL_SAYS = "<!DOCTYPE html><title>Portal</title>";

/** Opens a page whose time only the test moves. */
async function openWithStoppedClock(tab: Tab, path: string): Promise<void> {
  await tab.clock.install();
  await tab.clock.pauseAt(Date.now() + 1_000);
  await tab.goto(path);
}

async function deletePage(tab: Tab, page_id: string): Promise<void> {
  const status = await tab.evaluate(async (path) => {
    const token = document.querySelector<HTMLMetaElement>("meta[name=csrf-token]")?.content ?? "";
    const page = await fetch(path);
    const headers = { "X-CSRF-Token": token, "If-Match": page.headers.get("ETag") ?? "" };
    return (await fetch(path, { method: "DELETE", headers })).ok;
  }, `/api/me/pages/${page_id}`);
  expect(status).toBe(true);
}

async function clickLink(tab: Tab, page_id: string, link_id: string): Promise<void> {
  await tab.locator(`a[href="/r/${page_id}/${link_id}"]`).click();
  await tab.waitForURL(`http://${link_id}.example.com/**`);
}

function numberIn(text: string | null): number {
  const latin = (text ?? "").replace(/[٠-٩]/g, (digit) => String(ARABIC_DIGITS.indexOf(digit)));
  return Number(latin.replace(/[^\d]/g, ""));
}

const read = async (tab: Tab, place: string) => numberIn(await tab.locator(place).textContent());

type Kind = "views" | "clicks" | "owner" | "visitors";

const number = (tab: Tab, kind: Kind) =>
  read(tab, kind === "visitors" ? "[data-live-visitors]" : `[data-live="${kind}"]`);

async function shows(tab: Tab, numbers: Partial<Record<Kind, number>>): Promise<void> {
  const kinds = Object.keys(numbers) as Kind[];
  await eventually(
    async () =>
      Object.fromEntries(
        await Promise.all(kinds.map(async (kind) => [kind, await number(tab, kind)] as const)),
      ),
    numbers,
  );
}

const isLive = (tab: Tab) => tab.locator('[data-live-state="live"]').waitFor();
const isExact = (tab: Tab) => tab.locator('[data-exact="exact"]').waitFor();

async function audit(tab: Tab): Promise<number[][]> {
  const rows = await tab
    .locator("[data-audit-entries] tr")
    .evaluateAll((all) =>
      all.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent)),
    );
  return rows.map((row) => row.map(numberIn));
}

async function saysPointsOfChart(tab: Tab): Promise<void> {
  const chart = tab.getByRole("slider");
  await chart.focus();
  const said: (string | null)[] = [];
  for (const key of ["End", "ArrowLeft", "ArrowLeft", "ArrowRight", "Home"]) {
    await chart.press(key);
    said.push(await chart.getAttribute("aria-valuetext"));
  }
  for (const words of said) expect(words).toMatch(/: [\d,]+ views?, [\d,]+ clicks?(,|$)/);
  expect(said[1]).toBe(said[3]);
  expect(new Set(said).size).toBe(4);
}

async function haveOneWidth(tab: Tab): Promise<void> {
  for (const digits of [ARABIC_DIGITS, LATIN_DIGITS]) {
    for (const weight of [400, 600]) {
      const found = await widths(tab, digits, weight);
      expect([digits, weight, found]).toEqual([digits, weight, [expect.any(Number)]]);
    }
  }
}

/** The widths of each digit in the page's face, without duplicates, in hundredths of a pixel. */
function widths(tab: Tab, digits: string, weight: number): Promise<number[]> {
  return tab.evaluate(
    async ([digits, weight]) => {
      const span = document.createElement("span");
      span.className = "number";
      // Not as an attribute, which the page's CSP forbids.
      Object.assign(span.style, {
        position: "absolute",
        whiteSpace: "nowrap",
        fontWeight: String(weight),
      });
      document.querySelector("main")?.append(span);
      const found = new Set<number>();
      for (const digit of digits) {
        span.textContent = digit.repeat(20);
        const { fontFamily, fontSize } = getComputedStyle(span);
        await document.fonts.load(`${weight} ${fontSize} ${fontFamily}`, digit);
        found.add(Math.round(span.getBoundingClientRect().width * 5));
      }
      span.remove();
      return [...found];
    },
    [digits, weight] as const,
  );
}

/** That nothing sticks out of the window at twice the reader's usual text size, with all menus open. */
async function fitsAtDoubleSize(tab: Tab): Promise<void> {
  const sticks_out_px = await tab.evaluate(() => {
    const { documentElement: html } = document;
    html.style.setProperty("font-size", "200%", "important");
    for (const menu of document.querySelectorAll("details")) menu.open = true;
    return html.scrollWidth - html.clientWidth;
  });
  expect([tab.url(), sticks_out_px]).toEqual([tab.url(), 0]);
}
