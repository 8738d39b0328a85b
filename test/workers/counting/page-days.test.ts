/**
 * Visitors and breakdowns are counted in days of the page's time zone (docs/contract.md section 10).
 * Every event is in exactly one day, whatever happens to the zone, the clock and the object.
 */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import type { PageEvent } from "../../../objects/events/event.ts";
import type { PageObject } from "../../../objects/page/page-object.ts";
import { localDay } from "../../../objects/platform/calendar.ts";
import { randomKey } from "../../../src/counting/event-key.ts";
import { stopClock } from "../kit/faults.ts";
import { freshPage, pageObject, recordAll } from "../kit/kit.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let clock: ReturnType<typeof stopClock>;

beforeEach(() => {
  clock = stopClock();
});

const at = (iso: string) => Date.parse(iso) / 1_000;

/** One view by each visitor. */
async function view(page_id: string, ...visitors: string[]): Promise<void> {
  const events = visitors.map((visitor): PageEvent => {
    const origin = { referrer: "a.example" };
    const from = `${visitor}\nMozilla/5.0`;
    return { key: randomKey(), link_id: "", class: "human", visitor: from, origin };
  });
  for (const { outcome } of await recordAll(page_id, events)) expect(outcome).toBe("counted");
}

/** The page's time zone from now on. */
async function move(page_id: string, time_zone: string): Promise<void> {
  await env.DB.prepare(
    `UPDATE pages SET version = version + 1,
       document = json_set(document, '$.time_zone', ?2) WHERE page_id = ?1`,
  )
    .bind(page_id, time_zone)
    .run();
  await pageObject(page_id).changed();
}

/** `[start, visitors, views]` of the page's days in D1, after a flush. */
async function daysOf(page_id: string): Promise<[string, number, number][]> {
  await pageObject(page_id).flush();
  const { results } = await env.DB.prepare(
    "SELECT day, visitors, breakdowns FROM days WHERE page_id = ?1 ORDER BY day",
  )
    .bind(page_id)
    .all<{ day: number; visitors: number; breakdowns: string }>();
  return results.map(({ day, visitors, breakdowns }) => [
    new Date(day * 1_000).toISOString().replace(":00.000Z", "Z"),
    visitors,
    JSON.parse(breakdowns).referrer["a.example"][0],
  ]);
}

describe("a day of a time zone", () => {
  test.each([
    // 25 hours.
    ["America/New_York", "2027-11-07T12:00Z", "2027-11-07T04:00Z", "2027-11-08T05:00Z"],
    // Midnight does not exist: the clock goes from 23:59 to 01:00.
    ["Africa/Cairo", "2027-04-30T12:00Z", "2027-04-29T22:00Z", "2027-04-30T21:00Z"],
    // Midnight comes twice: one minute after the first the clock goes back to 23:01.
    ["America/St_Johns", "2010-11-07T02:45Z", "2010-11-07T02:30Z", "2010-11-08T03:30Z"],
    // 30 December does not exist.
    ["Pacific/Apia", "2011-12-30T09:59Z", "2011-12-29T10:00Z", "2011-12-30T10:00Z"],
    ["Pacific/Apia", "2011-12-30T10:00Z", "2011-12-30T10:00Z", "2011-12-31T10:00Z"],
  ])("%s at %s begins at %s and ends at %s", (time_zone, time, from, to) => {
    const day = localDay(Date.parse(time), time_zone);
    expect(day).toEqual({ from_s: at(from), to_s: at(to) });
  });
});

describe("a page's visitors", () => {
  test("are counted once a day of its zone", async () => {
    clock.set(Date.parse("2027-03-01T20:00Z"));
    const { page_id } = await freshPage({ time_zone: "Asia/Riyadh" });
    await view(page_id, "a", "a", "b");
    clock.set(Date.parse("2027-03-01T20:59:59.999Z"));
    await view(page_id, "a");
    clock.set(Date.parse("2027-03-01T21:00Z"));
    await view(page_id, "a");
    expect(await daysOf(page_id)).toEqual([
      ["2027-02-28T21:00Z", 2, 4],
      ["2027-03-01T21:00Z", 1, 1],
    ]);
  });

  test("F14: are of the old day again when the clock is set back over midnight", async () => {
    clock.set(Date.parse("2027-03-01T20:59Z"));
    const { page_id } = await freshPage({ time_zone: "Asia/Riyadh" });
    await view(page_id, "a");
    clock.advance(2 * MINUTE_MS);
    await view(page_id, "a");
    clock.advance(-2 * MINUTE_MS);
    await view(page_id, "a");
    await evictDurableObject(pageObject(page_id));
    await view(page_id, "a");
    // Further back than any event: the day ends where the known one begins.
    clock.advance(-24 * HOUR_MS);
    await view(page_id, "a");
    expect(await daysOf(page_id)).toEqual([
      ["2027-02-27T21:00Z", 1, 1],
      ["2027-02-28T21:00Z", 1, 3],
      ["2027-03-01T21:00Z", 1, 1],
    ]);
  });
});

