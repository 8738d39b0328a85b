/** What visitors do, and D1's exact counts of it, also with blockers, old browsers and failing answers. */
import { readFile } from "node:fs/promises";
import type { BrowserContext, Download, Route, Page as Tab } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { API_VERSION, API_VERSION_HEADER } from "../../../src/http/endpoints.ts";
import {
  BEACON_PATH,
  type Counts,
  countsInD1,
  DESKTOP,
  freshAddress,
  freshPage,
  MARKER,
  PHONE,
  poll,
  settledCounts,
  sum,
  visitor,
  type World,
} from "../browser-kit.ts";
import { errorJourneys } from "./visitors-errors.ts";
import { sharingJourneys } from "./visitors-share.ts";

const link = (link_id: string) => `a[href$="/${link_id}"], a[data-link="${link_id}"]`;

async function pressEnterOn(tab: Tab, link_id: string): Promise<void> {
  // Once round, with the button for sharing and the step out of the page.
  const steps = (await tab.locator("a, button").count()) + 1;
  for (let tabs = 0; tabs < 2 * steps; tabs++) {
    await tab.keyboard.press("Tab");
    if ((await tab.locator(`:is(${link(link_id)}):focus`).count()) === 1) {
      return tab.keyboard.press("Enter");
    }
  }
  throw new Error(`the Tab key does not reach ${link_id}`);
}

const WAYS = [
  {
    way: "with the mouse",
    device: DESKTOP,
    new_tab: false,
    follow: (tab: Tab, link_id: string) => tab.click(link(link_id)),
  },
  {
    way: "with the middle button, into a new tab",
    device: DESKTOP,
    new_tab: true,
    follow: (tab: Tab, link_id: string) => tab.click(link(link_id), { button: "middle" }),
  },
  {
    way: "with the Enter key",
    device: DESKTOP,
    new_tab: false,
    follow: pressEnterOn,
  },
  {
    way: "with a finger",
    device: PHONE,
    new_tab: false,
    follow: (tab: Tab, link_id: string) => tab.tap(link(link_id)),
  },
];

function redirectsOf({ context }: { context: BrowserContext }, link_id: string): URL[] {
  const requests: URL[] = [];
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (url.pathname.startsWith("/r/") && url.pathname.endsWith(`/${link_id}`)) requests.push(url);
  });
  return requests;
}

/** How long a tap is one click is measured by the page's clock, which only the test moves. */
async function openWithStoppedClock(tab: Tab, page_id: string): Promise<void> {
  await tab.clock.install();
  await tab.goto(`/${page_id}`);
  await tab.clock.pauseAt(Date.now() + 60_000);
}

/** Headless Chromium has no back/forward cache, so the test dispatches the event of browsers that have one. */
const comeBack = (tab: Tab) =>
  tab.evaluate(() => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));

async function sendAgain(requests: readonly URL[]): Promise<string | null> {
  const [url] = await poll(
    () => requests,
    ({ length }) => length > 0,
  );
  expect(url?.searchParams.get("t")).toMatch(/^[\w-]{20,64}$/);
  const response = await fetch(`${url}`, {
    redirect: "manual",
    headers: { "CF-Connecting-IP": freshAddress(), "User-Agent": `${DESKTOP.userAgent}` },
  });
  return response.headers.get("X-Beacon-Outcome");
}

async function expectCard(downloads: readonly Download[], page_id: string): Promise<void> {
  const [download] = await poll(
    () => downloads,
    ({ length }) => length > 0,
  );
  expect(download?.suggestedFilename()).toBe(`${page_id}.vcf`);
  const card = await readFile((await download?.path()) ?? "", "utf8");
  expect(card).toMatch(/^BEGIN:VCARD\r\nVERSION:3\.0\r\n/);
  expect(card).toContain("\r\nFN:ليان الحوراني\r\n");
}

/** Firefox before 133 has no `keepalive`, and a browser may have `sendBeacon` turned off. */
const LACKS = [["keepalive"], ["sendBeacon"], ["keepalive", "sendBeacon"]];

/** By which the page's script knows the service's answers. */
const OWN = { [API_VERSION_HEADER]: API_VERSION };

