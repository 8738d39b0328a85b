/**
 * New values: how many values that were new to a day's breakdowns each sender has brought. A sender
 * may bring `NEW_VALUES_MAX` of a dimension a day; further ones count as `(other)`, so that one
 * sender cannot fill the breakdowns with made-up values (docs/faults.md F29).
 *
 * Keyed by a hash of the sender with the day's random key, which is deleted with the day's
 * visitors. Pure.
 */
import { BoundedMap } from "../platform/bounded-map.ts";
import { type Breakdowns, OTHER } from "./breakdowns.ts";
import { DIMENSIONS, type Dimension, type Origin } from "./event.ts";

/** New values of one dimension that one sender brings a day. */
export const NEW_VALUES_MAX = 3;
/**
 * Senders that a day remembers (80 KB). When full, the oldest is forgotten and its limit starts
 * again.
 */
export const SENDERS_MAX = 2_000;

/** How many values one sender has brought, in the order of `DIMENSIONS`. */
type NewValueCounts = number[];

export class NewValues {
  /** By the sender's hash, the oldest first. */
  readonly #senders = new BoundedMap<string, NewValueCounts>(SENDERS_MAX);

  constructor(senders: Iterable<[string, NewValueCounts]> = []) {
    for (const [sender, counts] of senders) this.#senders.set(sender, counts);
  }

  /** New values of the dimension that the sender has brought. */
  of(sender: string, dimension: Dimension): number {
    return this.#senders.get(sender)?.[DIMENSIONS.indexOf(dimension)] ?? 0;
  }

  /** Adds to the sender every value of `origin` that the day does not track yet. */
  add(sender: string, origin: Origin, breakdowns: Breakdowns): void {
    let counts = this.#senders.get(sender);
    if (counts === undefined) {
      counts = DIMENSIONS.map(() => 0);
      this.#senders.set(sender, counts);
    }
    for (const [i, dimension] of DIMENSIONS.entries()) {
      const value = origin[dimension];
      if (value !== undefined && !breakdowns.has(dimension, value)) {
        counts[i] = (counts[i] ?? 0) + 1;
      }
    }
  }

  /** `[[sender, counts], …]`; `NewValues.read` takes it back. */
  toJson(): string {
    return JSON.stringify([...this.#senders]);
  }

  static read(json: string): NewValues {
    return new NewValues(JSON.parse(json) as [string, NewValueCounts][]);
  }
}

/** The origin of an event, with `(other)` where its sender is over the limit. */
interface LimitedOrigin {
  /** Each dimension with the value under which it counts: its own or `(other)`. */
  origin: Origin;
  /** The sender's hash, if the event has a new value. */
  newcomer?: string;
}

/**
 * The limit for one group of events, before the group is written: it considers the day as it was
 * before the group, and the new values of the group so far.
 */
export class NewValueLimit {
  readonly #breakdowns: Breakdowns;
  readonly #new_values: NewValues;
  /** New values of the group, with their dimension, and their number by sender and dimension. */
  readonly #values = new Set<string>();
  readonly #brought = new Map<string, number>();

  constructor(breakdowns: Breakdowns, new_values: NewValues) {
    this.#breakdowns = breakdowns;
    this.#new_values = new_values;
  }

  /**
   * Limits the origin of one event. `hash` makes the sender's hash; it is called only for a new
   * value.
   */
  apply(origin: Origin, hash: () => string): LimitedOrigin {
    let limited = origin;
    let sender: string | undefined;
    let hasNewValue = false;
    for (const dimension of DIMENSIONS) {
      const value = origin[dimension];
      if (value === undefined || this.#breakdowns.has(dimension, value)) continue;
      const name = `${dimension}\n${value}`;
      if (this.#values.has(name)) continue;
      sender ??= hash();
      if (this.#mayBring(sender, dimension)) {
        this.#values.add(name);
        hasNewValue = true;
      } else limited = { ...limited, [dimension]: OTHER };
    }
    return sender !== undefined && hasNewValue
      ? { origin: limited, newcomer: sender }
      : { origin: limited };
  }

  #mayBring(sender: string, dimension: Dimension): boolean {
    const name = `${dimension}\n${sender}`;
    const brought = this.#brought.get(name) ?? 0;
    if (this.#new_values.of(sender, dimension) + brought >= NEW_VALUES_MAX) return false;
    this.#brought.set(name, brought + 1);
    return true;
  }
}
