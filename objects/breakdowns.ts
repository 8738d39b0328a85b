/**
 * Where the people of a day came from: views and clicks by dimension and value (CONTRACT section 9,
 * column `breakdowns`). Pure.
 */
import { DIMENSIONS, type Dimension, type Origin } from "./event.ts";

/** Values kept per dimension; the rest is counted under `OTHER`. */
export const BREAKDOWN_VALUES_MAX = 100;
export const OTHER = "(other)";

/** Maps, not objects: the values are the visitors' words, `__proto__` among them. */
export type Breakdowns = Map<Dimension, Map<string, [views: number, clicks: number]>>;

/** Counts one event under each value of its origin. */
export function countOrigin(breakdowns: Breakdowns, origin: Origin, kind: "view" | "click"): void {
  const column = kind === "view" ? 0 : 1;
  for (const dimension of DIMENSIONS) {
    const value = origin[dimension];
    if (value === undefined) continue;
    let values = breakdowns.get(dimension);
    if (values === undefined) {
      values = new Map();
      breakdowns.set(dimension, values);
    }
    const named = values.size - (values.has(OTHER) ? 1 : 0);
    const key = values.has(value) || named < BREAKDOWN_VALUES_MAX ? value : OTHER;
    const counts = values.get(key) ?? [0, 0];
    counts[column] += 1;
    values.set(key, counts);
  }
}

/** `{dimension: {value: [views, clicks]}}`. */
export function toJson(breakdowns: Breakdowns): string {
  return JSON.stringify(
    Object.fromEntries([...breakdowns].map(([name, values]) => [name, Object.fromEntries(values)])),
  );
}

/** What `toJson` wrote. */
export function fromJson(json: string): Breakdowns {
  const parsed = JSON.parse(json) as Partial<Record<Dimension, Record<string, [number, number]>>>;
  const breakdowns: Breakdowns = new Map();
  for (const dimension of DIMENSIONS) {
    const values = parsed[dimension];
    if (values !== undefined) breakdowns.set(dimension, new Map(Object.entries(values)));
  }
  return breakdowns;
}
