/**
 * Judges a limiter by its own admitted history: one more request must be admitted exactly when fewer than
 * N were admitted in the 60 s before it.
 *
 * Pure and simple on purpose: it searches the whole history every time and shares no code with the
 * limiter.
 */
import { type Answer, type Trace, WINDOW_MS } from "./traces.ts";

export interface Decision extends Answer {
  /** True time, in milliseconds since the trace began. */
  at_ms: number;
  /** The same time on the limiter's clock. */
  clock_ms: number;
}

export interface Judgement {
  /** Admitted although N were admitted in the last 60 s. */
  false_admits: number;
  /** Refused although fewer were. */
  false_refusals: number;
  /** Refusals whose `Retry-After` ended while N were still in the window. */
  retry_early: number;
  /** Refusals whose `Retry-After` ended more than 1 s after fewer than N were in the window. */
  retry_late: number;
  peak: number;
}

/** `Retry-After` has whole seconds, so a true one may be too long by this much. */
const ROUNDING_MS = 1_000;

export function judge(
  decisions: readonly Decision[],
  limit: number,
  { judged_by, slack_ms }: Pick<Trace, "judged_by" | "slack_ms">,
): Judgement {
  const admitted: number[] = [];
  const wrong = { false_admits: 0, false_refusals: 0, retry_early: 0, retry_late: 0 };
  for (const decision of decisions) {
    const now = decision[judged_by];
    const within = (ms: number) => admitted.filter((at) => now - at < ms).length;
    if (decision.admitted) {
      if (within(WINDOW_MS) >= limit) wrong.false_admits += 1;
      admitted.push(now);
      continue;
    }
    if (within(WINDOW_MS + slack_ms) < limit) wrong.false_refusals += 1;
    if (decision.retry_after_s === null) continue;
    const open_at = now + decision.retry_after_s * 1_000;
    // From this time on fewer than N are younger than 60 s, if none is admitted before.
    const due = Math.max(now, (admitted.at(-limit) ?? Number.NEGATIVE_INFINITY) + WINDOW_MS);
    if (open_at < due) wrong.retry_early += 1;
    if (open_at > due + slack_ms + ROUNDING_MS) wrong.retry_late += 1;
  }
  return { ...wrong, peak: peak(admitted) };
}

/** The most of these sorted times in any `window_ms`, the end excluded. */
export function peak(times: readonly number[], window_ms: number = WINDOW_MS): number {
  let most = 0;
  times.forEach((from, i) => {
    const count = times.slice(i).filter((at) => at - from < window_ms).length;
    most = Math.max(most, count);
  });
  return most;
}

export function admittedAt(
  decisions: readonly Decision[],
  time: Trace["judged_by"] = "at_ms",
): number[] {
  return decisions.filter(({ admitted }) => admitted).map((decision) => decision[time]);
}

/**
 * Whether a limiter's `Retry-After` is true, for any algorithm. `broken`: a request at or after that time
 * was refused, although none had been admitted since. `overlong`: a request more than 1 s before that
 * time was admitted.
 *
 * A step of the limiter's clock ends every promise made before it.
 */
export function promises(decisions: readonly Decision[]): { broken: number; overlong: number } {
  const kept = { broken: 0, overlong: 0 };
  let open_ms: number[] = [];
  let offset_ms = 0;
  for (const { at_ms, clock_ms, admitted, retry_after_s } of decisions) {
    if (clock_ms - at_ms !== offset_ms) open_ms = [];
    offset_ms = clock_ms - at_ms;
    if (admitted) {
      kept.overlong += open_ms.filter((open_at) => open_at - clock_ms > ROUNDING_MS).length;
      open_ms = [];
      continue;
    }
    kept.broken += open_ms.filter((open_at) => open_at <= clock_ms).length;
    open_ms = open_ms.filter((open_at) => open_at > clock_ms);
    if (retry_after_s !== null) open_ms.push(clock_ms + retry_after_s * 1_000);
  }
  return kept;
}
