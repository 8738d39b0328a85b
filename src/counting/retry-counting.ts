import { withTimeout } from "../../objects/platform/clock.ts";
import type { Clock } from "../../objects/platform/ports.ts";
import { COUNT_RETRY_MAX_MS, COUNT_RETRY_PAUSES_MS } from "./limits.ts";

/**
 * Calls `count` after the redirect was answered, until it succeeds, and returns its result. Every
 * call must have the same event key, so that a retry of an event that was stored is a duplicate.
 * Rejects with the last error when `is_final` is true of it, when no try is left, and after 25 s:
 * the platform ends a request 30 s after its answer, and then nothing could be logged. A timer
 * measures the 25 s, because a clock that is set back would make them longer.
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
