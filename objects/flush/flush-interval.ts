/**
 * The settings FLUSH_SECONDS and QUIET_FLUSH_SECONDS: how long a page's events may wait for their
 * flush. The second is for pages with few events that nobody looks at: with one event in ten minutes
 * six of them share a flush, which writes as many rows as the flush of one.
 */
import { SECOND_MS } from "../platform/clock.ts";
import { logError } from "../platform/log.ts";

export const FLUSH_SECONDS_MIN = 1;
export const FLUSH_SECONDS_MAX = 3_600;
export const FLUSH_SECONDS_DEFAULT = 60;
export const QUIET_FLUSH_SECONDS_DEFAULT = 3_600;

/** Plain decimals: `Number` would take an empty text for 0 and `1e1` for 10. */
const SETTING = /^\d{1,4}(?:\.\d{1,3})?$/;

export function parseFlushSeconds(setting: unknown): number | null {
  if (typeof setting !== "string" || !SETTING.test(setting)) return null;
  const seconds = Number(setting);
  return seconds >= FLUSH_SECONDS_MIN && seconds <= FLUSH_SECONDS_MAX ? seconds : null;
}

const reported = new Set<string>();

/**
 * A wrong setting does not close the objects, as it does the routes (`src/http/config.ts`): what
 * they have acknowledged must still reach D1 (docs/faults.md F26).
 */
export function flushIntervalMs(setting: unknown): number {
  return intervalMs("FLUSH_SECONDS", setting, FLUSH_SECONDS_DEFAULT);
}

/** Never less than FLUSH_SECONDS. */
export function quietIntervalMs(setting: unknown, flush_interval_ms: number): number {
  return Math.max(
    flush_interval_ms,
    intervalMs("QUIET_FLUSH_SECONDS", setting, QUIET_FLUSH_SECONDS_DEFAULT),
  );
}

function intervalMs(name: string, setting: unknown, default_s: number): number {
  const seconds = parseFlushSeconds(setting);
  if (seconds === null && !reported.has(name)) {
    reported.add(name);
    logError("flush_seconds_refused", { setting: name, used_s: default_s });
  }
  return (seconds ?? default_s) * SECOND_MS;
}
