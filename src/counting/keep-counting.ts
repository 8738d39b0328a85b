/** Counting a click whose person has been let through already: tried again until it is done. */
import { withTimeout } from "../../objects/clock.ts";
import type { Clock } from "../../objects/ports.ts";
import { KEEP_COUNTING_MS, RECOUNT_PAUSES_MS } from "../limits.ts";

/**
 * Calls `count` until it succeeds and answers what it answered. Every call must carry the same key, so that
 * a first one that did reach the disk makes the later ones duplicates. Rejects with the last error when
 * `is_final` says that another try would not help, or when 25 s are over: the platform lets a request go on
 * for 30 s after its answer, and one that is cut off could not say that it failed.
 */
export async function keepCounting<T>(
  count: () => Promise<T>,
  is_final: (error: unknown) => boolean,
  clock: Clock,
): Promise<T> {
  const began_at = clock.now();
  // A clock that steps back must not lengthen it: no more tries than these, none longer than what is left.
  const left_ms = () => KEEP_COUNTING_MS - Math.max(0, clock.now() - began_at);
  for (let tries = 0; ; tries += 1) {
    try {
      return await withTimeout(count(), left_ms(), clock);
    } catch (error) {
      const pause_ms = RECOUNT_PAUSES_MS[tries];
      if (pause_ms === undefined || left_ms() <= pause_ms || is_final(error)) throw error;
      await new Promise<void>((resolve) => clock.after(pause_ms, resolve));
    }
  }
}
