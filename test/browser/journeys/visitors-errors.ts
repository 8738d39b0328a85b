/**
 * Reports of errors in our own scripts (`src/client/report-errors.ts`), from Chromium through the real route into
 * D1. The tests make our scripts fail from outside.
 */
import type { Page as Tab } from "playwright-core";
import { type ExpectStatic, test } from "vitest";
import { ERROR_LOG_PATH } from "../../../src/http/endpoints.ts";
import { freshPage, poll, visitor, type World } from "../browser-kit.ts";

const REPORTS_MAX = 3;

interface Row {
  n: number;
  message: string;
  stack: string;
  severity: string;
  url: string;
}

function reportsOf(tab: Tab): number[] {
  const statuses: number[] = [];
  tab.on("response", (response) => {
    if (new URL(response.url()).pathname === ERROR_LOG_PATH) statuses.push(response.status());
  });
  return statuses;
}

/** As another site's script or an extension fails. */
const failElsewhere = (tab: Tab) =>
  tab.evaluate(() => {
    const stack = "Error\n    at f (chrome-extension://abcdef/content.js:1:1)";
    const error = Object.assign(new Error(), { stack });
    dispatchEvent(new ErrorEvent("error", { error, message: "theirs" }));
    dispatchEvent(new ErrorEvent("error", { message: "Script error." }));
    void Promise.reject(new Error("theirs as well"));
    void Promise.reject("a word");
    void Promise.reject(undefined);
  });

const failOften = (tab: Tab, messages: readonly (readonly [string, number])[]) =>
  tab.evaluate((wanted) => {
    const stack = `Error\n    at f (${location.origin}/assets/beacon-0123456789.js:1:1)`;
    for (const [message, times] of wanted) {
      for (let i = 0; i < times; i += 1) {
        const error = Object.assign(new Error(), { stack });
        dispatchEvent(new ErrorEvent("error", { error, message }));
      }
    }
  }, messages);

export function errorJourneys(world: World): void {
  async function rowsOf(page_id: string, wanted: number): Promise<Row[]> {
    const db = await world.server.db();
    const asked = db
      .prepare("SELECT n, message, stack, severity, url FROM errors WHERE page_id = ?1")
      .bind(page_id);
    return poll(
      async () => (await asked.all<Row>()).results,
      ({ length }) => length >= wanted,
    );
  }

  const failForReal = async (expect: ExpectStatic) => {
    const [thrown, rejected] = [await freshPage(world), await freshPage(world)];
    await using somebody = await visitor(world);
    await somebody.context.addInitScript(() => {
      crypto.randomUUID = () => {
        throw new TypeError("no chance for layan@example.com");
      };
    });
    const statuses = reportsOf(somebody.tab);
    await somebody.tab.goto(`/${thrown.slug}?token=secret#part`);
    expect(await rowsOf(thrown.page_id, 1)).toEqual([
      {
        n: 1,
        message: "Uncaught TypeError: no chance for [redacted]",
        stack: expect.stringMatching(/\/assets\/beacon-[0-9a-f]{10}\.js:1:\d+/),
        severity: "error",
        url: `${world.origin}/${thrown.slug}`,
      },
    ]);
    expect(statuses).toEqual([202]);
    await somebody.tab.click('a[href$="/shop"]');
    const arrival = `shop.example.com/${thrown.page_id}`;
    await expect.poll(() => world.arrivals).toContain(arrival);

    // In a promise that nobody handles: without APIs that the page script expects to exist.
    await using another = await visitor(world);
    await another.context.addInitScript(() => {
      const { prototype } = Response;
      Object.defineProperty(prototype, "headers", { get: () => undefined });
      Object.defineProperty(prototype, "status", { get: () => 503 });
    });
    await another.tab.goto(`/${rejected.slug}`);
    const [reported] = await rowsOf(rejected.page_id, 1);
    expect(reported?.message).toContain("Cannot read properties of undefined");
    expect(reported?.stack).toContain("/assets/beacon-");
  };

  const failAtWill = async (expect: ExpectStatic) => {
    const { page_id, slug } = await freshPage(world);
    await using somebody = await visitor(world);
    const { tab } = somebody;
    const statuses = reportsOf(tab);
    await tab.goto(`/${slug}`);
    await failElsewhere(tab);
    await failOften(tab, [
      ["the same", 100],
      ...["one", "two", "three", "four"].map((word) => [word, 1] as const),
    ]);
    const reported = await rowsOf(page_id, REPORTS_MAX);
    expect(reported.map(({ message, n }) => [message, n]).sort()).toEqual([
      ["one", 1],
      ["the same", 1],
      ["two", 1],
    ]);
    await expect.poll(() => statuses).toEqual([202, 202, 202]);
  };

  test("an error in our own script is reported once, with its file and page and without the query, three a page load, and nobody notices", async ({
    expect,
  }) => {
    await Promise.all([failForReal(expect), failAtWill(expect)]);
  });
}