/** What a first beacon meets, how often, and the milliseconds that the page waits after each. */
const REFUSALS: readonly {
  answer: Parameters<Route["fulfill"]>[0];
  waits_ms: readonly number[];
}[] = [
  { answer: { status: 503, headers: { ...OWN, "Retry-After": "45" } }, waits_ms: [45_000] },
  { answer: { status: 503, headers: OWN }, waits_ms: [2_000] },
  { answer: { status: 429, headers: { ...OWN, "Retry-After": "4" } }, waits_ms: [4_000] },
  // The event did not arrive whole.
  { answer: { status: 400, headers: OWN }, waits_ms: [2_000] },
  { answer: { status: 202, json: { ok: true } }, waits_ms: [2_000] },
  { answer: { status: 403, headers: { "Retry-After": "9999" } }, waits_ms: [2_000, 4_000, 8_000] },
];

/**
 * Makes the timers of retries run at once, or never; those that wait for an answer or for the style are as ever. The
 * page's clock goes on by the time that they were to take, with which this answers.
 */
async function hurry(tab: Tab, does_run = true): Promise<() => Promise<number[]>> {
  await tab.addInitScript((runs) => {
    const waits: number[] = [];
    const { setTimeout } = window;
    const { now } = Date;
    const hurried = (work: () => void, wait_ms: number, ...values: unknown[]) => {
      if ([3_000, 30_000].includes(wait_ms)) return setTimeout(work, wait_ms, ...values);
      waits.push(wait_ms);
      return runs ? setTimeout(work, 0, ...values) : 0;
    };
    Date.now = () => waits.reduce((sum, wait_ms) => sum + wait_ms, now());
    Object.assign(window, { waits, setTimeout: hurried });
  }, does_run);
  return () => tab.evaluate<number[]>("window.waits");
}

