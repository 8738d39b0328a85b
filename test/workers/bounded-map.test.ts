import fc from "fast-check";
import { expect, test } from "vitest";
import { BoundedMap } from "../../objects/platform/bounded-map.ts";

test("a full bounded map drops the key that was set longest ago", () => {
  const map = new BoundedMap<string, number>(2).set("a", 1).set("b", 2);
  expect([...map]).toEqual([
    ["a", 1],
    ["b", 2],
  ]);
  map.set("c", 3);
  expect([...map]).toEqual([
    ["b", 2],
    ["c", 3],
  ]);
});

test("setting a known key makes it the newest and drops nothing; reading one does not", () => {
  const map = new BoundedMap<string, number>(2).set("a", 1).set("b", 2).set("a", 3);
  expect([...map.keys()]).toEqual(["b", "a"]);
  expect(map.get("b")).toBe(2);
  map.set("c", 4);
  expect([...map]).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
});

test("after any calls it holds the keys that were set last", () => {
  const key = fc.constantFrom("a", "b", "c", "d", "e", undefined);
  const call = fc.oneof(
    { weight: 8, arbitrary: fc.record({ do: fc.constant("set" as const), key }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("delete" as const), key }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("clear" as const), key }) },
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(call, { maxLength: 60 }), (max, calls) => {
      const map = new BoundedMap<string | undefined, number>(max);
      let expected: (string | undefined)[] = [];
      for (const [i, { do: method, key }] of calls.entries()) {
        if (method === "clear") {
          map.clear();
          expected = [];
          continue;
        }
        if (method === "set") map.set(key, i);
        else map.delete(key);
        const others = expected.filter((known) => known !== key);
        expected = method === "set" ? [...others, key].slice(-max) : others;
        expect([...map.keys()]).toEqual(expected);
      }
    }),
  );
});
