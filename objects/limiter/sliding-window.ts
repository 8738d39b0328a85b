/**
 * The exact sliding window: of one sender's requests in one scope, at most `limit` are admitted in
 * any `window_ms`, and no request is refused before that (docs/contract.md section 6).
 *
 * Pure. A window is the list of the last admitted times. Refused requests are not in it, so a
 * sender that keeps retrying is admitted as soon as one that waits.
 */

export const WINDOW_MS = 60_000;

/** Admitted times in unix milliseconds, oldest first, at most `limit` of them. */
export type SlidingWindow = readonly number[];

export interface Verdict {
  admitted: boolean;
  remaining: number;
  /** Milliseconds until `remaining` grows by one; after a refusal, until a request is admitted. */
  reset_ms: number;
}

/**
 * The request counts as `units`, all or none. A refusal answers the same array, so that callers see
 * by identity that there is nothing to store. After a step back of the clock the rebased window has
 * to be stored.
 */
export function admit(
  window: SlidingWindow,
  limit: number,
  now: number,
  window_ms: number = WINDOW_MS,
  units = 1,
): { verdict: Verdict; window: SlidingWindow } {
  const rebased = rebase(window, now);
  const live = rebased.filter((at) => now - at < window_ms);
  const excess = live.length + units - limit;
  const admitted = excess <= 0;
  for (let i = 0; admitted && i < units; i += 1) live.push(now);
  // The first to leave, or after a refusal the last that has to. More units than the limit have
  // none.
  const leaves = live[admitted ? 0 : excess - 1] ?? now;
  const remaining = Math.max(0, limit - live.length);
  return {
    verdict: { admitted, remaining, reset_ms: leaves + window_ms - now },
    // A list that grew by a push has room for 16 more times, so this is a copy.
    window: admitted ? live.slice() : rebased,
  };
}

/** Counts as {@link admit} would. */
export function usedIn(window: SlidingWindow, now: number, window_ms: number = WINDOW_MS): number {
  return rebase(window, now).filter((at) => now - at < window_ms).length;
}

export function expired(
  window: SlidingWindow,
  now: number,
  window_ms: number = WINDOW_MS,
): boolean {
  const newest = window.at(-1);
  return newest === undefined || now - newest >= window_ms;
}

/**
 * Moves a window into a clock that stepped back: its newest time becomes `now` and the distances
 * between the times stay. Without this a sender would wait out the step on top of its window; the
 * other way, dropping times "from the future", would admit a second burst.
 */
function rebase(window: SlidingWindow, now: number): SlidingWindow {
  const ahead_ms = (window.at(-1) ?? now) - now;
  return ahead_ms > 0 ? window.map((at) => at - ahead_ms) : window;
}
