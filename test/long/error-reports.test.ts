/**
 * Reports of errors in our own scripts (`src/client/report-errors.ts`), from Chromium through the real
 * route into D1. The tests make our scripts fail from outside.
 */
import type { Page as Tab } from "playwright-core";
import { expect, test } from "vitest";
import { freshPage, poll, visitor } from "../browser/browser-kit.ts";
import { inBrowser } from "../browser/in-browser.ts";

const PATH = "/api/log/error";
const REPORTS_MAX = 3;

interface Row {
  n: number;
  message: string;
  stack: string;
  severity: string;
  url: string;
}

inBrowser("an error in a browser", (world) => {
  /** The reports of a page in D1. */
  async function rows(page_id: string): Promise<Row[]> {
    const db = await world.server.db();
    const { results } = await db
      .prepare("SELECT n, message, stack, severity, url FROM errors WHERE page_id = ?1")
      .bind(page_id)
      .all<Row>();
    return results;
  }

  /** The statuses of the reports that a tab sends, in order. */
  function reportsOf(tab: Tab): number[] {
    const statuses: number[] = [];
    tab.on("response", (response) => {
      if (new URL(response.url()).pathname === PATH) statuses.push(response.status());
    });
    return statuses;
  }

  test("in our own script is reported once, with the file and the page, without the query", async () => {
    const { page_id, slug } = await freshPage(world);
    await using somebody = await visitor(world);
    await somebody.context.addInitScript(() => {
      crypto.randomUUID = () => {
        throw new TypeError("no chance for layan@example.com");
      };
    });
    const statuses = reportsOf(somebody.tab);
    await somebody.tab.goto(`/${slug}?token=secret#part`);
    expect(
      await poll(
        () => rows(page_id),
        ({ length }) => length > 0,
      ),
    ).toEqual([
      {
        n: 1,
        message: "Uncaught TypeError: no chance for [redacted]",
        stack: expect.stringMatching(/\/assets\/beacon-[0-9a-f]{10}\.js:1:\d+/),
        severity: "error",
        url: `${world.origin}/${slug}`,
      },
    ]);
    expect(statuses).toEqual([202]);
    // The page is shown, and its links still count.
    await somebody.tab.click('a[href$="/shop"]');
    expect(
      await poll(
        () => world.arrivals,
        (all) => all.some((at) => at.includes(page_id)),
      ),
    ).toContain(`shop.example.com/${page_id}`);
  });

  test("in an unhandled promise of ours is reported too", async () => {
    const { page_id, slug } = await freshPage(world);
    await using somebody = await visitor(world);
    await somebody.context.addInitScript(() => {
      const { prototype } = Response;
      // APIs that the page script needs and expects to exist.
      Object.defineProperty(prototype, "headers", { get: () => undefined });
      Object.defineProperty(prototype, "status", { get: () => 503 });
    });
    await somebody.tab.goto(`/${slug}`);
    const [reported] = await poll(
      () => rows(page_id),
      ({ length }) => length > 0,
    );
    expect(reported?.message).toContain("Cannot read properties of undefined");
    expect(reported?.stack).toContain("/assets/beacon-");
  });

  test("is reported once each, at most three per page load", async () => {
    const { page_id, slug } = await freshPage(world);
    await using somebody = await visitor(world);
    const statuses = reportsOf(somebody.tab);
    await somebody.tab.goto(`/${slug}`);
    await somebody.tab.evaluate(() => {
      const stack = `Error\n    at f (${location.origin}/assets/beacon-0123456789.js:1:1)`;
      for (let i = 0; i < 100; i += 1) {
        const error = Object.assign(new Error(), { stack });
        dispatchEvent(new ErrorEvent("error", { error, message: `the same` }));
      }
      for (const word of ["one", "two", "three", "four"]) {
        const error = Object.assign(new Error(), { stack });
        dispatchEvent(new ErrorEvent("error", { error, message: word }));
      }
    });
    const reported = await poll(
      () => rows(page_id),
      ({ length }) => length >= REPORTS_MAX,
    );
    expect(reported.map(({ message, n }) => [message, n]).sort()).toEqual([
      ["one", 1],
      ["the same", 1],
      ["two", 1],
    ]);
    expect(statuses).toEqual([202, 202, 202]);
  });

  test("in another site's script is not reported", async () => {
    const { slug } = await freshPage(world);
    await using somebody = await visitor(world);
    const statuses = reportsOf(somebody.tab);
    await somebody.tab.goto(`/${slug}`);
    await somebody.tab.evaluate(() => {
      const stack = "Error\n    at f (chrome-extension://abcdef/content.js:1:1)";
      const error = Object.assign(new Error(), { stack });
      dispatchEvent(new ErrorEvent("error", { error, message: "theirs" }));
      dispatchEvent(new ErrorEvent("error", { message: "Script error." }));
      void Promise.reject(new Error("theirs as well"));
      void Promise.reject("a word");
      void Promise.reject(undefined);
    });
    await somebody.tab.evaluate(() => {
      const stack = `Error\n    at f (${location.origin}/assets/x.js:1:1)`;
      const error = Object.assign(new Error(), { stack });
      dispatchEvent(new ErrorEvent("error", { error, message: "ours, to know when to look" }));
    });
    expect(
      await poll(
        () => statuses,
        ({ length }) => length > 0,
      ),
    ).toEqual([202]);
  });

  test("does not cause another one when the thrown value is hostile or the report cannot be sent", async () => {
    const { slug } = await freshPage(world);
    await using somebody = await visitor(world);
    const statuses = reportsOf(somebody.tab);
    const uncaught: string[] = [];
    somebody.tab.on("pageerror", (error) => uncaught.push(String(error)));
    await somebody.tab.goto(`/${slug}`);
    await somebody.tab.evaluate(async () => {
      const untold = () => {
        throw new Error("not to be looked at");
      };
      const stack = `Error\n    at f (${location.origin}/assets/beacon-0123456789.js:1:1)`;
      const promise = new Promise(() => {});
      const reject = (reason: unknown) =>
        dispatchEvent(new PromiseRejectionEvent("unhandledrejection", { promise, reason }));
      for (const thrown of [Symbol("s"), null, undefined, 0, "", { toString: untold }]) {
        reject(thrown);
        dispatchEvent(new ErrorEvent("error", { error: thrown }));
      }
      reject({ stack, toString: untold });
      reject(Object.defineProperty({ message: "x" }, "stack", { get: untold }));
      reject({ stack, message: { toString: untold } });
      const { fetch } = window;
      window.fetch = untold;
      reject({ stack, message: "nobody hears it" });
      // The body is cut off.
      window.fetch = async () =>
        Object.assign(new Response(), { text: () => Promise.reject({ stack }) });
      reject({ stack, message: "half heard" });
      await new Promise((resolve) => setTimeout(resolve));
      window.fetch = fetch;
      reject({ stack, message: "ours, to know when to look" });
    });
    expect(
      await poll(
        () => statuses,
        ({ length }) => length > 0,
      ),
    ).toEqual([202]);
    expect(uncaught).toEqual([]);
  });

  test("that cannot be reported has no visible effect", async () => {
    const { slug } = await freshPage(world);
    await using somebody = await visitor(world);
    const asked: string[] = [];
    await somebody.tab.route(`**${PATH}`, (route) => {
      asked.push(route.request().method());
      return route.abort();
    });
    await somebody.tab.goto(`/${slug}`);
    const errors: string[] = [];
    somebody.tab.on("pageerror", (error) => errors.push(String(error)));
    await somebody.tab.evaluate(() => {
      const stack = `Error\n    at f (${location.origin}/assets/x.js:1:1)`;
      const error = Object.assign(new Error(), { stack });
      dispatchEvent(new ErrorEvent("error", { error, message: "unheard" }));
    });
    await poll(
      () => asked,
      ({ length }) => length > 0,
    );
    await somebody.tab.click("h1");
    expect(asked).toEqual(["POST"]);
    expect(errors).toEqual([]);
  });
});
