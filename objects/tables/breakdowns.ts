/**
 * Where the people of one day came from: views and clicks by dimension and value (docs/contract.md
 * section 9, column `breakdowns`). Pure.
 *
 * The values come from requests, so anybody can make up any number of them. A day tracks
 * `CANDIDATES_MAX` values of each dimension, D1 gets the `BREAKDOWN_VALUES_MAX` with the most
 * events, and `(other)` has the rest: every event is in exactly one value of each dimension that it
 * has.
 */
import { DIMENSIONS, type Dimension, type Origin } from "./event.ts";

/** Values of one dimension that D1 gets. */
export const BREAKDOWN_VALUES_MAX = 100;
/**
 * Values of one dimension that a day tracks: enough that the hundred with the most events are among
 * them. At most 800 KB of JSON, of the 2 MB that a row holds: four dimensions are free text of up
 * to 253 characters (a host) or 100 (a campaign), of up to 3 bytes each, and the numbers of a value
 * take 40 bytes.
 */
export const CANDIDATES_MAX = 400;
export const OTHER = "(other)";

/** `last` is the number, within the day, of the last event with the value. */
type ValueCounts = [views: number, clicks: number, last: number];
/** A map, because a value may be `__proto__`. */
type Values = Map<string, ValueCounts>;
/** The stored form; older code wrote two numbers for each value, without `last`. */
type Stored = Partial<Record<Dimension, Record<string, [number, number, number?]>>>;

export class Breakdowns {
  readonly #values: Record<Dimension, Values> = {
    referrer: new Map(),
    country: new Map(),
    device: new Map(),
    utm_source: new Map(),
    utm_medium: new Map(),
    utm_campaign: new Map(),
    language: new Map(),
  };
  /** The highest `last`. */
  #events = 0;

  /** Whether the day tracks the value. It always has `(other)`. */
  has(dimension: Dimension, value: string): boolean {
    return this.#values[dimension].has(value) || value === OTHER;
  }

  /** Counts one event under each value of its origin; a new value may replace another. */
  count(origin: Origin, kind: "view" | "click"): void {
    this.#events += 1;
    for (const dimension of DIMENSIONS) {
      const value = origin[dimension];
      if (value === undefined) continue;
      const values = this.#values[dimension];
      let counts = values.get(value);
      if (counts === undefined) {
        if (value !== OTHER) makeRoom(values);
        counts = [0, 0, 0];
        values.set(value, counts);
      }
      counts[kind === "view" ? 0 : 1] += 1;
      counts[2] = this.#events;
    }
  }

  /** For the object's own table; `Breakdowns.read` takes it back. */
  toJson(): string {
    return this.#json((values) => [...values]);
  }

  /**
   * For D1, `{dimension: {value: [views, clicks]}}`: the values with the most events, and
   * `(other)`.
   */
  mostCounted(): string {
    return this.#json((values) => {
      const named = [...values].filter(([value]) => value !== OTHER);
      named.sort(([, a], [, b]) => weight(b) - weight(a) || b[2] - a[2]);
      const other = values.get(OTHER) ?? [0, 0, 0];
      const rest = named.splice(BREAKDOWN_VALUES_MAX).map(([, counts]) => counts);
      const [views, clicks] = rest.reduce(plus, other);
      const shown = named.map(([value, [views, clicks]]) => [value, [views, clicks]] as const);
      return views + clicks === 0 ? shown : [...shown, [OTHER, [views, clicks]]];
    });
  }

  /** Reads what `toJson` wrote, in this version or an older one. */
  static read(json: string): Breakdowns {
    const stored = JSON.parse(json) as Stored;
    const breakdowns = new Breakdowns();
    for (const dimension of DIMENSIONS) {
      for (const [value, [views, clicks, last = 0]] of Object.entries(stored[dimension] ?? {})) {
        breakdowns.#values[dimension].set(value, [views, clicks, last]);
        breakdowns.#events = Math.max(breakdowns.#events, last);
      }
    }
    return breakdowns;
  }

  #json(entries: (values: Values) => Iterable<readonly [string, readonly number[]]>): string {
    const dimensions = DIMENSIONS.filter((dimension) => this.#values[dimension].size > 0);
    return JSON.stringify(
      Object.fromEntries(
        dimensions.map((dimension) => [
          dimension,
          Object.fromEntries(entries(this.#values[dimension])),
        ]),
      ),
    );
  }
}

/**
 * If there are `CANDIDATES_MAX` values, moves the one with the fewest events into `(other)`; of
 * equals, the one that was counted longest ago. A value that many people share therefore
 * stays, however many values are sent once. Takes 5 µs, and only for a new value.
 */
function makeRoom(values: Values): void {
  const other = values.get(OTHER);
  if (values.size - (other === undefined ? 0 : 1) < CANDIDATES_MAX) return;
  let least: [value: string, counts: ValueCounts] | null = null;
  for (const entry of values) {
    if (entry[0] !== OTHER && (least === null || isLess(entry[1], least[1]))) least = entry;
  }
  if (least === null) return;
  const [value, counts] = least;
  values.delete(value);
  values.set(OTHER, other === undefined ? counts : plus(other, counts));
}

function weight([views, clicks]: ValueCounts): number {
  return views + clicks;
}

function isLess(a: ValueCounts, b: ValueCounts): boolean {
  return weight(a) < weight(b) || (weight(a) === weight(b) && a[2] < b[2]);
}

function plus(a: ValueCounts, b: ValueCounts): ValueCounts {
  return [a[0] + b[0], a[1] + b[1], Math.max(a[2], b[2])];
}
