/**
 * Judges from outside whether the limiter was exact (docs/contract.md section 6). Pure.
 *
 * A client knows when it sent a request and when the answer came; the decision was made in between. So a
 * violation is only what holds for every possible time in between.
 */
import { LIMITS_PER_MINUTE, WINDOW_S } from "../../src/http/limits.ts";
import type { Violation } from "./judge.ts";
import type { ObeyedWait } from "./patient.ts";
import type { Attempt } from "./witness.ts";

const LIMIT = LIMITS_PER_MINUTE.public;
const WINDOW_MS = WINDOW_S * 1_000;
/** The server's clock has whole milliseconds and does not move while code runs; the clients' clock does. */
const CLOCK_SLACK_MS = 50;

export interface LimitFindings {
  /** The most requests of one sender that were certainly admitted within one window. */
  peak: number;
  violations: Violation[];
}

export function judgeLimits(
  attempts: readonly Attempt[],
  waits: readonly ObeyedWait[],
): LimitFindings {
  const violations: Violation[] = [];
  let peak = 0;
  for (const [sender, theirs] of Map.groupBy(attempts, (attempt) => attempt.sender)) {
    const most = peakOf(theirs.filter(({ charged }) => charged === "admitted"));
    peak = Math.max(peak, most);
    if (most > LIMIT) {
      violations.push({
        rule: "over_limit",
        id: sender,
        detail: `${most} admitted within ${WINDOW_S} s, where ${LIMIT} are allowed`,
      });
    }
    violations.push(...falseRefusals(sender, theirs));
  }
  for (const { sender, key, retry_after_s, refused } of waits) {
    if (!refused) continue;
    const detail = `refused again after the ${retry_after_s} s it was told to wait (event ${key})`;
    violations.push({ rule: "untrue_retry_after", id: sender, detail });
  }
  return { peak, violations };
}

/** The most intervals that lie within one window. */
function peakOf(admitted: readonly Attempt[]): number {
  const sent = sorted(admitted.map(({ sent_ms }) => sent_ms));
  const ended = sorted(admitted.map(({ ended_ms }) => ended_ms));
  // No request lasts as long as a window, so every request that ended in time and was not sent before
  // lies within it.
  return sent.reduce((most, from, before) => {
    const within = countBelow(ended, from + WINDOW_MS - CLOCK_SLACK_MS) - before;
    return Math.max(most, within);
  }, 0);
}

/** Refusals of a sender that cannot have used up its window, whatever happened to its other requests. */
function falseRefusals(sender: string, theirs: readonly Attempt[]): Violation[] {
  const refusals = theirs.filter(({ charged }) => charged === "refused");
  if (refusals.length === 0) return [];
  const possible = theirs.filter(({ charged, arrived }) => charged !== "refused" && arrived);
  const sent = sorted(possible.map(({ sent_ms }) => sent_ms));
  // If the answer does not show the decision, the limiter may have decided after the answer.
  const decided = possible.filter((attempt) => attempt.decided);
  const ended = sorted(decided.map(({ ended_ms }) => ended_ms));
  return refusals.flatMap(({ key, sent_ms, ended_ms }) => {
    const left = countBelow(ended, sent_ms - WINDOW_MS - CLOCK_SLACK_MS);
    const used = countBelow(sent, ended_ms) - left;
    if (used >= LIMIT) return [];
    const detail = `refused with at most ${used} admitted in the last ${WINDOW_S} s (event ${key})`;
    return [{ rule: "false_refusal", id: sender, detail }];
  });
}

function sorted(times: number[]): number[] {
  return times.sort((a, b) => a - b);
}

/** The number of sorted times below `bound`. */
function countBelow(times: readonly number[], bound: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? Number.POSITIVE_INFINITY) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
