/**
 * Sums the counts of an export as another page's imported history (`shard = -2` of docs/contract.md
 * section 9), shown apart and never part of *exact*. Pure.
 *
 * A file has any number of rows, and a page gets a bounded number: too many hours become days, then
 * longer spans. Totals stay the same.
 */

import {
  DIMENSIONS,
  type Dimension,
  type EventClass,
  kindOf,
  LABEL_CHARS_MAX,
} from "../../../objects/events/event.ts";
import { mostCounted, OTHER, sumOf, toJson } from "../../../objects/page/tables/breakdowns.ts";
import type { Tally } from "../../../objects/page/tables/tallies.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../../objects/platform/clock.ts";
import { listOf, objectOf } from "./foreign-json.ts";
import {
  IMPORTED_DAYS_MAX,
  IMPORTED_EVENTS_MAX,
  IMPORTED_ROW_EVENTS_MAX,
  IMPORTED_TALLIES_MAX,
} from "./limits.ts";

export interface ImportedDay {
  /** Unix second of the start of the page's day. */
  day: number;
  visitors: number;
  /** JSON `{dimension: {value: [views, clicks]}}`. */
  breakdowns: string;
}

export interface ImportedCounts {
  tallies: Tally[];
  days: ImportedDay[];
  /** Unix second before which the tallies are of whole UTC days. */
  rolled_to: number;
  is_folded: boolean;
  /** Views and clicks by people. */
  views: number;
  clicks: number;
}

const HOUR_S = HOUR_MS / SECOND_MS;
const DAY_S = DAY_MS / SECOND_MS;
/** Seconds that one tally may span, the finest first. */
const SPANS_S = [HOUR_S, DAY_S, 7 * DAY_S, 28 * DAY_S, Number.POSITIVE_INFINITY] as const;
const CLASSES: ReadonlySet<unknown> = new Set<EventClass>(["human", "bot", "owner", "limited"]);

/** Rows of one day; a page has one per shard. */
const DAY_ROWS_MAX = 16;

export class BadCountError extends Error {}

export class CountSum {
  readonly #now_s: number;
  readonly #linkOf: (link_id: string) => string;
  /** The sum of all rows. Its limit keeps every sum of rows and other counts exact. */
  #total = 0;
  #span = 0;
  #first_s = Number.POSITIVE_INFINITY;
  #last_s = 0;
  #tallies = new Map<string, Tally>();
  /** Keyed by the date of their middle, so that no month has more days than it should. */
  readonly #days = new Map<number, { day: number; visitors: number; rows: string[] }>();

  /** @param now_s unix seconds; later events are refused */
  constructor(now_s: number, linkOf: (link_id: string) => string) {
    this.#now_s = now_s;
    this.#linkOf = linkOf;
  }

