import { type Clock, systemClock } from "./ports.ts";

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Answers a unix second, as `dayOf` does. Hours and days are of UTC. */
export function hourOf(at_ms: number): number {
  return (at_ms - (at_ms % HOUR_MS)) / SECOND_MS;
}

export function dayOf(at_ms: number): number {
  return (at_ms - (at_ms % DAY_MS)) / SECOND_MS;
}

/** Rejects after `ms` milliseconds. Leaves no timer behind. */
export async function withTimeout<T>(
  promise: Promise<T>,
  ms: number,
  clock: Pick<Clock, "after"> = systemClock,
): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const cancel = clock.after(ms, () => reject(new Error(`no answer within ${ms} ms`)));
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    cancel();
  }
}
