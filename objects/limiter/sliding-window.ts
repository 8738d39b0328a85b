/**
 * The exact sliding window: of one sender's requests in one scope, at most `limit` are admitted in
 * any `window_ms`, and no request is refused before that (docs/contract.md section 6).
 *
 * Pure. A window is the list of the last admitted times. Refused requests are not in it, so a
 * sender that keeps retrying is admitted as soon as one that waits.
 */

/** Length of a window unless a check asks for another, in milliseconds. */
export const WINDOW_MS = 60_000;

/** Admitted times in unix milliseconds, oldest first, at most `limit` of them. */
export type SlidingWindow = readonly number[];

export interface Verdict {
  admitted: boolean;
  /** Requests that would still be admitted now. */
  remaining: number;
  /** Milliseconds until `remaining` grows by one; after a refusal, until a request is admitted. */
  reset_ms: number;
}

/**
 * Decides a request that arrives at `now` and counts as `units`, all or none, and answers the verdict
 * and the window after it. A refusal answers the same array, so that callers see by identity that there
 * is nothing to store.
 * After a step back of the clock it answers the rebased window, which has to be stored.
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
  // The first to leave, or after a refusal the last that has to. With more units than the limit there is none.
  const leaves = live[admitted ? 0 : excess - 1] ?? now;
  const remaining = Math.max(0, limit - live.length);
  return {
    verdict: { admitted, remaining, reset_ms: leaves + window_ms - now },
    // A copy, because a list that grew by a push has room for 16 more times.
    window: admitted ? live.slice() : rebased,
  };
}

/** Requests that the window has at `now`, as {@link admit} would find them. */
export function usedIn(window: SlidingWindow, now: number, window_ms: number = WINDOW_MS): number {
  return rebase(window, now).filter((at) => now - at < window_ms).length;
}

/** Whether every admitted time has left the window, so that it may be deleted. */
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
