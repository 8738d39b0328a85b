/**
 * The cost of a sender past its limit (F29): its views and clicks are batched into counts, and past
 * ten times the limit a click costs no call to an object and no read of D1.
 */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { RateLimiter } from "../../../objects/limiter/rate-limiter.ts";
import { PageObject } from "../../../objects/page/page-object.ts";
import { CEILING, LIMITS_PER_MINUTE } from "../../../src/http/limits.ts";
import { stopClock } from "../kit/faults.ts";
import { beacon, call, eventually, freshAddress, freshPage, pageObject } from "../kit/kit.ts";

const LIMIT = LIMITS_PER_MINUTE.public;

beforeEach(() => {
  stopClock();
});

/** How often the page's own object was called; the spy sees those of earlier tests too. */
function callsTo(page_id: string, spy: { mock: { contexts: readonly unknown[] } }): number {
  return spy.mock.contexts.filter((object) => (object as PageObject).name === page_id).length;
}

/** The page's counts, by link (`''` for views) and class. */
async function counted(page_id: string): Promise<Record<string, number>> {
  const totals = await pageObject(page_id).totals();
  return Object.fromEntries(
    totals.map(({ link_id, class: eventClass, accepted }) => [
      `${link_id}/${eventClass}`,
      accepted,
    ]),
  );
}

async function times<T>(n: number, work: () => Promise<T>): Promise<T[]> {
  const answers: T[] = [];
  for (let i = 0; i < n; i += 1) answers.push(await work());
  return answers;
}

describe("what the limit refused", () => {
  test("reaches the page as numbers a second later: views, clicks and pixels", async () => {
    const { page_id } = await freshPage();
    const ip = freshAddress();
    await times(LIMIT, () => beacon({ page_id }, { ip }));
    const numbers = vi.spyOn(PageObject.prototype, "recordLimited");
    const began_at = performance.now();
    expect((await times(7, () => beacon({ page_id }, { ip }))).map(({ status }) => status)).toEqual(
      Array(7).fill(429),
    );
    await times(5, () => beacon({ page_id, link_id: "shop" }, { ip }));
    await times(3, () => call(`/p/${page_id}.gif`, { ip }));
    // A call for each second in which the router refused something.
    const seconds = Math.ceil((performance.now() - began_at) / 1_000);
    await eventually(async () =>
      expect(await counted(page_id)).toEqual({
        "/human": LIMIT,
        "/limited": 10,
        "shop/limited": 5,
      }),
    );
    expect(callsTo(page_id, numbers)).toBeLessThanOrEqual(seconds);
    await pageObject(page_id).flush();
    const totals = await pageObject(page_id).totals();
    expect(totals.every(({ pending }) => pending === 0)).toBe(true);
  });

  test("is not stored for pages and links that do not exist, or for HEAD", async () => {
    const { page_id } = await freshPage();
    const ip = freshAddress();
    await times(LIMIT, () => beacon({ page_id }, { ip }));
    await beacon({ page_id: "no-such-page-at-all" }, { ip });
    await beacon({ page_id, link_id: "none" }, { ip });
    await call(`/p/${page_id}.gif`, { ip, method: "HEAD" });
    await call("/api/analytics/view", { ip, method: "POST", body: "{" });
    await beacon({ page_id }, { ip });
    await eventually(async () =>
      expect(await counted(page_id)).toEqual({ "/human": LIMIT, "/limited": 1 }),
    );
    expect(await counted("no-such-page-at-all")).toEqual({});
    // Its alarm would read D1 in a later test.
    await pageObject(page_id).flush();
  });
});

test("past ten times its limit a sender's clicks cost no object call and no read of D1 each, and are still redirected", async () => {
  const { page_id } = await freshPage();
  const ip = freshAddress();
  const click = () => call(`/r/${page_id}/shop`, { ip });
  const acknowledged = await times(CEILING * LIMIT, click);
  expect(acknowledged.at(-1)?.headers.get("X-Beacon-Outcome")).toBe("limited");
  const check = vi.spyOn(RateLimiter.prototype, "checkAll");
  const record = vi.spyOn(PageObject.prototype, "recordBatch");
  const numbers = vi.spyOn(PageObject.prototype, "recordLimited");
  const began_at = performance.now();
  const answers = await times(100, click);
  const seconds = Math.ceil((performance.now() - began_at) / 1_000);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([302]));
  expect(answers[0]?.headers.get("Location")).toBe("https://shop.example/");
  // No outcome: the click is not acknowledged.
  expect(answers[0]?.headers.has("X-Beacon-Outcome")).toBe(false);
  expect(check).not.toHaveBeenCalled();
  await eventually(async () =>
    expect(await counted(page_id)).toEqual({
      "shop/human": LIMIT,
      "shop/limited": (CEILING - 1) * LIMIT + 100,
    }),
  );
  expect(callsTo(page_id, numbers)).toBeLessThanOrEqual(seconds + 1);

  const prepare = vi.spyOn(Object.getPrototypeOf(env.DB) as D1Database, "prepare");
  let n = 0;
  const links = await times(20, () => call(`/r/${page_id}/none-${n++}`, { ip }));
  expect(new Set(links.map(({ status }) => status))).toEqual(new Set([404]));
  expect(prepare).not.toHaveBeenCalled();
  const pages = await times(20, () => call(`/r/none-${n++}/shop`, { ip }));
  // The clock stands still, so one of them may read D1.
  expect(pages.filter(({ status }) => status === 404)).toHaveLength(1);
  expect(pages.filter(({ status }) => status === 429)).toHaveLength(19);
  expect(prepare).toHaveBeenCalledTimes(1);
  expect(record).not.toHaveBeenCalled();
  prepare.mockRestore();
  await pageObject(page_id).flush();
});

test("F29: an unknown page is read from D1 once in some seconds, at any number of requests", async () => {
  const clock = stopClock();
  const { page_id } = await freshPage();
  await beacon({ page_id });
  const prepare = vi.spyOn(Object.getPrototypeOf(env.DB) as D1Database, "prepare");
  await times(20, () => beacon({ page_id, link_id: crypto.randomUUID() }));
  expect(prepare).toHaveBeenCalledTimes(0);
  await times(20, () => call(`/r/${page_id}/${crypto.randomUUID()}`));
  expect(prepare).toHaveBeenCalledTimes(1);
  clock.advance(5_000);
  await times(20, () => beacon({ page_id, link_id: crypto.randomUUID() }));
  expect(prepare).toHaveBeenCalledTimes(2);
});
