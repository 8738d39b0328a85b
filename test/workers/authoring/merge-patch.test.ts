/** JSON Merge Patch, by RFC 7396. */
import { expect, test } from "vitest";
import { PATCH_DEPTH_MAX } from "../../../src/authoring/limits.ts";
import { mergePatch } from "../../../src/authoring/merge-patch.ts";

/** RFC 7396 appendix A, in its order: original, patch, result. */
const EXAMPLES: [unknown, unknown, unknown][] = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [
    ["a", "b"],
    ["c", "d"],
    ["c", "d"],
  ],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

test.each(EXAMPLES)("%j with %j is %j", (target, patch, result) => {
  const before = structuredClone(target);
  expect(mergePatch(target, patch)).toEqual(result);
  expect(target).toEqual(before);
});

test("F13: `__proto__` is a member like any other", () => {
  const patch = JSON.parse('{"__proto__":{"a":1},"b":{"__proto__":2}}');
  const merged = mergePatch({}, patch) as Record<string, unknown>;
  expect(Object.keys(merged)).toEqual(["__proto__", "b"]);
  expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  expect("a" in merged).toBe(false);
});

test(`F13: a patch has ${PATCH_DEPTH_MAX} levels, and one more is refused`, () => {
  const nested = (levels: number) =>
    JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`) as unknown;
  expect(mergePatch({}, nested(PATCH_DEPTH_MAX))).toEqual(nested(PATCH_DEPTH_MAX));
  for (const levels of [PATCH_DEPTH_MAX + 1, 40_000]) {
    expect(() => mergePatch({}, nested(levels))).toThrow("VALIDATION_FAILED");
  }
});
