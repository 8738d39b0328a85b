/**
 * Where the people of one day came from: views and clicks by dimension and value (docs/contract.md
 * section 9, column `breakdowns`). Pure.
 *
 * The values come from requests, so anybody can make up any number of them. A day tracks
 * `CANDIDATES_MAX` values of each dimension, D1 gets the `BREAKDOWN_VALUES_MAX` with the most
 * events, and fewer where they are long (`BREAKDOWN_BYTES_MAX`), and `(other)` has the rest: every
 * event is in exactly one value of each dimension that it has.
 */
import { DIMENSIONS, type Dimension, type Origin } from "../../events/event.ts";

export const BREAKDOWN_VALUES_MAX = 100;
/**
 * Bytes of JSON that these take, `(other)` aside. It bounds what an answer about eleven years
 * reads, whoever made the values up. A value that is longer than its hundredth part, of 34 letters,
 * takes the places of several, and must have been counted as often as they: long ones that somebody
 * makes up push few out.
 */
export const BREAKDOWN_BYTES_MAX = 4_800;
/**
 * A day tracks this many values of one dimension: enough that the hundred with the most events are
 * among them. They take at most 800 KB of JSON, of the 2 MB that a row holds: four dimensions are
 * free text of up to 253 characters (a host) or 100 (a campaign), of up to 3 bytes each, and the
 * numbers of a value take 40 bytes.
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
  #events = 0;

  /** A day always tracks `(other)`. */
  has(dimension: Dimension, value: string): boolean {
    return this.#values[dimension].has(value) || value === OTHER;
  }

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

  toJson(): string {
    return toJson(this.#values, (values) => values);
  }

  /** D1's form: `{dimension: {value: [views, clicks]}}`. */
  mostCounted(): string {
    return toJson(this.#values, mostCounted);
  }

  /** Reads older versions too. */
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
}

type Counts = readonly [views: number, clicks: number, last?: number];
export type CountsByValue = ReadonlyMap<string, Counts>;
export type CountsByDimension = Partial<Record<Dimension, CountsByValue>>;

/** `chosen` answers the values of a dimension that are stored. */
export function toJson(
  counted: CountsByDimension,
  chosen: (values: CountsByValue) => Iterable<readonly [string, Counts]>,
): string {
  const shares: Partial<Record<Dimension, Record<string, Counts>>> = {};
  for (const dimension of DIMENSIONS) {
    const values = counted[dimension];
    if (values !== undefined && values.size > 0) {
      shares[dimension] = Object.fromEntries(chosen(values));
    }
  }
  return JSON.stringify(shares);
}

/** Prefers the values with the most events for their length; D1 gets these and `(other)`. */
export function mostCounted(values: CountsByValue): [value: string, counts: Counts][] {
  const named = [...values]
    .filter(([value]) => value !== OTHER)
    .map(([value, counts]) => ({ value, counts, places: placesOf(value, counts) }));
  named.sort(
    (a, b) =>
      weight(b.counts) / b.places - weight(a.counts) / a.places ||
      (b.counts[2] ?? 0) - (a.counts[2] ?? 0),
  );
  let [views, clicks] = values.get(OTHER) ?? [0, 0];
  let taken = 0;
  const shown: [string, Counts][] = [];
  for (const { value, counts, places } of named) {
    taken += places;
    if (taken <= BREAKDOWN_VALUES_MAX) {
      shown.push([value, [counts[0], counts[1]]]);
      continue;
    }
    views += counts[0];
    clicks += counts[1];
  }
  return views + clicks === 0 ? shown : [...shown, [OTHER, [views, clicks]]];
}

export function sumOf(breakdowns: Iterable<string>): CountsByDimension {
  const sums: Partial<Record<Dimension, Map<string, Counts>>> = {};
  for (const json of breakdowns) {
    const stored = JSON.parse(json) as Stored;
    for (const dimension of DIMENSIONS) {
      for (const [value, [views, clicks]] of Object.entries(stored[dimension] ?? {})) {
        sums[dimension] ??= new Map();
        const before = sums[dimension].get(value) ?? [0, 0];
        sums[dimension].set(value, [before[0] + views, before[1] + clicks]);
      }
    }
  }
  return sums;
}

const utf8 = new TextEncoder();

function placesOf(value: string, [views, clicks]: Counts): number {
  // As long as `"value":[views,clicks]`, which a comma follows.
  const bytes = utf8.encode(JSON.stringify([value, views, clicks])).length + 1;
  return Math.ceil((bytes * BREAKDOWN_VALUES_MAX) / BREAKDOWN_BYTES_MAX);
}

/**
 * If there are `CANDIDATES_MAX` values, moves the one with the fewest events into `(other)`; of
 * equals, the one that was counted longest ago. A value that many people share therefore stays,
 * however many values are sent once. Takes 5 µs, and only for a new value.
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

function weight([views, clicks]: Counts): number {
  return views + clicks;
}

function isLess(a: ValueCounts, b: ValueCounts): boolean {
  return weight(a) < weight(b) || (weight(a) === weight(b) && a[2] < b[2]);
}

function plus(a: ValueCounts, b: ValueCounts): ValueCounts {
  return [a[0] + b[0], a[1] + b[1], Math.max(a[2], b[2])];
}
