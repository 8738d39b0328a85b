/** Lengths of time, and the hours and UTC days of a time. */
import { type Clock, systemClock } from "./ports.ts";

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Unix second at which the hour of `at_ms` starts. */
export function hourOf(at_ms: number): number {
  return (at_ms - (at_ms % HOUR_MS)) / SECOND_MS;
}

/** Unix second at which the UTC day of `at_ms` starts. */
export function dayOf(at_ms: number): number {
  return (at_ms - (at_ms % DAY_MS)) / SECOND_MS;
}

/** The promise's value, or a rejection after `ms` milliseconds. Leaves no timer behind. */
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
