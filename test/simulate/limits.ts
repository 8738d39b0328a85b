/** Judges from outside whether the limiter was exact (docs/contract.md section 6). Pure. */
import { LIMITS_PER_MINUTE, WINDOW_S } from "../../src/http/limits.ts";
import { type Asked, mostBefore, mostWithin } from "../model/limit-bounds.ts";
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
    const admitted = theirs.filter(({ charged }) => charged === "admitted").map(asked);
    const most = mostWithin(admitted, WINDOW_MS - CLOCK_SLACK_MS);
    peak = Math.max(peak, most);
    if (most > LIMIT) {
      const detail = `${most} admitted within ${WINDOW_S} s, where ${LIMIT} are allowed`;
      violations.push({ rule: "over_limit", id: sender, detail });
    }
    // Whatever happened to the other requests, these cannot have used up the window.
    const possible = theirs.filter(({ charged, arrived }) => charged !== "refused" && arrived);
    const others = possible.map(asked);
    for (const refusal of theirs.filter(({ charged }) => charged === "refused")) {
      const { sent_ms: asked_ms, ended_ms: answered_ms, key } = refusal;
      const used = mostBefore({ asked_ms, answered_ms }, others, WINDOW_MS + CLOCK_SLACK_MS);
      if (used >= LIMIT) continue;
      const detail = `refused with at most ${used} admitted in ${WINDOW_S} s (event ${key})`;
      violations.push({ rule: "false_refusal", id: sender, detail });
    }
  }
  for (const { sender, key, retry_after_s, refused } of waits) {
    if (!refused) continue;
    const detail = `refused again after the ${retry_after_s} s it was told to wait (event ${key})`;
    violations.push({ rule: "untrue_retry_after", id: sender, detail });
  }
  return { peak, violations };
}

/** If the answer does not show the decision, the limiter may have decided after the answer. */
function asked({ sent_ms, ended_ms, decided }: Attempt): Asked {
  return { asked_ms: sent_ms, answered_ms: decided ? ended_ms : Number.POSITIVE_INFINITY };
}
