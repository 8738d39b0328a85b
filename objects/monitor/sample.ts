/**
 * Samples: numbers by name, measured in one span of time. Samples of two spans add up to one of both.
 *
 * A name that begins with `max.` is a level (a delay, a size): of two spans the larger one stays. Every
 * other name is a count.
 *
 *   probe.<component>.n, .failed, .ms   probes, those that failed, their milliseconds together
 *   responses.<class>                   `2xx` to `5xx`
 *   refused.<scope>                     by the exact limiter, and `edge`
 *   events.dropped                      events over a limit that were counted nowhere
 *   events.adopted                      events that D1 had and an object had lost (docs/faults.md F36)
 *   code.<CODE>                         answers with this error code
 *   alarms.failed, alarms.lost          flushes that an alarm began and that failed; alarms set again
 *   minutes                             minutes in which the cron measured
 *   max.delay_s, max.late               the longest flush delay, and how many pages are late
 *   max.mail, max.db_bytes              mails in 24 hours, and the size of D1
 *   max.events                          events of the UTC day, where EVENTS_PER_DAY is set
 */
export type Sample = Record<string, number>;

/** Further names are dropped: what an isolate reports must not fill the storage. */
export const SAMPLE_NAMES_MAX = 150;

const NAME = /^[\w.-]{1,48}$/;
const LEVEL = /^max\./;

/** Drops what is no name or no value of a sample: other code may send it. */
export function addSample(sum: Sample, more: Readonly<Sample>): Sample {
  let names = Object.keys(sum).length;
  for (const [name, value] of Object.entries(more)) {
    if (!NAME.test(name) || !Number.isFinite(value) || value < 0) continue;
    const before = sum[name];
    if (before === undefined && names >= SAMPLE_NAMES_MAX) continue;
    if (before === undefined) names += 1;
    sum[name] = LEVEL.test(name) ? Math.max(before ?? 0, value) : (before ?? 0) + value;
  }
  return sum;
}

export function probed(
  component: string,
  { ok, latency_ms }: { ok: boolean; latency_ms: number },
): Sample {
  return {
    [`probe.${component}.n`]: 1,
    [`probe.${component}.failed`]: ok ? 0 : 1,
    [`probe.${component}.ms`]: latency_ms,
  };
}

export function componentsIn(sample: Readonly<Sample>): string[] {
  return Object.keys(sample).flatMap((name) => /^probe\.([\w-]+)\.n$/.exec(name)?.[1] ?? []);
}
