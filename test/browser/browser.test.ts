/**
 * The counts of a real browser: every way to open a page and to follow a link, and what blockers and
 * failing answers change. The numbers are D1's, read by `settledCounts`.
 */
import { readFile } from "node:fs/promises";
import type { BrowserContext, Download, Page as Tab } from "playwright-core";
import { describe, expect, test } from "vitest";
import {
  BEACON_PATH,
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
} from "./browser-kit.ts";
import { inBrowser } from "./in-browser.ts";

const link = (link_id: string) => `a[href$="/${link_id}"], a[data-link="${link_id}"]`;

/** Presses Tab from the top of the page until the link has the focus, then Enter. */
async function pressEnterOn(tab: Tab, link_id: string): Promise<void> {
  const links = await tab.locator("a").count();
  for (let tabs = 0; tabs < links; tabs++) {
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

/** The requests at a link's redirect, of all tabs. */
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

/** Sends the first of these requests again from another network, as a phone does. Answers with its outcome. */
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

/** Firefox before 133 has no `keepalive`, and a browser may have `sendBeacon` turned off. */
const LACKS = [
  { lacks: "keepalive", missing: ["keepalive"] },
  { lacks: "sendBeacon", missing: ["sendBeacon"] },
  { lacks: "keepalive and sendBeacon", missing: ["keepalive", "sendBeacon"] },
];

inBrowser("in a real browser", (world) => {
  /** By page, for the last test. */
  const settled = new Map<string, Record<string, number>>();

  async function expectCounts(page_id: string, expected: Record<string, number>): Promise<void> {
    expect(await settledCounts(world, page_id, sum(expected))).toEqual(expected);
    settled.set(page_id, expected);
  }

  /** Waits for so many requests at the link's address in the outside world. */
  async function arrivalsAt(page_id: string, link_id: string, wanted = 1): Promise<string[]> {
    const address = `${link_id}.example.com/${page_id}`;
    return poll(
      () => world.arrivals.filter((arrival) => arrival === address),
      (arrivals) => arrivals.length >= wanted,
    );
  }

  describe.concurrent("views", () => {
    test("opening a page is one view, and so is loading it again or coming back to it", async () => {
      const { page_id } = await freshPage(world);
      await using someone = await visitor(world);
      const { tab } = someone;
      await tab.goto(`/${page_id}`);
      await tab.reload();
      await tab.goto("http://shop.example.com/");
      await tab.goBack();
      expect(new URL(tab.url()).pathname).toBe(`/${page_id}`);
      await expectCounts(page_id, { "view human": 3 });
      expect(await someone.complaints()).toEqual([]);
    });

    // Headless Chromium has neither a back/forward cache nor prerendering, so the test dispatches the
    // events of browsers that have them.
    test("a page brought back from the back/forward cache is viewed again", async () => {
      const { page_id } = await freshPage(world);
      await using someone = await visitor(world);
      await someone.tab.goto(`/${page_id}`);
      await someone.tab.evaluate(() =>
        dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })),
      );
      await expectCounts(page_id, { "view human": 2 });
    });

    test("a prerendered page is viewed when it is activated, not before", async () => {
      const seen = await freshPage(world);
      const unseen = await freshPage(world);
      await using someone = await visitor(world);
      const { tab } = someone;
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
    });

    test("a headless browser's user agent is a bot", async () => {
      const { page_id } = await freshPage(world);
      await using someone = await visitor(world, {});
      const { tab } = someone;
      await tab.goto(`/${page_id}`);
      expect(await tab.evaluate(() => navigator.userAgent)).toContain("HeadlessChrome");
      await tab.click(link("shop"));
      expect(await arrivalsAt(page_id, "shop")).toHaveLength(1);
      await expectCounts(page_id, { "view bot": 1, "click bot shop": 1 });
    });
  });

  describe.concurrent("clicks", () => {
    test.for(WAYS)(
      "F33: a web link followed $way is one click, also if it is sent again",
      async ({ device, follow }) => {
        const { page_id } = await freshPage(world);
        await using someone = await visitor(world, device);
        const requests = redirectsOf(someone, "shop");
        await someone.tab.goto(`/${page_id}`);
        await follow(someone.tab, "shop");
        expect(await arrivalsAt(page_id, "shop")).toHaveLength(1);
        expect(await sendAgain(requests)).toBe("duplicate");
        await expectCounts(page_id, { "view human": 1, "click human shop": 1 });
        expect(await someone.complaints()).toEqual([]);
      },
    );

    test.for(WAYS)(
      "mail and telephone links followed $way are one click each",
      async ({ device, follow }) => {
        const { page_id } = await freshPage(world);
        await using someone = await visitor(world, device);
        const { tab } = someone;
        await tab.goto(`/${page_id}`);
        let navigations = 0;
        tab.on("framenavigated", () => {
          navigations += 1;
        });
        for (const link_id of ["mail", "phone"]) await follow(tab, link_id);
        await expectCounts(page_id, {
          "view human": 1,
          "click human mail": 1,
          "click human phone": 1,
        });
        // The page was not left.
        expect(navigations).toBe(0);
        expect(await someone.complaints()).toEqual([]);
      },
    );

    test.for(WAYS)(
      "the contact card saved $way is one click",
      async ({ device, follow, new_tab }) => {
        const { page_id } = await freshPage(world);
        await using someone = await visitor(world, device);
        const { tab } = someone;
        const downloads: Download[] = [];
        tab.on("download", (download) => downloads.push(download));
        await tab.goto(`/${page_id}`);
        await follow(tab, "contact");
        await expectCounts(page_id, { "view human": 1, "click human contact": 1 });
        // A download's tab closes at once, perhaps before the driver sees it.
        if (!new_tab) {
          const [download] = await poll(
            () => downloads,
            ({ length }) => length > 0,
          );
          expect(download?.suggestedFilename()).toBe(`${page_id}.vcf`);
          const card = await readFile((await download?.path()) ?? "", "utf8");
          expect(card).toMatch(/^BEGIN:VCARD\r\nVERSION:3\.0\r\n/);
          expect(card).toContain("\r\nFN:ليان الحوراني\r\n");
        }
        // The page was not left.
        expect(new URL(tab.url()).pathname).toBe(`/${page_id}`);
        expect(await someone.complaints()).toEqual([]);
      },
    );

    test("every click on a link counts, and the other links keep their own", async () => {
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
    });

    test("F33: activations within a second are one click; a later one, and one after a return, are others", async () => {
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
      await follow(2);
      await tab.evaluate(() =>
        dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })),
      );
      await follow(1);
      expect(await arrivalsAt(page_id, "shop", 5)).toHaveLength(5);
      await expectCounts(page_id, {
        "view human": 2,
        "click human shop": 3,
        "click human mail": 3,
      });
    });

    test("F33: an impatient second tap, before the redirect has answered, is the same click", async () => {
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
    });

    test("F33: in a menu, and after a tap, the address of a link has no id", async () => {
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
      await tab.click(link("shop"), { button: "right" });
      expect(await tab.title()).toBe(clean);
      expect(await address()).toBe(clean);
    });

    test("the right button opens a menu and is no click", async () => {
      const { page_id } = await freshPage(world);
      await using someone = await visitor(world);
      await someone.tab.goto(`/${page_id}`);
      await someone.tab.click(link("shop"), { button: "right" });
      await someone.tab.click(link("mail"), { button: "right" });
      await expectCounts(page_id, { "view human": 1 });
    });
  });

  describe.concurrent("without help from the page script", () => {
    test("where the script cannot be loaded, links are as they are and count", async () => {
      const { page_id } = await freshPage(world);
      await using someone = await visitor(world);
      const requests = redirectsOf(someone, "shop");
      await someone.context.route("**/assets/beacon-*.js", (route) =>
        route.fulfill({ status: 500 }),
      );
      await someone.tab.goto(`/${page_id}`);
      await someone.tab.click(link("shop"));
      expect(await arrivalsAt(page_id, "shop")).toHaveLength(1);
      expect(requests.map(({ search }) => search)).toEqual([""]);
      await expectCounts(page_id, { "click human shop": 1 });
    });

    test("with JavaScript off the pixel counts the view and the redirect the click", async () => {
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
    });

    test("a blocked beacon loses the view and the mail click, and the visitor notices nothing", async () => {
      const { page_id } = await freshPage(world);
      await using someone = await visitor(world);
      const { tab } = someone;
      await tab.clock.install();
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
      await tab.clock.fastForward("01:00");
      await tries(2);
      await tab.clock.fastForward("30:00");
      await tab.click(link("mail"));
      await tries(3);
      expect(tried).toEqual(["view", "view", "mail"]);
      await tab.click(link("shop"));
      expect(await arrivalsAt(page_id, "shop")).toHaveLength(1);
      await expectCounts(page_id, { "click human shop": 1 });
      // The browser's own message for each blocked request.
      const complaints = await someone.complaints();
      expect(complaints.filter((text) => !text.includes("net::ERR_BLOCKED_BY_CLIENT"))).toEqual([]);
    });
  });

  describe.concurrent("in a browser without all APIs", () => {
    test.for(LACKS)("views and clicks count and links work without $lacks", async ({ missing }) => {
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
    });
  });

  describe.concurrent("a beacon that fails is sent once more and counts once", () => {
    const REFUSALS = [
      { answer: "503 that says when to come back", status: 503, headers: { "Retry-After": "1" } },
      { answer: "503 that says nothing", status: 503, headers: {} },
      { answer: "429", status: 429, headers: { "Retry-After": "1" } },
    ];

    test.for(REFUSALS)("after a $answer", async ({ status, headers }) => {
      const { page_id } = await freshPage(world);
      await using someone = await visitor(world);
      const sent: string[] = [];
      const times: number[] = [];
      await someone.context.route(`**${BEACON_PATH}`, (route) => {
        sent.push(route.request().postData() ?? "");
        times.push(performance.now());
        return sent.length === 1 ? route.fulfill({ status, headers }) : route.continue();
      });
      await someone.tab.goto(`/${page_id}`);
      await expectCounts(page_id, { "view human": 1 });
      expect(sent).toHaveLength(2);
      expect(sent[1]).toBe(sent[0]);
      expect(JSON.parse(sent[0] ?? "")).toMatchObject({ page_id, event_id: expect.any(String) });
      expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1_000);
    });

    test("after an answer that was lost on its way back", async () => {
      const { page_id } = await freshPage(world);
      await using someone = await visitor(world);
      const outcomes: (string | undefined)[] = [];
      await someone.context.route(`**${BEACON_PATH}`, async (route) => {
        const response = await route.fetch();
        outcomes.push(response.headers()["x-beacon-outcome"]);
        await (outcomes.length === 1
          ? route.abort("connectionreset")
          : route.fulfill({ response }));
      });
      await someone.tab.goto(`/${page_id}`);
      await poll(
        () => outcomes.length,
        (n) => n === 2,
      );
      await expectCounts(page_id, { "view human": 1 });
      expect(outcomes).toEqual(["counted", "duplicate"]);
    });

    test("and when the second try fails too, there is no third", async () => {
      const { page_id } = await freshPage(world);
      await using someone = await visitor(world);
      await someone.tab.clock.install();
      let tries = 0;
      await someone.context.route(`**${BEACON_PATH}`, (route) => {
        tries += 1;
        return route.fulfill({ status: 503, headers: { "Retry-After": "30" } });
      });
      await someone.tab.goto(`/${page_id}`);
      await poll(
        () => tries,
        (n) => n === 1,
      );
      await someone.tab.clock.fastForward("00:31");
      await poll(
        () => tries,
        (n) => n === 2,
      );
      await someone.tab.clock.fastForward("59:00");
      await expectCounts(page_id, {});
      expect(tries).toBe(2);
    });
  });

  test("and nothing that was counted above has been counted again since", async () => {
    for (const [page_id, counts] of settled) {
      expect(await countsInD1(world, page_id), page_id).toEqual({ ...counts, [MARKER]: 1 });
    }
  });
});
