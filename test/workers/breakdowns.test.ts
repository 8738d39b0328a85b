/**
 * The effect of one sender, or of many, on the breakdowns of a day (docs/faults.md F29): the rules in the
 * objects, and their arithmetic against a naive reference.
 */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  BREAKDOWN_VALUES_MAX,
  Breakdowns,
  CANDIDATES_MAX,
  OTHER,
} from "../../objects/tables/breakdowns.ts";
import type { Origin, PageEvent } from "../../objects/tables/event.ts";
import { eventsOf } from "../../objects/tables/journal.ts";
import { hexOf, type Key, keyOf } from "../../objects/tables/key-list.ts";
import {
  NEW_VALUES_MAX,
  NewValueLimit,
  NewValues,
  SENDERS_MAX,
} from "../../objects/tables/new-values.ts";
import { randomKey } from "../../src/counting/event-key.ts";
import { cases } from "./cases.ts";
import { stopClock } from "./faults.ts";
import { beacon, freshPage, pageObject, recordAll, revertSchema } from "./kit.ts";

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

function sum(values: Shown): number {
  return Object.values(values).reduce((total, [views, clicks]) => total + views + clicks, 0);
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
    expect(shownOf(counted(values))).not.toHaveProperty(OTHER);
    const last = ["late.example", "late.example"];
    const after = shownOf(counted([...values, ...last]));
    expect(after["late.example"]).toEqual([2, 0]);
    expect(after).not.toHaveProperty("made-up-0.example");
    expect(after[OTHER]).toEqual([1, 0]);
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

/** A naive reference of the same rules: one dimension, a list, no overlay. */
class Naive {
  values: { value: string; views: number; clicks: number; last: number }[] = [];
  other = [0, 0];
  brought: Record<string, number> = {};
  #events = 0;

  group(events: readonly Sent[]) {
    const before = new Set(this.values.map(({ value }) => value));
    const decided = events.map(({ sender, value, click }) => {
      const column = click ? 1 : 0;
      if (before.has(value)) return { value, column, isNew: false };
      const brought = this.brought[sender] ?? 0;
      if (brought >= NEW_VALUES_MAX) return { value: OTHER, column, isNew: false };
      this.brought[sender] = brought + 1;
      before.add(value);
      return { value, column, isNew: true };
    });
    for (const { value, column } of decided) this.#count(value, column);
  }

  #count(value: string, column: number) {
    this.#events += 1;
    if (value === OTHER) {
      this.other[column] = (this.other[column] ?? 0) + 1;
      return;
    }
    let entry = this.values.find((one) => one.value === value);
    if (entry === undefined) {
      if (this.values.length === CANDIDATES_MAX) {
        this.values.sort((a, b) => a.views + a.clicks - (b.views + b.clicks) || a.last - b.last);
        const least = this.values.shift();
        this.other = [
          (this.other[0] ?? 0) + (least?.views ?? 0),
          (this.other[1] ?? 0) + (least?.clicks ?? 0),
        ];
      }
      entry = { value, views: 0, clicks: 0, last: 0 };
      this.values.push(entry);
    }
    if (column === 0) entry.views += 1;
    else entry.clicks += 1;
    entry.last = this.#events;
  }

  shown(): Shown {
    const { values } = this;
    values.sort((a, b) => b.views + b.clicks - (a.views + a.clicks) || b.last - a.last);
    const top = values.slice(0, BREAKDOWN_VALUES_MAX);
    const rest = values.slice(BREAKDOWN_VALUES_MAX);
    const other: [number, number] = [
      rest.reduce((total, { views }) => total + views, this.other[0] ?? 0),
      rest.reduce((total, { clicks }) => total + clicks, this.other[1] ?? 0),
    ];
    const shown: Shown = Object.fromEntries(
      top.map(({ value, views, clicks }) => [value, [views, clicks]]),
    );
    return other[0] + other[1] > 0 ? { ...shown, [OTHER]: other } : shown;
  }
}

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

test("the rules agree with a naive reference, across groups, checkpoints and replays", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(sent, { minLength: 30, maxLength: 60 }), {
        minLength: 20,
        maxLength: 40,
      }),
      fc.nat(40),
      (groups, checkpoint) => {
        const naive = new Naive();
        let breakdowns = new Breakdowns();
        let new_values = new NewValues();
        let journal: { origin: Origin; newcomer: Key | null; click: boolean }[] = [];
        const take = ({ origin, newcomer, click }: (typeof journal)[number]) => {
          if (newcomer !== null) new_values.add(hexOf(newcomer), origin, breakdowns);
          breakdowns.count(origin, click ? "click" : "view");
        };
        let stored = [breakdowns.toJson(), new_values.toJson()];
        for (const [i, group] of groups.entries()) {
          naive.group(group);
          const admission = new NewValueLimit(breakdowns, new_values);
          const events = group.map(({ sender, value, click }) => {
            const { others, newcomer } = admission.apply({ referrer: value }, () => keyOf(sender));
            return { origin: { referrer: others.length > 0 ? OTHER : value }, newcomer, click };
          });
          journal.push(...events);
          for (const event of events) take(event);
          if (i === checkpoint) {
            stored = [breakdowns.toJson(), new_values.toJson()];
            journal = [];
          }
        }
        const shown = JSON.parse(breakdowns.mostCounted()).referrer;
        expect(shown).toEqual(naive.shown());
        expect(sum(shown)).toBe(groups.flat().length);
        const before = [breakdowns.toJson(), new_values.toJson()];
        breakdowns = Breakdowns.read(stored[0] ?? "");
        new_values = NewValues.read(stored[1] ?? "");
        for (const event of journal) take(event);
        expect(JSON.parse(breakdowns.mostCounted()).referrer).toEqual(naive.shown());
        expect(new_values.toJson()).toBe(before[1]);
      },
    ),
    // A counterexample has several hundred values, and shrinking it takes minutes.
    { numRuns: cases(50), endOnFailure: true },
  );
});
