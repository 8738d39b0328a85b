/** The schedule of Standard Webhooks 1.0, up to three days. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../platform/clock.ts";
import { pauseAfter, type RetrySchedule } from "../../platform/retries.ts";

const LAST_PAUSE_MS = 12 * HOUR_MS;
const RETRIES: RetrySchedule = {
  pauses_ms: [
    ...([5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS] as const),
    ...[2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, LAST_PAUSE_MS],
  ],
  longest_ms: LAST_PAUSE_MS,
  jitter: 0.2,
};
/** A delivery is given up by the attempt that is due then. */
export const GIVE_UP_MS = 3 * DAY_MS;
/** A longer `Retry-After` counts as this, so that some attempts are left before the delivery is given up. */
export const RETRY_AFTER_MAX_MS = 12 * HOUR_MS;

export interface Failed {
  now: number;
  /** Attempts so far, this one included. */
  tries: number;
  /** The delivery is given up then. */
  until: number;
  /** The answer asked for this; 0 if for nothing. */
  retry_after_ms: number;
  /** A number in [0, 1). */
  random: number;
}

/** Unix milliseconds; null if that was the last attempt. */
export function nextAttempt({ now, tries, until, retry_after_ms, random }: Failed): number | null {
  if (now >= until) return null;
  return Math.min(now + Math.max(pauseAfter(RETRIES, tries, random), retry_after_ms), until);
}

/**
 * An endpoint rests after so many failures in a row, so that a long queue does not flood it. Then
 * one request at a time asks whether it is back.
 */
export const REST_FROM_FAILURES = 5;
const RESTS: RetrySchedule = { pauses_ms: [MINUTE_MS], growth: 2, longest_ms: HOUR_MS };

export function restAfter(failures: number, retry_after_ms: number): number {
  const over = failures - REST_FROM_FAILURES;
  return Math.max(over < 0 ? 0 : pauseAfter(RESTS, over + 1), retry_after_ms);
}

/** `Retry-After` in seconds or as a date, within its bounds; 0 without one that can be read. */
export function retryAfter(header: string | null, now: number): number {
  if (header === null) return 0;
  const date_ms = /^[A-Z]/.test(header) ? Date.parse(header) - now : Number.NaN;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * SECOND_MS : date_ms;
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), RETRY_AFTER_MAX_MS) : 0;
}
