/**
 * The people who are on a page now: those who viewed or clicked in the last five minutes, by their
 * visitor of the day. Stored in the row of the day, which a checkpoint writes anyway, and deleted
 * with the day's visitors; the journal has those who came since. In memory.
 */
import { MINUTE_MS, SECOND_MS } from "../platform/clock.ts";

export const PRESENT_MS = 5 * MINUTE_MS;
/**
 * The most people that are stored; of a larger crowd, those who were seen last. They take 180 KB of JSON
 * in the row of the day.
 */
export const PRESENT_MAX = 5_000;
/** An update says how long ago each was seen last, to these many milliseconds. */
export const PRESENT_STEP_MS = 10 * SECOND_MS;

const STEPS = PRESENT_MS / PRESENT_STEP_MS;

/** The events of a list from one index on came at this time, in unix milliseconds, or up to a second later. */
export interface Time {
  from: number;
  at_ms: number;
}

/** Notes when the event at an index came, where that is another second. */
export function noteTime(times: Time[], index: number, at_ms: number): void {
  const last = times.at(-1);
  const is_same = last !== undefined && at_ms >= last.at_ms && at_ms < last.at_ms + SECOND_MS;
  if (!is_same) times.push({ from: index, at_ms });
}

type Seen = readonly [visitor: string, at_ms: number];

export class Present {
  /** Each person once, as last seen; the latest comes last. */
  #people: readonly Seen[];

  constructor(people: readonly Seen[] = []) {
    this.#people = people;
  }

  /**
   * Adds the visitors of events in their order, from one of them on. Takes lists, because a page that
   * starts has its whole journal of them: only the last ones are looked at, when somebody asks or a
   * checkpoint needs them.
   */
  add(visitors: readonly string[], times: readonly Time[], from: number): void {
    let at = times.length - 1;
    const since_ms = (times[at]?.at_ms ?? 0) - PRESENT_MS;
    const found = new Map<string, Seen>();
    const note = (visitor: string, at_ms: number) => {
      if (at_ms > since_ms && !found.has(visitor)) found.set(visitor, [visitor, at_ms]);
    };
    for (let i = visitors.length - 1; i >= from && found.size < PRESENT_MAX; i -= 1) {
      while (at > 0 && (times[at]?.from ?? 0) > i) at -= 1;
      note(visitors[i] ?? "", times[at]?.at_ms ?? 0);
    }
    for (let i = this.#people.length - 1; i >= 0 && found.size < PRESENT_MAX; i -= 1) {
      note(...(this.#people[i] ?? ["", 0]));
    }
    this.#people = [...found.values()].reverse();
  }

  /** Adds to `steps` how many were seen last in each of the {@link PRESENT_STEP_MS} before `now`. */
  count(now: number, steps: number[]): void {
    for (const [, at_ms] of this.#people) {
      // After the clock was set back, the last event is in the future.
      const step = Math.max(0, Math.floor((now - at_ms) / PRESENT_STEP_MS));
      if (step < STEPS) steps[step] = (steps[step] ?? 0) + 1;
    }
  }

  toJson(): string {
    return JSON.stringify(this.#people);
  }

  /** Reads what `toJson` wrote. */
  static read(json: string): Present {
    return new Present(JSON.parse(json) as [string, number][]);
  }
}

/** Nobody. */
export function noSteps(): number[] {
  return Array.from({ length: STEPS }, () => 0);
}
