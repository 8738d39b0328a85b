/** Counting a click whose person has been let through already: tried again until it is done. */
import { withTimeout } from "../../objects/platform/clock.ts";
import type { Clock } from "../../objects/platform/ports.ts";
import { COUNT_RETRY_MAX_MS, COUNT_RETRY_PAUSES_MS } from "../http/limits.ts";

/**
 * Calls `count` until it succeeds and answers what it answered. Every call must carry the same key, so that
 * a first one that did reach the disk makes the later ones duplicates. Rejects with the last error when
 * `is_final` says that another try would not help or no try is left, and when 25 s are over: the platform lets
 * a request go on for 30 s after its answer, and one that is cut off could not say that it failed.
 *
 * A timer measures the 25 s, because a clock that is set back would make them longer.
 */
export async function retryCounting<T>(
  count: () => Promise<T>,
  is_final: (error: unknown) => boolean,
  clock: Pick<Clock, "after">,
): Promise<T> {
  let is_over = false;
  let last_error: unknown = null;
  const tryAll = async (): Promise<T> => {
    for (let tries = 0; ; tries += 1) {
      try {
        return await count();
      } catch (error) {
        last_error = error;
        const pause_ms = COUNT_RETRY_PAUSES_MS[tries];
        if (pause_ms === undefined || is_final(error)) throw error;
        await new Promise<void>((resolve) => clock.after(pause_ms, resolve));
        if (is_over) throw error;
      }
    }
  };
  try {
    return await withTimeout(tryAll(), COUNT_RETRY_MAX_MS, clock);
  } catch (error) {
    throw last_error ?? error;
  } finally {
    is_over = true;
  }
}
