/**
 * Links that open and close at a second, behind the caches: the edge's of a minute, and the isolate's of
 * a second. Nothing is purged for it.
 */
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { SECOND_MS } from "../../../objects/platform/clock.ts";
import {
  freshnessUntil,
  NEXT_CHANGE_HEADER,
  nextChange,
} from "../../../src/pages/cache/freshness.ts";
import { ISOLATE_CACHE_MS, IsolateCache } from "../../../src/pages/cache/isolate-cache.ts";
import { cases } from "../kit/cases.ts";
import { breakReads, stopClock } from "../kit/faults.ts";
import { call, freshPage } from "../kit/kit.ts";

/** Unix second at which the schedules begin. */
const START_S = 1_800_000_000;

const second = fc.option(fc.integer({ min: START_S - 5, max: START_S + 150 }));
const schedule = fc.record({ enabled: fc.boolean(), from: second, until: second });

async function shownLinks(slug: string): Promise<string[]> {
  const html = await (await call(`/${slug}`)).text();
  return [...html.matchAll(/\/r\/[\w-]+\/(l\d)"/g)].map(([, id]) => id ?? "");
}

describe("a link with times", () => {
  test("F25: is on the page from its first second until its last, and not a moment longer", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(schedule, { minLength: 1, maxLength: 4 }),
        fc.array(fc.integer({ min: 1, max: 30_000 }), { minLength: 1, maxLength: 12 }),
        fc.boolean(),
        async (schedules, steps_ms, at_boundaries) => {
          const clock = stopClock();
          clock.set(START_S * SECOND_MS);
          const links = schedules.map((times, i) => ({
            link_id: `l${i}`,
            label: `${i}`,
            url: `https://l${i}.example/`,
            ...times,
          }));
          const { slug } = await freshPage({ links });
          const boundaries = links
            .flatMap(({ from, until }) => [from, until])
            .flatMap((time_s) => (time_s === null ? [] : [time_s * SECOND_MS]));
          let now = START_S * SECOND_MS;
          const times = steps_ms.map((step_ms) => {
            now += step_ms;
            return now;
          });
          // Around each boundary too: the last moment before it, and the first.
          if (at_boundaries) times.push(...boundaries.flatMap((time) => [time - 1, time]));
          for (const time of times.filter((time) => time >= START_S * SECOND_MS).sort()) {
            clock.set(time);
            const open = links
              .filter(({ enabled }) => enabled)
              .filter(({ from }) => from === null || from * SECOND_MS <= time)
              .filter(({ until }) => until === null || time < until * SECOND_MS)
              .map(({ link_id }) => link_id);
            expect([time, await shownLinks(slug)]).toEqual([time, open]);
          }
        },
      ),
      { numRuns: cases(40) },
    );
  });

  test("that is closed or switched off is not in the source of the page either", async () => {
    const closed = { label: "secret", url: "https://secret.example/" };
    const now_s = Math.floor(Date.now() / SECOND_MS);
    const { slug } = await freshPage({
      contact: null,
      links: [
        { link_id: "off", ...closed, enabled: false },
        { link_id: "early", ...closed, from: now_s + 3_600 },
        { link_id: "late", ...closed, until: now_s - 1 },
        { link_id: "icon", kind: "social", ...closed, enabled: false },
        { link_id: "text", kind: "text", label: "secret", until: now_s - 1 },
      ],
    });
    const response = await call(`/${slug}`);
    expect(await response.text()).not.toMatch(/secret|\/r\//);
    // Nor does a header tell when it will open.
    expect(JSON.stringify([...response.headers])).not.toContain(String(now_s + 3_600));
  });

  test("I6: stays on the page for as long as D1 is down, and no longer", async () => {
    const clock = stopClock();
    const until = Math.floor(Date.now() / SECOND_MS) + 30;
    const links = [{ link_id: "l0", label: "0", url: "https://l0.example/", until }];
    const { slug } = await freshPage({ links });
    expect(await shownLinks(slug)).toEqual(["l0"]);
    breakReads();
    clock.advance(3_600_000);
    expect(await shownLinks(slug)).toEqual(["l0"]);
    vi.restoreAllMocks();
    expect(await shownLinks(slug)).toEqual([]);
  });
});

describe("the next change of a page", () => {
  test("is the first boundary after now of a link that is switched on", () => {
    const link = { enabled: true, from: null, until: null };
    expect(nextChange([link], 0)).toBe(Number.POSITIVE_INFINITY);
    expect(nextChange([{ ...link, from: 5, until: 9 }], 0)).toBe(5_000);
    expect(nextChange([{ ...link, from: 5, until: 9 }], 5_000)).toBe(9_000);
    expect(nextChange([{ ...link, from: 5, until: 9 }], 9_000)).toBe(Number.POSITIVE_INFINITY);
    expect(nextChange([{ ...link, enabled: false, from: 5 }], 0)).toBe(Number.POSITIVE_INFINITY);
  });

  test("bounds the time of the edge: the most whole seconds until it, at most 60", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200_000 }), (left_ms) => {
        const now = START_S * SECOND_MS - left_ms;
        const headers = freshnessUntil(START_S * SECOND_MS, now);
        const header = headers["Cloudflare-CDN-Cache-Control"] ?? "";
        const max_age_ms = Number(/^max-age=(\d+),/.exec(header)?.[1]) * SECOND_MS;
        expect(max_age_ms).toBeLessThanOrEqual(left_ms);
        expect(max_age_ms).toBeGreaterThan(Math.min(left_ms - SECOND_MS, 59_999));
        expect(max_age_ms).toBeLessThanOrEqual(60_000);
      }),
    );
  });

  test("ends a page in the isolate's memory, which is asked with no later time", async () => {
    const cache = new IsolateCache();
    const keep = (next_change: number) => {
      const headers = {
        "Content-Type": "text/html",
        "Cache-Control": "public",
        [NEXT_CHANGE_HEADER]: String(next_change),
      };
      return cache.store("/a", 10_000, new Response("a", { headers }));
    };
    const response = await keep(10_400);
    expect(response.headers.has(NEXT_CHANGE_HEADER)).toBe(false);
    expect(cache.find("/a", 10_399)?.headers.has(NEXT_CHANGE_HEADER)).toBe(false);
    expect(cache.find("/a", 10_400)).toBeUndefined();
    await keep(99_000);
    expect(cache.find("/a", 9_999 + ISOLATE_CACHE_MS)).toBeDefined();
    expect(cache.find("/a", 10_000 + ISOLATE_CACHE_MS)).toBeUndefined();
  });
});