  /** Adds a row of `tallies`, or throws {@link BadCountError} and adds nothing. */
  addTally(value: unknown): void {
    const { hour, link_id, class: eventClass, n } = objectOf(value);
    if (!isWhole(hour, this.#now_s) || hour % HOUR_S !== 0) throw new BadCountError();
    if (typeof link_id !== "string" || !isClass(eventClass) || !isCount(n)) {
      throw new BadCountError();
    }
    this.#addToTotal(n);
    this.#first_s = Math.min(this.#first_s, hour);
    this.#last_s = Math.max(this.#last_s, hour);
    const own = link_id === "" ? "" : this.#linkOf(link_id);
    this.#addTally({ hour, kind: kindOf(link_id), link_id: own, class: eventClass, n });
    while (this.#tallies.size > IMPORTED_TALLIES_MAX && this.#span < SPANS_S.length - 1) {
      this.#widen();
    }
  }

  /** Adds a row of `days`, summed by day, or throws {@link BadCountError} and adds nothing. */
  addDay(value: unknown): void {
    const { day, visitors, breakdowns } = objectOf(value);
    if (!isWhole(day, this.#now_s) || !isCount(visitors)) throw new BadCountError();
    const date = Math.floor((day + DAY_S / 2) / DAY_S);
    const before = this.#days.get(date);
    if (
      before === undefined
        ? this.#days.size >= IMPORTED_DAYS_MAX
        : before.rows.length >= DAY_ROWS_MAX
    ) {
      throw new BadCountError();
    }
    const shares = new Shares(breakdowns);
    this.#addToTotal(visitors + shares.n);
    const sum = before ?? { day, visitors: 0, rows: [] };
    sum.visitors += visitors;
    // As text: as objects, the largest file's would take 130 MB. Summed once at the end: finding the most counted
    // values takes far longer than reading a row.
    sum.rows.push(shares.toJson());
    this.#days.set(date, sum);
  }

  finish(rolled_to: number): ImportedCounts {
    const is_folded = this.#span > 0;
    const dayStart = (second: number) => second - (second % DAY_S);
    const folded_to = is_folded ? dayStart(this.#last_s) + DAY_S : dayStart(rolled_to);
    const tallies = [...this.#tallies.values()];
    for (const tally of tallies) if (tally.hour === 0) tally.hour = dayStart(this.#first_s);
    const counted = (kind: Tally["kind"]) =>
      tallies.reduce((n, tally) => (isHuman(tally, kind) ? n + tally.n : n), 0);
    return {
      tallies,
      days: [...this.#days.values()].map(({ rows, ...day }) => ({
        ...day,
        breakdowns: rows.length === 1 ? rows.join() : toJson(sumOf(rows), mostCounted),
      })),
      // The new page's own hours start today.
      rolled_to: Math.min(folded_to, dayStart(this.#now_s)),
      is_folded,
      views: counted("view"),
      clicks: counted("click"),
    };
  }

  #addToTotal(n: number): void {
    if (this.#total + n > IMPORTED_EVENTS_MAX) throw new BadCountError();
    this.#total += n;
  }

  #addTally(tally: Tally): void {
    const hour = tally.hour - (tally.hour % (SPANS_S[this.#span] ?? HOUR_S));
    const key = `${hour}/${tally.link_id}/${tally.class}`;
    const before = this.#tallies.get(key);
    if (before === undefined) this.#tallies.set(key, { ...tally, hour });
    else before.n += tally.n;
  }

  #widen(): void {
    this.#span += 1;
    const narrower = this.#tallies;
    this.#tallies = new Map();
    for (const tally of narrower.values()) this.#addTally(tally);
  }
}

class Shares {
  readonly #values = new Map<Dimension, Map<string, readonly [views: number, clicks: number]>>();
  n = 0;

  /** Throws {@link BadCountError}. */
  constructor(breakdowns: unknown) {
    const stored = objectOf(breakdowns);
    for (const dimension of DIMENSIONS) {
      const values = new Map<string, readonly [views: number, clicks: number]>();
      for (const [value, counts] of Object.entries(objectOf(stored[dimension]))) {
        const [views, clicks] = listOf(counts) ?? [];
        if (!isCount(views) || !isCount(clicks)) throw new BadCountError();
        this.n += views + clicks;
        const name = value.length > LABEL_CHARS_MAX ? OTHER : value;
        const [views_before, clicks_before] = values.get(name) ?? [0, 0];
        values.set(name, [views_before + views, clicks_before + clicks]);
      }
      if (values.size > 0) this.#values.set(dimension, values);
    }
  }

  /** Keeps the most counted values of each dimension; the rest goes under `(other)`. */
  toJson(): string {
    return toJson(Object.fromEntries(this.#values), mostCounted);
  }
}

function isWhole(value: unknown, max: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= max;
}

function isCount(value: unknown): value is number {
  return isWhole(value, IMPORTED_ROW_EVENTS_MAX);
}

function isClass(value: unknown): value is EventClass {
  return CLASSES.has(value);
}

function isHuman({ class: eventClass, kind }: Tally, of: Tally["kind"]): boolean {
  return eventClass === "human" && kind === of;
}
