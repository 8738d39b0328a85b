/**
 * A limit judged from outside: each decision was made at some moment between a request and its
 * answer, so only what holds for all of these moments is a violation. Pure.
 */
export interface Asked {
  asked_ms: number;
  /** The latest time at which the decision can have been made; Infinity if nothing says when. */
  answered_ms: number;
}

/** The most requests that were certainly decided within one window. */
export function mostWithin(admitted: readonly Asked[], window_ms: number): number {
  let most = 0;
  for (const { asked_ms: from_ms } of admitted) {
    const inside = admitted.filter(
      ({ asked_ms, answered_ms }) => asked_ms >= from_ms && answered_ms < from_ms + window_ms,
    );
    most = Math.max(most, inside.length);
  }
  return most;
}

/** How many of the others may have been decided within the window before a request. */
export function mostBefore(
  { asked_ms, answered_ms }: Asked,
  others: readonly Asked[],
  window_ms: number,
): number {
  const before = others.filter(
    (other) => other.asked_ms < answered_ms && other.answered_ms > asked_ms - window_ms,
  );
  return before.length;
}