export function visitorJourneys(world: World): void {
  /** By page, to be looked at once more when all journeys are over. */
  const settled = new Map<string, Counts>();

  async function expectCounts(page_id: string, expected: Counts): Promise<void> {
    expect(await settledCounts(world, page_id, sum(expected))).toEqual(expected);
    settled.set(page_id, expected);
  }

  async function arrivalsAt(page_id: string, link_id: string, wanted = 1): Promise<string[]> {
    const address = `${link_id}.example.com/${page_id}`;
    return poll(
      () => world.arrivals.filter((arrival) => arrival === address),
      (arrivals) => arrivals.length >= wanted,
    );
  }

  afterAll(async () => {
    for (const [page_id, counts] of settled) {
      const expected = { ...counts, [MARKER]: 1 };
      expect(await countsInD1(world, page_id), "nothing is counted again later").toEqual(expected);
    }
  });

  const openAndReturn = async () => {
    const { page_id } = await freshPage(world);
    await using someone = await visitor(world);
    const { tab } = someone;
    await tab.goto(`/${page_id}`);
    await tab.reload();
    await tab.goto("http://shop.example.com/");
    await tab.goBack();
    expect(new URL(tab.url()).pathname).toBe(`/${page_id}`);
    await comeBack(tab);
    await expectCounts(page_id, { "view human": 4 });
    expect(await someone.complaints()).toEqual([]);
  };

  const activate = async () => {
    const [seen, unseen] = [await freshPage(world), await freshPage(world)];
    await using someone = await visitor(world);
    const { tab } = someone;
    // Headless Chromium prerenders nothing: the test says so in its place.
    await tab.addInitScript(() => {
      Object.defineProperty(document, "prerendering", { value: true });
    });
    await tab.goto(`/${unseen.page_id}`);
    await tab.goto(`/${seen.page_id}`);
    await tab.evaluate(() => {
      document.dispatchEvent(new Event("prerenderingchange"));
    });
    await expectCounts(seen.page_id, { "view human": 1 });
    await expectCounts(unseen.page_id, {});
  };

  const clickEach = async () => {
    const { page_id } = await freshPage(world);
    await using someone = await visitor(world);
    const { tab } = someone;
    await tab.goto(`/${page_id}`);
    for (const link_id of ["shop", "video", "shop"]) {
      await tab.click(link(link_id));
      await tab.waitForURL("http://*.example.com/*");
      await tab.goBack();
    }
    await expectCounts(page_id, {
      "view human": 4,
      "click human shop": 2,
      "click human video": 1,
    });
  };

  /** A second activation within a second is the same tap; a later one, and one after a return, are others. */
  const clickSoon = async () => {
    const { page_id } = await freshPage(world);
    await using someone = await visitor(world);
    const { tab } = someone;
    await openWithStoppedClock(tab, page_id);
    const follow = async (times: number) => {
      for (let n = 0; n < times; n += 1) {
        await tab.click(link("shop"), { button: "middle" });
        await tab.click(link("mail"));
        await tab.clock.runFor(1);
      }
    };
    await follow(2);
    await tab.clock.fastForward(1_000);
    await follow(1);
    await comeBack(tab);
    await follow(1);
    expect(await arrivalsAt(page_id, "shop", 4)).toHaveLength(4);
    await expectCounts(page_id, {
      "view human": 2,
      "click human shop": 3,
      "click human mail": 3,
    });
  };

  const tapTwice = async () => {
    const { page_id } = await freshPage(world);
    await using someone = await visitor(world);
    const { tab } = someone;
    const requests = redirectsOf(someone, "shop");
    await openWithStoppedClock(tab, page_id);
    // Both requests are on their way before the first one is answered.
    const both = Promise.withResolvers<void>();
    await someone.context.route("**/r/**", async (route) => {
      if (requests.length > 1) both.resolve();
      await both.promise;
      // The first one has been given up by then.
      await route.continue().catch(() => {});
    });
    // The driver's own click waits for the end of the navigation.
    const { x, y } = (await tab.locator(link("shop")).boundingBox()) ?? { x: 0, y: 0 };
    for (const taps of [1, 2]) {
      await tab.mouse.click(x + 20, y + 20);
      await poll(
        () => requests.length,
        (n) => n === taps,
      );
    }
    expect(await arrivalsAt(page_id, "shop")).toHaveLength(1);
    expect(requests).toHaveLength(2);
    // What the browser gave up may have been counted all the same.
    expect(requests.map(String)).toEqual([String(requests[0]), String(requests[0])]);
    expect(await sendAgain(requests)).toBe("duplicate");
    await expectCounts(page_id, { "view human": 1, "click human shop": 1 });
  };

  const openMenus = async () => {
    const { page_id } = await freshPage(world);
    await using someone = await visitor(world);
    const { tab } = someone;
    await tab.goto(`/${page_id}`);
    const address = () =>
      tab.locator(link("shop")).evaluate((element) => (element as HTMLAnchorElement).href);
    const clean = `${world.origin}/r/${page_id}/shop`;
    await tab.evaluate(() => {
      addEventListener("contextmenu", ({ target }) => {
        document.title = `${(target as Element).closest("a")?.href}`;
      });
    });
    await tab.click(link("shop"), { button: "right" });
    expect(await tab.title()).toBe(clean);
    await tab.click(link("shop"), { button: "middle" });
    expect(await poll(address, (href) => href === clean)).toBe(clean);
    await tab.click(link("mail"), { button: "right" });
    await tab.click(link("shop"), { button: "right" });
    expect(await tab.title()).toBe(clean);
    expect(await address()).toBe(clean);
    await expectCounts(page_id, { "view human": 1, "click human shop": 1 });
  };

  /** Links are as they are in the document. */
  const withoutScript = async () => {
    const { page_id } = await freshPage(world);
    await using someone = await visitor(world);
    const requests = redirectsOf(someone, "shop");
    await someone.context.route("**/assets/beacon-*.js", (route) => route.fulfill({ status: 500 }));
    await someone.tab.goto(`/${page_id}`);
    await someone.tab.click(link("shop"));
    expect(await arrivalsAt(page_id, "shop")).toHaveLength(1);
    // Only the script makes ids.
    expect(requests.map(({ search }) => search)).toEqual([""]);
    await expectCounts(page_id, { "click human shop": 1 });
  };

  const withoutJavaScript = async () => {
    const { page_id } = await freshPage(world);
    await using someone = await visitor(world, { ...DESKTOP, javaScriptEnabled: false });
    const { tab } = someone;
    const pixel = tab.waitForResponse(`**/p/${page_id}.gif?l=ar`);
    await tab.goto(`/${page_id}`);
    expect((await pixel).headers()["x-beacon-outcome"]).toBe("counted");
    await tab.click(link("shop"));
    expect(await arrivalsAt(page_id, "shop")).toHaveLength(1);
    await expectCounts(page_id, { "view human": 1, "click human shop": 1 });
    expect(await someone.complaints()).toEqual([]);
  };

  const withoutBeacons = async () => {
    const { page_id } = await freshPage(world);
    await using someone = await visitor(world);
    const { tab } = someone;
    await tab.clock.install();
    await tab.clock.pauseAt(Date.now() + 60_000);
    // Not by `route`, which does not see what a page sends while it is left.
    const devtools = await someone.context.newCDPSession(tab);
    await devtools.send("Network.enable");
    await devtools.send("Network.setBlockedURLs", { urls: [`*${BEACON_PATH}`] });
    const tried: string[] = [];
    someone.context.on("requestfailed", (request) => {
      // The click on a mail address is a navigation that fails.
      if (!request.isNavigationRequest()) tried.push(request.postDataJSON().link_id ?? "view");
    });
    const tries = (wanted: number) =>
      poll(
        () => tried.length,
        (n) => n >= wanted,
      );
    await tab.goto(`/${page_id}`);
    await tries(1);
    await tab.clock.fastForward(2_000);
    await tries(2);
    // Given up: what a page sends while it is left is not blocked.
    await tab.clock.fastForward("01:00:00");
    await tab.click(link("mail"));
    await tries(3);
    await tab.clock.fastForward("01:00:00");
    expect(tried).toEqual(["view", "view", "mail"]);
    await tab.click(link("shop"));
    expect(await arrivalsAt(page_id, "shop")).toHaveLength(1);
    await expectCounts(page_id, { "click human shop": 1 });
    const complaints = await someone.complaints();
    expect(complaints.filter((text) => !text.includes("net::ERR_BLOCKED_BY_CLIENT"))).toEqual([]);
  };

  const withoutApis = async (missing: readonly string[]) => {
    const { page_id } = await freshPage(world);
    await using someone = await visitor(world);
    const { tab } = someone;
    await tab.addInitScript((names) => {
      for (const name of names) {
        for (const api of [Request, Navigator]) Reflect.deleteProperty(api.prototype, name);
      }
    }, missing);
    await tab.goto(`/${page_id}`);
    const has = (name: string) => name in Request.prototype || name in navigator;
    for (const name of missing) expect(await tab.evaluate(has, name)).toBe(false);
    await tab.click(link("mail"));
    await tab.click(link("shop"));
    expect(await arrivalsAt(page_id, "shop")).toHaveLength(1);
    await expectCounts(page_id, {
      "view human": 1,
      "click human mail": 1,
      "click human shop": 1,
    });
    expect(await someone.complaints()).toEqual([]);
  };

  const refuseFirst = async ({ answer, waits_ms }: (typeof REFUSALS)[number]) => {
    const { page_id } = await freshPage(world);
    await using someone = await visitor(world);
    const waits = await hurry(someone.tab);
    const sent: string[] = [];
    await someone.context.route(`**${BEACON_PATH}`, (route) => {
      sent.push(route.request().postData() ?? "");
      return sent.length <= waits_ms.length ? route.fulfill(answer) : route.continue();
    });
    await someone.tab.goto(`/${page_id}`);
    await expectCounts(page_id, { "view human": 1 });
    expect(sent).toEqual(Array(waits_ms.length + 1).fill(sent[0]));
    expect(JSON.parse(sent[0] ?? "")).toMatchObject({ page_id, event_id: expect.any(String) });
    expect(await waits()).toEqual([...waits_ms, 2_000]);
  };

  const comeOnline = async () => {
    const { page_id } = await freshPage(world);
    await using someone = await visitor(world);
    const { tab } = someone;
    const waits = await hurry(tab, false);
    const answers = (wanted: number) => poll(waits, ({ length }) => length === wanted);
    const sent: string[] = [];
    await someone.context.route(`**${BEACON_PATH}`, (route) => {
      sent.push(route.request().postData() ?? "");
      return sent.length > 3 ? route.continue() : route.fulfill({ status: 403 });
    });
    await tab.goto(`/${page_id}`);
    await answers(1);
    await tab.click(link("mail"));
    await answers(2);
    await tab.click(link("phone"));
    await answers(3);
    for (const n of [4, 5, 6]) {
      await tab.evaluate(() => dispatchEvent(new Event("online")));
      expect((await answers(n)).at(-1)).toBe(2_000);
      expect(sent).toHaveLength(n);
    }
    expect(sent.slice(3)).toEqual(sent.slice(0, 3));
    await expectCounts(page_id, {
      "view human": 1,
      "click human mail": 1,
      "click human phone": 1,
    });
  };

  const leaveSoon = async () => {
    const { page_id } = await freshPage(world);
    await using someone = await visitor(world);
    const { tab } = someone;
    const waits = await hurry(tab, false);
    // Such a route does not see what a page sends while it is left.
    await someone.context.route(`**${BEACON_PATH}`, (route) => route.fulfill({ status: 403 }));
    await tab.goto(`/${page_id}`);
    await poll(waits, ({ length }) => length === 1);
    await tab.goto("http://shop.example.com/");
    // The browser names the device no more while the page is left.
    await expectCounts(page_id, { "view bot": 1 });
  };

  const refuseForEver = async () => {
    const { page_id } = await freshPage(world);
    await using someone = await visitor(world);
    const waits = await hurry(someone.tab);
    let tries = 0;
    await someone.context.route(`**${BEACON_PATH}`, (route) => {
      tries += 1;
      return route.fulfill({ status: 403 });
    });
    await someone.tab.goto(`/${page_id}`);
    const total = (list: readonly number[]) => list.reduce((sum, wait_ms) => sum + wait_ms, 0);
    const all = await poll(waits, (list) => total(list) >= 3_000_000);
    await expectCounts(page_id, {});
    expect([tries, await waits()]).toEqual([all.length, all]);
    const [first, rest] = [all.slice(0, 5), all.slice(5)];
    expect(first).toEqual([2_000, 4_000, 8_000, 16_000, 32_000]);
    expect(new Set(rest)).toEqual(new Set([60_000]));
  };

  /** The service's own refusal is not asked for again. */
  const meetNoPage = async () => {
    const { page_id } = await freshPage(world);
    await using someone = await visitor(world);
    const waits = await hurry(someone.tab);
    const statuses: number[] = [];
    await someone.context.route(`**${BEACON_PATH}`, async (route) => {
      const body = { ...route.request().postDataJSON(), page_id: "nobody" };
      const response = await route.fetch({ postData: JSON.stringify(body) });
      statuses.push(response.status());
      await route.fulfill({ response });
    });
    await someone.tab.goto(`/${page_id}`);
    await poll(waits, ({ length }) => length > 0);
    await expectCounts(page_id, {});
    expect([statuses, await waits()]).toEqual([[404], [2_000]]);
  };

  // Parts of a journey are visitors of their own, at once: most of their time is spent waiting for a flush.

  test("opening a page, loading it again and returning to it are a view each, prerendering is none", async () => {
    await Promise.all([openAndReturn(), activate()]);
  });

  test.for(WAYS)(
    "F33: a web link, a mail link, a telephone link and the contact card are one click each $way",
    async ({ device, follow, new_tab }) => {
      const { page_id } = await freshPage(world);
      await using someone = await visitor(world, device);
      const { tab } = someone;
      const requests = redirectsOf(someone, "shop");
      const downloads: Download[] = [];
      tab.on("download", (download) => downloads.push(download));
      await tab.goto(`/${page_id}`);
      let navigations = 0;
      tab.on("framenavigated", () => {
        navigations += 1;
      });
      for (const link_id of ["contact", "mail", "phone"]) await follow(tab, link_id);
      // A download's tab closes at once, perhaps before the driver sees it.
      if (!new_tab) await expectCard(downloads, page_id);
      expect(navigations).toBe(0);
      expect(new URL(tab.url()).pathname).toBe(`/${page_id}`);

      await follow(tab, "shop");
      expect(await arrivalsAt(page_id, "shop")).toHaveLength(1);
      // By the network, it is the same click.
      expect(await sendAgain(requests)).toBe("duplicate");
      await expectCounts(page_id, {
        "view human": 1,
        "click human contact": 1,
        "click human mail": 1,
        "click human phone": 1,
        "click human shop": 1,
      });
      expect(await someone.complaints()).toEqual([]);
    },
  );

  test("F33: every click counts for its own link, and activations within a second are one, unless after a return", async () => {
    await Promise.all([clickEach(), clickSoon()]);
  });

  test("F33: an impatient second tap is the same click, the right button is none, and no address keeps an id", async () => {
    await Promise.all([tapTwice(), openMenus()]);
  });

  test("without the page's script, JavaScript, beacons or an API of the browser, links lead on, and what can count counts once", async () => {
    await Promise.all([
      withoutScript(),
      withoutJavaScript(),
      withoutBeacons(),
      ...LACKS.map(withoutApis),
    ]);
  });

  test("an event that the service did not take is sent again, in growing pauses or as late as it says, and counts once", async () => {
    await Promise.all(REFUSALS.map(refuseFirst));
  });

  test("events that wait are sent one by one, at once on a new network and at the end of the page, and given up after 50 minutes", async () => {
    await Promise.all([comeOnline(), leaveSoon(), refuseForEver(), meetNoPage()]);
  });

  sharingJourneys(world);
  errorJourneys(world);
}
