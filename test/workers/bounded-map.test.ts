import fc from "fast-check";
import { expect, test } from "vitest";
import { BoundedMap } from "../../objects/platform/bounded-map.ts";

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

test("it also holds at most a weight, by the entries set last", () => {
  const max_weight = 10;
  const key = fc.constantFrom("a", "b", "c", "d", "e");
  const call = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ do: fc.constant("set" as const), key, weight: fc.nat(12) }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("delete" as const), key }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("clear" as const) }) },
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(call, { maxLength: 60 }), (max, calls) => {
      const map = new BoundedMap<string, number>(max, { max_weight, weigh: (value) => value });
      let expected: [key: string, weight: number][] = [];
      for (const call of calls) {
        if (call.do === "clear") {
          map.clear();
          expected = [];
        } else if (call.do === "delete") {
          map.delete(call.key);
          expected = expected.filter(([known]) => known !== call.key);
        } else {
          map.set(call.key, call.weight);
          expected = [...expected.filter(([known]) => known !== call.key), [call.key, call.weight]];
          const weight = () => expected.reduce((sum, [, n]) => sum + n, 0);
          while (expected.length > max || (expected.length > 1 && weight() > max_weight)) {
            expected.shift();
          }
        }
        expect([...map]).toEqual(expected);
      }
    }),
  );
});