describe("a changed zone", () => {
  test.each([
    ["to the east", "UTC", "Asia/Riyadh", ["2027-03-02T00:00Z", "2027-03-02T21:00Z"]],
    // The five hours before midnight are of the day to whose date they would count.
    ["to the west", "UTC", "America/New_York", ["2027-03-02T00:00Z", "2027-03-03T05:00Z"]],
  ])(
    "%s takes effect with the next day, which begins where the current one ends",
    async (_, before, after, [next = "", last = ""]) => {
      clock.set(Date.parse("2027-03-01T06:00Z"));
      const { page_id } = await freshPage({ time_zone: before });
      await view(page_id, "a");
      await move(page_id, after);
      await view(page_id, "a", "b");
      clock.set(Date.parse("2027-03-01T23:59:59.999Z"));
      await view(page_id, "a");
      for (const begin of [next, last]) {
        clock.set(Date.parse(begin));
        await view(page_id, "a");
        clock.advance(6 * HOUR_MS);
        await view(page_id, "a");
      }
      expect(await daysOf(page_id)).toEqual([
        ["2027-03-01T00:00Z", 2, 4],
        [next, 1, 2],
        [last, 1, 2],
      ]);
    },
  );

  test("F37: makes no day of twelve hours or less, however often it changes", async () => {
    const begun = Date.parse("2027-03-01T00:30Z");
    clock.set(begun);
    const { page_id } = await freshPage({ time_zone: "UTC" });
    for (let hour = 0; hour < 72; hour += 1) {
      clock.set(begun + hour * HOUR_MS);
      // Where the next midnight is within the hour: 1 o'clock of UTC is midnight in UTC-1, Etc/GMT+1.
      const next = (hour + 1) % 24;
      await move(page_id, next <= 12 ? `Etc/GMT+${next}` : `Etc/GMT-${24 - next}`);
      await view(page_id, "a");
    }
    const days = (await daysOf(page_id)).map(([day]) => at(day));
    expect(days.length).toBeGreaterThan(1);
    for (const [i, day] of days.slice(1).entries()) {
      expect(day - (days[i] ?? 0)).toBeGreaterThan(12 * 3_600);
    }
  });

  test("F1: is not known to a journal that is read back", async () => {
    clock.set(Date.parse("2027-03-01T20:00Z"));
    const { page_id } = await freshPage({ time_zone: "Asia/Riyadh" });
    await view(page_id, "a");
    await move(page_id, "UTC");
    for (let i = 0; i < 2; i += 1) {
      await evictDurableObject(pageObject(page_id));
      await view(page_id, "a", "b");
    }
    clock.advance(2 * HOUR_MS);
    await view(page_id, "a");
    await evictDurableObject(pageObject(page_id));
    expect(await daysOf(page_id)).toEqual([
      ["2027-02-28T21:00Z", 2, 5],
      ["2027-03-01T21:00Z", 1, 1],
    ]);
  });

  test("that the runtime does not have counts in days of UTC", async () => {
    clock.set(Date.parse("2027-03-01T20:00Z"));
    const { page_id } = await freshPage({ time_zone: "Mars/Olympus" });
    await view(page_id, "a");
    expect(await daysOf(page_id)).toEqual([["2027-03-01T00:00Z", 1, 1]]);
  });

  test("F16: lets the day of UTC end that older code began", async () => {
    clock.set(Date.parse("2027-03-01T20:00Z"));
    const { page_id } = await freshPage();
    await view(page_id, "a");
    await pageObject(page_id).flush();
    await view(page_id, "b");
    await runInDurableObject(pageObject(page_id), (_: PageObject, { storage }) =>
      storage.kv.delete("day_bounds"),
    );
    await move(page_id, "Asia/Riyadh");
    await evictDurableObject(pageObject(page_id));
    clock.set(Date.parse("2027-03-01T22:00Z"));
    await view(page_id, "a", "b", "c");
    clock.set(Date.parse("2027-03-02T00:00Z"));
    await view(page_id, "a");
    expect(await daysOf(page_id)).toEqual([
      ["2027-03-01T00:00Z", 3, 5],
      ["2027-03-02T00:00Z", 1, 1],
    ]);
  });

  test("F16: leaves a day of UTC alone that older code began after newer code had stored its bounds", async () => {
    clock.set(Date.parse("2026-11-20T12:00:00Z"));
    const { page_id } = await freshPage();
    await move(page_id, "Asia/Tokyo");
    await view(page_id, "a");
    await pageObject(page_id).flush();
    clock.set(Date.parse("2026-11-22T01:00:00Z"));
    await runInDurableObject(pageObject(page_id), (_: PageObject, { storage }) => {
      storage.sql.exec(
        "INSERT INTO days (day, visitors, breakdowns, version) VALUES (?1, 0, '{}', 1)",
        at("2026-11-22T00:00:00Z"),
      );
    });
    await evictDurableObject(pageObject(page_id));
    await view(page_id, "b");
    expect((await daysOf(page_id)).at(-1)).toEqual(["2026-11-22T00:00Z", 1, 1]);
  });
});
