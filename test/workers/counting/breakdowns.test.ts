/** The effect of one sender, or of many, on the breakdowns of a day (docs/faults.md F29). */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Origin, PageEvent } from "../../../objects/events/event.ts";
import { hexOf, type Key, keyOf } from "../../../objects/keys/key-list.ts";
import {
  BREAKDOWN_VALUES_MAX,
  Breakdowns,
  CANDIDATES_MAX,
  OTHER,
} from "../../../objects/page/tables/breakdowns.ts";
import { eventsOf } from "../../../objects/page/tables/journal.ts";
import {
  NEW_VALUES_MAX,
  NewValueLimit,
  NewValues,
  SENDERS_MAX,
} from "../../../objects/page/tables/new-values.ts";
import { randomKey } from "../../../src/counting/event-key.ts";
import { cases } from "../kit/cases.ts";
import { stopClock } from "../kit/faults.ts";
import { beacon, freshPage, pageObject, recordAll, revertSchema } from "../kit/kit.ts";

const DAY_MS = 86_400_000;

/** `[views, clicks]` by value. */
type Shown = Record<string, [number, number]>;

/** One dimension of the page's only day in D1. */
async function shown(page_id: string, dimension = "referrer"): Promise<Shown> {
  const { results } = await env.DB.prepare("SELECT breakdowns FROM days WHERE page_id = ?1")
    .bind(page_id)
    .all<{ breakdowns: string }>();
  expect(results).toHaveLength(1);
  return JSON.parse(results[0]?.breakdowns ?? "{}")[dimension];
}

/** Views and clicks of all values. */
function sum(values: Shown): [number, number] {
  const all = Object.values(values);
  return [
    all.reduce((total, [views]) => total + views, 0),
    all.reduce((total, [, clicks]) => total + clicks, 0),
  ];
}

function view(sender: string, origin: Origin): PageEvent {
  const visitor = `${sender}\nMozilla/5.0`;
  return { key: randomKey(), link_id: "", class: "human", visitor, origin };
}

/** One view of each referrer by one sender, all in one call and so in one group commit. */
async function arrive(page_id: string, sender: string, referrers: readonly string[]) {
  const events = referrers.map((referrer) => view(sender, { referrer }));
  for (const { outcome } of await recordAll(page_id, events)) {
    expect(outcome).toBe("counted");
  }
}

function madeUp(n: number, prefix = "made-up"): string[] {
  return Array.from({ length: n }, (_, i) => `${prefix}-${i}.example`);
}

