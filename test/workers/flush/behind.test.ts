/**
 * docs/faults.md F30: a D1 that takes no flushes, while it answers reads. The numbers of a page say
 * how far they are behind, in the API and on the dashboard, and are right as soon as D1 has space.
 */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";
import {
  FlushPauses,
  FULL_MAX_MS,
  pauseAfter,
  refusalOf,
} from "../../../objects/flush/flush-pauses.ts";
import type { Stats } from "../../../src/stats/stats-shape.ts";
import { stopClock } from "../kit/faults.ts";
import { signIn } from "../kit/hub-kit.ts";
import { beacon, call, freshPage, pageObject } from "../kit/kit.ts";

const OWNER = "demo-pro";
const MINUTE_MS = 60_000;

let clock: ReturnType<typeof stopClock>;

beforeEach(() => {
  clock = stopClock();
});

/** What workerd's `D1PreparedStatement` has beside its methods. */
interface Query {
  statement: string;
}

/** D1 refuses every batch that would write tallies. */
function fillD1(): { mend: () => void } {
  const prototype = Object.getPrototypeOf(env.DB) as D1Database;
  const batch = prototype.batch;
  const spy = vi.spyOn(prototype, "batch").mockImplementation(function (this: D1Database, list) {
    const isFlush = list.some((each) => /INSERT INTO/.test((each as unknown as Query).statement));
    if (isFlush) throw new Error("D1_ERROR: Exceeded maximum DB size");
    return batch.call(this, list) as never;
  });
  return { mend: () => spy.mockRestore() };
}

async function statsOf(page_id: string, cookie: string): Promise<Stats> {
  const response = await call(`/api/me/pages/${page_id}/stats`, { headers: { Cookie: cookie } });
  expect(response.status).toBe(200);
  return response.json<Stats>();
}

test("a full D1 delays the numbers, which say so in the API and on the dashboard until it has space", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const { page_id } = await freshPage({ owner_id: OWNER, time_zone: "UTC" });
  const cookie = await signIn(OWNER);
  const dashboard = async (lang: string) => {
    const response = await call(`/dashboard/${page_id}?lang=${lang}`, {
      headers: { Cookie: cookie },
    });
    expect(response.status).toBe(200);
    return response.text();
  };
  await beacon({ page_id });
  expect((await statsOf(page_id, cookie)).behind_ms).toBe(0);
  expect(await dashboard("en")).not.toContain("data-behind");

  const { mend } = fillD1();
  const since = Date.now();
  await beacon({ page_id });
  await beacon({ page_id });
  await runDurableObjectAlarm(pageObject(page_id));
  clock.advance(20 * MINUTE_MS);
  const late = await statsOf(page_id, cookie);
  expect(late.behind_ms).toBeGreaterThanOrEqual(20 * MINUTE_MS);
  expect(Date.parse(late.as_of)).toBeLessThanOrEqual(since);
  expect(late.pending.views).toBeGreaterThanOrEqual(2);
  expect(await dashboard("en")).toContain("running late since");
  expect(await dashboard("ar")).toContain("التقارير متأخّرة منذ");

  mend();
  expect(await dashboard("en")).not.toContain("data-behind");
  const mended = await statsOf(page_id, cookie);
  expect([mended.behind_ms, mended.pending.views, mended.totals.views]).toEqual([0, 0, 3]);
});

test.each([
  ["D1_ERROR: D1 DB is overloaded. Requests queued for too long.", "overloaded"],
  ["D1_ERROR: Exceeded maximum DB size", "full"],
  ["D1_ERROR: Exceeded maximum account storage limit", "full"],
  ["D1_ERROR: database or disk is full: SQLITE_FULL", "full"],
  // F42, each until midnight UTC.
  [
    "D1_ERROR: Your account has exceeded D1's free tier daily row write limit. Upgrade to a paid plan or wait until tomorrow (midnight UTC) to continue.",
    "full",
  ],
  ["Exceeded allowed rows written in Durable Objects free tier.", "full"],
  ["no answer within 30000 ms", "unanswered"],
  ["D1_ERROR: Network connection lost.", "failed"],
  // Of the object's own storage, which heals sooner.
  ["database or disk is full: SQLITE_FULL", "failed"],
])("%s means %s", (message, refusal) => {
  expect(refusalOf(new Error(message))).toBe(refusal);
});

test("pauses grow after failures, shrink while D1 is overloaded, and are never longer than ten minutes", () => {
  const longest = (refusal: Parameters<typeof pauseAfter>[0]) =>
    [1, 2, 3, 6].map((failures) => pauseAfter(refusal, failures, 0) / 1_000);
  expect(longest("failed")).toEqual([1, 2, 4, 32]);
  expect(longest("unanswered")).toEqual([25, 25, 25, 25]);
  expect(longest("overloaded")).toEqual([45, 22.5, 15, 10]);
  expect(longest("full")).toEqual([45, 90, 180, FULL_MAX_MS / 1_000]);
  expect(pauseAfter("overloaded", 1, 0.999)).toBeLessThan(23_000);
});

test.each([
  ["no such table: tallies", 45_000],
  ["Exceeded maximum DB size", FULL_MAX_MS],
])(
  "after power failed, a pause for %s ends with its alarm, which comes within %i ms; a later one is of something else",
  (message, pause_max_ms) => {
    const stored = new Map<string, unknown>();
    const kv = {
      get: <T>(key: string) => stored.get(key) as T | undefined,
      put: (key: string, value: unknown) => void stored.set(key, value),
      delete: (key: string) => stored.delete(key),
      list: () => [],
    };
    const NOW = 1_800_000_000_000;
    new FlushPauses(kv).failed(new Error(message), NOW, 0);
    const untilAfter = (alarm_ms: number) => {
      const pauses = new FlushPauses(kv);
      pauses.load(alarm_ms, NOW);
      return pauses.until_ms;
    };
    expect(untilAfter(NOW + pause_max_ms)).toBe(NOW + pause_max_ms);
    expect(untilAfter(NOW + pause_max_ms + 1)).toBe(Number.NEGATIVE_INFINITY);
    new FlushPauses(kv).succeeded();
    expect(stored.size).toBe(0);
  },
);
