/**
 * NewValues: which values are new to a day's breakdowns, and how many of them each sender has brought.
 * One sender brings at most `NEW_VALUES_MAX` of a dimension a day; further ones count as `(other)`, so that
 * one sender cannot fill the breakdowns with made-up values (docs/faults.md F29).
 *
 * A sender is known by a hash of the day's random key, like a visitor, and forgotten with them. Pure.
 */
import { BoundedMap } from "../platform/bounded-map.ts";
import { type Breakdowns, OTHER } from "./breakdowns.ts";
import { DIMENSIONS, type Dimension, type Origin } from "./event.ts";

/** New values of one dimension that one sender brings a day. */
export const NEW_VALUES_MAX = 3;
/** Senders remembered a day, the oldest forgotten first: 80 KB. One that is forgotten may bring three again. */
export const SENDERS_MAX = 2_000;

/** How many values one sender has brought, in the order of `DIMENSIONS`. */
type Brought = number[];

export class NewValues {
  /** By the sender's hash, the oldest first. */
  readonly #senders = new BoundedMap<string, Brought>(SENDERS_MAX);

  constructor(senders: Iterable<[string, Brought]> = []) {
    for (const [sender, brought] of senders) this.#senders.set(sender, brought);
  }

  /** Values of the dimension that the sender has brought. */
  of(sender: string, dimension: Dimension): number {
    return this.#senders.get(sender)?.[DIMENSIONS.indexOf(dimension)] ?? 0;
  }

  /** Notes that the sender has brought every value of `origin` that the day does not track yet. */
  note(sender: string, origin: Origin, breakdowns: Breakdowns): void {
    let brought = this.#senders.get(sender);
    if (brought === undefined) {
      brought = DIMENSIONS.map(() => 0);
      this.#senders.set(sender, brought);
    }
    for (const [i, dimension] of DIMENSIONS.entries()) {
      const value = origin[dimension];
      if (value !== undefined && !breakdowns.has(dimension, value)) {
        brought[i] = (brought[i] ?? 0) + 1;
      }
    }
  }

  /** `[[sender, brought], …]`; `NewValues.read` takes it back. */
  toJson(): string {
    return JSON.stringify([...this.#senders]);
  }

  static read(json: string): NewValues {
    return new NewValues(JSON.parse(json) as [string, Brought][]);
  }
}

/** What was decided about one event's origin. */
export interface LimitedOrigin {
  /** Each dimension with the value it counts under: its own or `(other)`. */
  origin: Origin;
  /** The sender's hash, if the event brings a new value. */
  newcomer?: string;
}

/**
 * The decisions for one group of events, before any of it is written: they see the day as it was before the
 * group, and what the group has brought so far.
 */
export class NewValueLimit {
  readonly #breakdowns: Breakdowns;
  readonly #new_values: NewValues;
  /** What the group brings: values by dimension, and their number by sender and dimension. */
  readonly #values = new Set<string>();
  readonly #brought = new Map<string, number>();

  constructor(breakdowns: Breakdowns, new_values: NewValues) {
    this.#breakdowns = breakdowns;
    this.#new_values = new_values;
  }

  /** Decides about one event. `hash` makes the sender's hash; it is called only for a new value. */
  admit(origin: Origin, hash: () => string): LimitedOrigin {
    let decided = origin;
    let sender: string | undefined;
    let brings = false;
    for (const dimension of DIMENSIONS) {
      const value = origin[dimension];
      if (value === undefined || this.#breakdowns.has(dimension, value)) continue;
      const name = `${dimension}\n${value}`;
      if (this.#values.has(name)) continue;
      sender ??= hash();
      if (this.#mayBring(sender, dimension)) {
        this.#values.add(name);
        brings = true;
      } else decided = { ...decided, [dimension]: OTHER };
    }
    return sender !== undefined && brings
      ? { origin: decided, newcomer: sender }
      : { origin: decided };
  }

  #mayBring(sender: string, dimension: Dimension): boolean {
    const name = `${dimension}\n${sender}`;
    const brought = this.#brought.get(name) ?? 0;
    if (this.#new_values.of(sender, dimension) + brought >= NEW_VALUES_MAX) return false;
    this.#brought.set(name, brought + 1);
    return true;
  }
}