describe("F29: a day's breakdown", () => {
  test("shows the real referrers after two senders have sent twenty invented ones", async () => {
    const { page_id } = await freshPage();
    for (const [i, referrer] of madeUp(20).entries()) {
      await beacon(
        { page_id, referrer: `https://${referrer}/` },
        { ip: `192.0.2.${1 + Math.floor(i / 10)}` },
      );
    }
    for (let i = 0; i < 7; i += 1) {
      await beacon({ page_id, referrer: "https://instagram.com/" }, { ip: `198.51.100.${i}` });
    }
    await pageObject(page_id).flush();
    const values = await shown(page_id);
    expect(values["instagram.com"]).toEqual([7, 0]);
    expect(values[OTHER]).toEqual([20 - 2 * NEW_VALUES_MAX, 0]);
    expect(Object.keys(values)).toHaveLength(1 + 2 * NEW_VALUES_MAX + 1);
  });

  test("takes three of each dimension, and of the next sender three again", async () => {
    const { page_id } = await freshPage();
    const events = ["192.0.2.1", "192.0.2.2"].flatMap((sender) =>
      Array.from({ length: 5 }, (_, i) =>
        view(sender, { utm_source: `source ${sender} ${i}`, utm_medium: `medium ${sender} ${i}` }),
      ),
    );
    await recordAll(page_id, events);
    await pageObject(page_id).flush();
    for (const dimension of ["utm_source", "utm_medium"]) {
      const values = await shown(page_id, dimension);
      expect(Object.keys(values)).toHaveLength(2 * NEW_VALUES_MAX + 1);
      expect(values[OTHER]).toEqual([4, 0]);
    }
  });

  test.each([
    ["before a checkpoint", false],
    ["after a checkpoint", true],
  ])("F10: takes no more than three through an eviction %s", async (_, checkpoint) => {
    const { page_id } = await freshPage();
    for (let i = 0; i < 6; i += 1) {
      await arrive(page_id, "192.0.2.1", [`site-${i}.example`]);
      if (checkpoint) await pageObject(page_id).flush();
      await evictDurableObject(pageObject(page_id));
    }
    await pageObject(page_id).flush();
    expect(await shown(page_id)).toEqual({
      "site-0.example": [1, 0],
      "site-1.example": [1, 0],
      "site-2.example": [1, 0],
      [OTHER]: [3, 0],
    });
  });

  test("F16: goes on from a row and a journal that older code wrote", async () => {
    const { page_id } = await freshPage();
    await arrive(page_id, "192.0.2.1", ["old.example"]);
    await pageObject(page_id).flush();
    await arrive(page_id, "192.0.2.2", ["replaced.example"]);
    await runInDurableObject(pageObject(page_id), (_, { storage }) => {
      const { sql, kv } = storage;
      const breakdowns = { referrer: { "old.example": [9, 2], [OTHER]: [4, 0] } };
      revertSchema(storage, 3);
      kv.delete("day_bounds");
      sql.exec("UPDATE days SET breakdowns = ?1", JSON.stringify(breakdowns));
      const journal = ["new.example", "old.example"].map((referrer) => {
        const visitor = randomKey();
        return { key: randomKey(), link_id: "", class: "human", visitor, origin: { referrer } };
      });
      sql.exec("UPDATE journal SET events = ?1", JSON.stringify(journal));
    });
    await evictDurableObject(pageObject(page_id));
    await arrive(page_id, "192.0.2.3", madeUp(5));
    await pageObject(page_id).flush();
    expect(await shown(page_id)).toEqual({
      "old.example": [10, 2],
      "new.example": [1, 0],
      "made-up-0.example": [1, 0],
      "made-up-1.example": [1, 0],
      "made-up-2.example": [1, 0],
      [OTHER]: [6, 0],
    });
  });

  test("S16: stores a sender as a hash with the page and the day, and only if it adds a value", async () => {
    const clock = stopClock();
    const hashes = new Set<unknown>();
    for (const { page_id } of [await freshPage(), await freshPage()]) {
      for (let day = 0; day < 2; day += 1) {
        await arrive(page_id, "192.0.2.1", ["a.example", "a.example"]);
        const events = await runInDurableObject(pageObject(page_id), (_, { storage }) => {
          const rows = storage.sql.exec<{ events: ArrayBuffer }>("SELECT events FROM journal");
          return eventsOf(rows.one().events);
        });
        expect(events.map(({ newcomer }) => newcomer !== null)).toEqual([true, false]);
        for (const key of [events[0]?.newcomer, events[0]?.visitor]) hashes.add(key && hexOf(key));
        await pageObject(page_id).flush();
        clock.advance(DAY_MS);
      }
    }
    expect(hashes.size).toBe(2 * 4);
  });
});

describe("the values of a dimension", () => {
  /** `n` views of as many senders. */
  function counted(values: readonly string[], breakdowns = new Breakdowns()): Breakdowns {
    for (const referrer of values) breakdowns.count({ referrer }, "view");
    return breakdowns;
  }
  const shownOf = (breakdowns: Breakdowns): Shown => JSON.parse(breakdowns.mostCounted()).referrer;

  test("are shown up to a hundred, and from the next on the least counted are under (other)", () => {
    const values = madeUp(BREAKDOWN_VALUES_MAX);
    const breakdowns = counted(values);
    expect(shownOf(breakdowns)).not.toHaveProperty(OTHER);
    for (let i = 0; i < 2; i += 1) breakdowns.count({ referrer: "late.example" }, "click");
    const after = shownOf(breakdowns);
    expect(after["late.example"]).toEqual([0, 2]);
    expect(after).not.toHaveProperty("made-up-0.example");
    expect(after[OTHER]).toEqual([1, 0]);
  });

  test("take the places of several where they are long, so that made up ones push out no others", () => {
    const values = madeUp(BREAKDOWN_VALUES_MAX);
    const breakdowns = new Breakdowns();
    for (let i = 0; i < 10; i += 1) counted(values, breakdowns);
    const long = madeUp(20).map((value) => `${"l".repeat(230)}.${value}`);
    for (let i = 0; i < 12; i += 1) counted(long, breakdowns);
    expect(Object.keys(shownOf(breakdowns)).toSorted()).toEqual([OTHER, ...values].toSorted());
    expect(shownOf(breakdowns)[OTHER]).toEqual([20 * 12, 0]);
    for (let i = 0; i < 70; i += 1) counted(long.slice(0, 1), breakdowns);
    expect(shownOf(breakdowns)).toHaveProperty([long[0] ?? ""]);
  });

  test("are tracked up to 400; then a new one takes the place of the least counted, the oldest of equals", () => {
    const values = madeUp(CANDIDATES_MAX);
    const breakdowns = counted(["made-up-0.example", "made-up-2.example", ...values]);
    expect(values.every((value) => breakdowns.has("referrer", value))).toBe(true);
    counted(["late.example"], breakdowns);
    expect(breakdowns.has("referrer", "late.example")).toBe(true);
    expect(values.filter((value) => !breakdowns.has("referrer", value))).toEqual([
      "made-up-1.example",
    ]);
    counted(["later.example"], breakdowns);
    expect(breakdowns.has("referrer", "made-up-3.example")).toBe(false);
  });

  test("fit into their row at their longest", () => {
    const breakdowns = new Breakdowns();
    for (let i = 0; i <= CANDIDATES_MAX; i += 1) {
      const text = (chars: number) => `${i}`.padStart(chars, "ع".repeat(chars));
      const wide = text(100).replaceAll("ع", "語");
      breakdowns.count(
        {
          referrer: text(253).replaceAll("ع", "語"),
          country: text(2),
          device: text(10),
          utm_source: wide,
          utm_medium: wide,
          utm_campaign: wide,
        },
        "view",
      );
    }
    expect(new TextEncoder().encode(breakdowns.toJson()).length).toBeLessThan(1_000_000);
    expect(new TextEncoder().encode(breakdowns.mostCounted()).length).toBeLessThan(250_000);
  });
});

