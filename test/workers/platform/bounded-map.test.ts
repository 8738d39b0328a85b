import fc from "fast-check";
import { expect, test } from "vitest";
import { BoundedMap } from "../../../objects/platform/bounded-map.ts";

const MAX_WEIGHT = 10;

const key = fc.constantFrom("a", "b", "c", "d", "e", undefined);
const call = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant("set" as const), key, weight: fc.nat(12) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom("delete" as const, "get" as const), key }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("clear" as const) }) },
);

test.each([Number.POSITIVE_INFINITY, MAX_WEIGHT])(
  "after any calls it holds the entries that were set last, as many as weigh at most %d together",
  (max_weight) => {
    const limit =
      max_weight === MAX_WEIGHT ? { max_weight, weigh: (value: number) => value } : null;
    const sizes = fc.integer({ min: 1, max: 4 });
    fc.assert(
      fc.property(sizes, fc.array(call, { maxLength: 60 }), (max, calls) => {
        const map = new BoundedMap<string | undefined, number>(max, limit);
        let expected: [key: string | undefined, weight: number][] = [];
        const weight = () => expected.reduce((sum, [, n]) => sum + n, 0);
        for (const call of calls) {
          if (call.do === "clear") {
            map.clear();
            expected = [];
          } else if (call.do === "get") {
            expect(map.get(call.key)).toBe(expected.find(([known]) => known === call.key)?.[1]);
          } else {
            expected = expected.filter(([known]) => known !== call.key);
            if ("weight" in call) {
              map.set(call.key, call.weight);
              expected.push([call.key, call.weight]);
            } else map.delete(call.key);
          }
          while (expected.length > max || (expected.length > 1 && weight() > max_weight)) {
            expected.shift();
          }
          expect([...map]).toEqual(expected);
        }
      }),
    );
  },
);
