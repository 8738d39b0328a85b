/**
 * New values: how many values that were new to a day's breakdowns each sender has brought. A sender
 * may bring `NEW_VALUES_MAX` of a dimension a day; further ones count as `(other)`, so that one
 * sender cannot fill the breakdowns with made-up values (docs/faults.md F29).
 *
 * Keyed by a hash of the sender with the day's random key, which is deleted with the day's
 * visitors. Pure.
 */

import { DIMENSIONS, type Dimension, type Origin } from "../../events/event.ts";
import { hexOf, type Key } from "../../keys/key-list.ts";
import { BoundedMap } from "../../platform/bounded-map.ts";
import type { Breakdowns } from "./breakdowns.ts";

export const NEW_VALUES_MAX = 3;
/** They take 80 KB. When full, the oldest is forgotten and its limit starts again. */
export const SENDERS_MAX = 2_000;

/** The order is that of `DIMENSIONS`. */
type NewValueCounts = number[];

export class NewValues {
  /** The keys are hashes of senders, the oldest first. */
  readonly #senders = new BoundedMap<string, NewValueCounts>(SENDERS_MAX);

  constructor(senders: Iterable<[string, NewValueCounts]> = []) {
    for (const [sender, counts] of senders) this.#senders.set(sender, counts);
  }

  of(sender: string, dimension: Dimension): number {
    return this.#senders.get(sender)?.[DIMENSIONS.indexOf(dimension)] ?? 0;
  }

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

  toJson(): string {
    return JSON.stringify([...this.#senders]);
  }

  static read(json: string): NewValues {
    return new NewValues(JSON.parse(json) as [string, NewValueCounts][]);
  }
}

interface Limited {
  others: readonly number[];
  newcomer: Key | null;
}

const UNLIMITED: Limited = { others: [], newcomer: null };

/** Considers the day as it was before the group, and the new values of the group so far. */
export class NewValueLimit {
  readonly #breakdowns: Breakdowns;
  readonly #new_values: NewValues;
  readonly #values = new Set<string>();
  readonly #brought = new Map<string, number>();

  constructor(breakdowns: Breakdowns, new_values: NewValues) {
    this.#breakdowns = breakdowns;
    this.#new_values = new_values;
  }

  /** `hash` makes the sender's key; it is called only for a new value. */
  apply(origin: Origin, hash: () => Key): Limited {
    let sender: Key | null = null;
    let newcomer: Key | null = null;
    const others: number[] = [];
    for (const [i, dimension] of DIMENSIONS.entries()) {
      const value = origin[dimension];
      if (value === undefined || this.#breakdowns.has(dimension, value)) continue;
      const name = `${dimension}\n${value}`;
      if (this.#values.has(name)) continue;
      sender ??= hash();
      if (this.#mayBring(hexOf(sender), dimension)) {
        this.#values.add(name);
        newcomer = sender;
      } else others.push(i);
    }
    return sender === null ? UNLIMITED : { others, newcomer };
  }

  #mayBring(sender: string, dimension: Dimension): boolean {
    const name = `${dimension}\n${sender}`;
    const brought = this.#brought.get(name) ?? 0;
    if (this.#new_values.of(sender, dimension) + brought >= NEW_VALUES_MAX) return false;
    this.#brought.set(name, brought + 1);
    return true;
  }
}