describe("senders", () => {
  test("are remembered up to 2,000 a day, the oldest forgotten first", () => {
    const breakdowns = new Breakdowns();
    const new_values = new NewValues();
    const note = (sender: string) => new_values.add(sender, { referrer: sender }, breakdowns);
    for (let i = 0; i < SENDERS_MAX; i += 1) note(`s${i}`);
    expect(new_values.of("s0", "referrer")).toBe(1);
    note("one too many");
    expect(["s0", "s1", "one too many"].map((s) => new_values.of(s, "referrer"))).toEqual([
      0, 1, 1,
    ]);
    expect(NewValues.read(new_values.toJson()).of("s1", "referrer")).toBe(1);
  });
});

interface Sent {
  sender: string;
  value: string;
  click: boolean;
}

const sent: fc.Arbitrary<Sent> = fc.record({
  sender: fc.nat(700).map((n) => (n + 1).toString(16).padStart(16, "0")),
  // A few values of many senders, and many values of few: more than there are candidates.
  value: fc.oneof(
    { weight: 2, arbitrary: fc.nat(5).map((n) => `popular${n}`) },
    { weight: 7, arbitrary: fc.nat(3_000).map((n) => `rare${n}`) },
    { weight: 1, arbitrary: fc.constantFrom("__proto__", "constructor", "7") },
  ),
  click: fc.boolean(),
});

test("every event is in one value, and no sender brings more than three, across groups, checkpoints and replays", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(sent, { minLength: 30, maxLength: 60 }), { minLength: 20, maxLength: 40 }),
      fc.nat(40),
      (groups, checkpoint) => {
        const breakdowns = new Breakdowns();
        const new_values = new NewValues();
        const journal: { origin: Origin; newcomer: Key | null; click: boolean }[] = [];
        const take = (day: Breakdowns, brought: NewValues, event: (typeof journal)[number]) => {
          const { origin, newcomer, click } = event;
          if (newcomer !== null) brought.add(hexOf(newcomer), origin, day);
          day.count(origin, click ? "click" : "view");
        };
        let stored = [breakdowns.toJson(), new_values.toJson()];
        for (const [i, group] of groups.entries()) {
          const admission = new NewValueLimit(breakdowns, new_values);
          const events = group.map(({ sender, value, click }) => {
            const { others, newcomer } = admission.apply({ referrer: value }, () => keyOf(sender));
            return { origin: { referrer: others.length > 0 ? OTHER : value }, newcomer, click };
          });
          journal.push(...events);
          for (const event of events) take(breakdowns, new_values, event);
          if (i === checkpoint) {
            stored = [breakdowns.toJson(), new_values.toJson()];
            journal.length = 0;
          }
        }
        const all = groups.flat();
        const clicks = all.filter(({ click }) => click).length;
        const shown: Shown = JSON.parse(breakdowns.mostCounted()).referrer;
        expect(sum(shown)).toEqual([all.length - clicks, clicks]);
        for (const { sender } of all) {
          expect(new_values.of(sender, "referrer")).toBeLessThanOrEqual(NEW_VALUES_MAX);
        }
        const woken = Breakdowns.read(stored[0] ?? "");
        const remembered = NewValues.read(stored[1] ?? "");
        for (const event of journal) take(woken, remembered, event);
        expect(woken.mostCounted()).toBe(breakdowns.mostCounted());
        expect(remembered.toJson()).toBe(new_values.toJson());
      },
    ),
    // A counterexample has several hundred values, and shrinking it takes minutes.
    { numRuns: cases(50), endOnFailure: true },
  );
});
