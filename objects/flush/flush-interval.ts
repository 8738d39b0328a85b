/** The setting FLUSH_SECONDS: how long a page's events may wait for their flush. */
import { SECOND_MS } from "../platform/clock.ts";
import { logError } from "../platform/log.ts";

/** Seconds that the setting may have. */
export const FLUSH_SECONDS_MIN = 1;
export const FLUSH_SECONDS_MAX = 3_600;
/** Seconds that an object waits if the setting is missing or malformed. */
export const FLUSH_SECONDS_DEFAULT = 60;

/** Plain decimals. `Number` would take an empty text for 0 and `1e1` for 10. */
const SETTING = /^\d{1,4}(?:\.\d{1,3})?$/;

/** The setting in seconds, or null if it is missing, malformed or out of range. */
export function parseFlushSeconds(setting: unknown): number | null {
  if (typeof setting !== "string" || !SETTING.test(setting)) return null;
  const seconds = Number(setting);
  return seconds >= FLUSH_SECONDS_MIN && seconds <= FLUSH_SECONDS_MAX ? seconds : null;
}

/** Whether this isolate has logged that the setting is wrong. */
let reported = false;

/**
 * The setting in milliseconds. A wrong setting closes the routes (`src/http/config.ts`), but not
 * the objects: what they have acknowledged must still reach D1 (docs/faults.md F26), and an alarm
 * at `NaN` would never fire.
 */
export function flushIntervalMs(setting: unknown): number {
  const seconds = parseFlushSeconds(setting);
  if (seconds === null && !reported) {
    reported = true;
    logError("flush_seconds_refused", { used_s: FLUSH_SECONDS_DEFAULT });
  }
  return (seconds ?? FLUSH_SECONDS_DEFAULT) * SECOND_MS;
}
