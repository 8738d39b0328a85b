/** Batches of events: what the router packs is what the object reads, and what its journal gives back. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DIMENSIONS, type Origin, type PageEvent } from "../../../objects/events/event.ts";
import { PackedEvents, packEvents } from "../../../objects/events/packed-events.ts";
import { hexOf } from "../../../objects/keys/key-list.ts";
import { utf8 } from "../../../src/http/bytes.ts";

const text = fc.string({ unit: "binary", maxLength: 20 }).filter((value) => value.isWellFormed());
const origin: fc.Arbitrary<Origin> = fc.dictionary(
  fc.constantFrom(...DIMENSIONS),
  text.filter((value) => value !== "" && !value.includes("\n")),
);
const event: fc.Arbitrary<PageEvent> = fc.record(
  {
    key: fc
      .uint8Array({ minLength: 8, maxLength: 8 })
      .map((bytes) => Buffer.from(bytes).toString("hex").replace(/0{8}$/, "00000001")),
    link_id: fc.stringMatching(/^[A-Za-z0-9_-]{0,64}$/),
    class: fc.constantFrom("human", "bot", "owner", "limited"),
    n: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
    visitor: fc.option(text),
    origin: fc.option(origin),
  },
  { requiredKeys: ["key", "link_id", "class", "visitor", "origin"] },
);
const events = fc.array(event, { maxLength: 30 });

function view(key: string, more: Partial<PageEvent> = {}): PageEvent {
  const digits = key.padEnd(16, "1");
  return { key: digits, link_id: "", class: "human", visitor: null, origin: null, ...more };
}

/** As the journal's column gives it back. */
function stored(batches: readonly PackedEvents[]): ArrayBuffer {
  return new Uint8Array(PackedEvents.row(batches)).buffer;
}

describe("a batch", () => {
  test("has every event as the router packed it", () => {
    fc.assert(
      fc.property(events, (packed) => {
        const batch = PackedEvents.read(packEvents(packed));
        expect(batch.length).toBe(packed.length);
        expect(batch.visitors()).toEqual(packed.map(({ visitor }) => utf8(visitor ?? "")));
        expect(batch.events()).toEqual(
          packed.map(({ key, visitor: _, n = 1, ...rest }, i) => ({
            ...rest,
            n,
            key: batch.key(i),
            visitor: null,
            newcomer: null,
          })),
        );
        expect(packed.map((_, i) => hexOf(batch.key(i)))).toEqual(packed.map(({ key }) => key));
      }),
    );
  });

  test("comes back from a row of several, without their visitors", () => {
    fc.assert(
      fc.property(fc.array(events, { minLength: 1, maxLength: 4 }), (groups) => {
        const batches = groups.map((group) => PackedEvents.read(packEvents(group)));
        const row = stored(batches);
        expect(PackedEvents.readRow(row).map((batch) => batch.events())).toEqual(
          batches.map((batch) => batch.events()),
        );
      }),
    );
  });

  test("S16: leaves no visitor in its row", () => {
    const visitor = "203.0.113.7\nMozilla/5.0 (a very particular browser)";
    const batch = PackedEvents.read(packEvents([view("a", { visitor, origin: {} })]));
    expect(Buffer.from(stored([batch])).toString("latin1")).not.toMatch(/203\.0|particular/);
  });

  test("does not give back an event that was dropped", () => {
    const batch = PackedEvents.read(packEvents([view("a"), view("b"), view("c")]));
    batch.drop(1);
    const keys = PackedEvents.readRow(stored([batch])).flatMap((read) => read.events());
    expect(keys.map(({ key }) => hexOf(key)[0])).toEqual(["a", "c"]);
  });

  test("stores the hashes that the object puts in, and `(other)` where it says so", () => {
    const origins = { referrer: "a.example", country: "SA" };
    const batch = PackedEvents.read(packEvents([view("a", { visitor: "x", origin: origins })]));
    batch.setVisitor(0, { high: 1, low: -2 });
    batch.setNewcomer(0, { high: 3, low: 4 });
    batch.setOther(0, DIMENSIONS.indexOf("referrer"));
    const [read] = PackedEvents.readRow(stored([batch])).flatMap((one) => one.events());
    expect(read).toMatchObject({
      visitor: { high: 1, low: -2 },
      newcomer: { high: 3, low: 4 },
      origin: { referrer: "(other)", country: "SA" },
    });
  });

  test("a line feed in a text does not shift the others", () => {
    const packed = [view("a", { visitor: "x", origin: { referrer: "a\nb", country: "SA" } })];
    const [read] = PackedEvents.read(packEvents(packed)).events();
    expect(read?.origin).toEqual({ referrer: "a b", country: "SA" });
  });

  test("of another version is refused", () => {
    const bytes = packEvents([view("a")]);
    bytes[0] = 2;
    expect(() => PackedEvents.read(bytes)).toThrow("version");
  });
});
