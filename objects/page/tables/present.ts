/**
 * The people who are on a page now: those who viewed or clicked in the last five minutes, by their
 * visitor of the day. Stored in the row of the day, which a checkpoint writes anyway, and deleted
 * with the day's visitors; the journal has those who came since.
 */

import { hexOf, KeyList, keyOf } from "../../keys/key-list.ts";
import { KeyTable } from "../../keys/key-table.ts";
import { MINUTE_MS, SECOND_MS } from "../../platform/clock.ts";

export const PRESENT_MS = 5 * MINUTE_MS;
/** The most people that are stored, those seen last: 180 KB of JSON in the row of the day. */
export const PRESENT_MAX = 5_000;
/** An update says to this many milliseconds how long ago each was seen. */
export const PRESENT_STEP_MS = 10 * SECOND_MS;

const STEPS = PRESENT_MS / PRESENT_STEP_MS;

/** The events of a list from the index `from` on came at `at_ms`, or up to a second later. */
export interface Time {
  from: number;
  at_ms: number;
}

export function noteTime(times: Time[], index: number, at_ms: number): void {
  const last = times.at(-1);
  const is_same = last !== undefined && at_ms >= last.at_ms && at_ms < last.at_ms + SECOND_MS;
  if (!is_same) times.push({ from: index, at_ms });
}

export class Present {
  /** The latest comes first, each person once. */
  #people = new KeyList();
  #seen_ms: number[] = [];

  /** Takes lists, because a page that starts has its whole journal: only the last ones are read. */
  add(visitors: KeyList, times: readonly Time[], from: number): void {
    const [before, before_ms] = [this.#people, this.#seen_ms];
    this.#people = new KeyList();
    this.#seen_ms = [];
    const found = new KeyTable();
    let at = times.length - 1;
    const since_ms = (times[at]?.at_ms ?? 0) - PRESENT_MS;
    const note = (people: KeyList, i: number, at_ms: number) => {
      const high = people.high(i);
      const low = people.low(i);
      if (at_ms > since_ms && found.add(high, low)) this.#push(high, low, at_ms);
    };
    for (let i = visitors.length - 1; i >= from && found.size < PRESENT_MAX; i -= 1) {
      while (at > 0 && (times[at]?.from ?? 0) > i) at -= 1;
      note(visitors, i, times[at]?.at_ms ?? 0);
    }
    for (let i = 0; i < before.length && found.size < PRESENT_MAX; i += 1) {
      note(before, i, before_ms[i] ?? 0);
    }
  }

  /** `steps` has how many were seen last in each `PRESENT_STEP_MS` before `now`. */
  count(now: number, steps: number[]): void {
    for (const at_ms of this.#seen_ms) {
      // After the clock was set back, the last event is in the future.
      const step = Math.max(0, Math.floor((now - at_ms) / PRESENT_STEP_MS));
      if (step < STEPS) steps[step] = (steps[step] ?? 0) + 1;
    }
  }

  /** `[[visitor, at_ms], …]`, the latest last, as older code reads it too. */
  toJson(): string {
    const people = this.#seen_ms.map((at_ms, i) => {
      const key = { high: this.#people.high(i), low: this.#people.low(i) };
      return [hexOf(key), at_ms];
    });
    return JSON.stringify(people.reverse());
  }

  static read(json: string): Present {
    const present = new Present();
    for (const [visitor, at_ms] of (JSON.parse(json) as [string, number][]).reverse()) {
      const { high, low } = keyOf(visitor);
      present.#push(high, low, at_ms);
    }
    return present;
  }

  #push(high: number, low: number, at_ms: number): void {
    this.#people.push(high, low);
    this.#seen_ms.push(at_ms);
  }
}

export function noSteps(): number[] {
  return Array.from({ length: STEPS }, () => 0);
}
