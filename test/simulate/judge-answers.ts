/**
 * Judges each answer: an error only while something was down, and a count for every redirect that did not
 * wait for it. Pure.
 */
import { concerns, EDIT_HOLDS_MS, type Edit } from "./edits.ts";
import type { Downtime } from "./faults.ts";
import type { Evidence, Rule, Violation } from "./judge.ts";
import { type Attempt, isAcknowledged } from "./witness.ts";

/** After an outage requests may fail for so long: new objects start up, and 100 clients retry at once. */
const SLACK_MS = 1_000;
/**
 * A click that is counted after its redirect is counted within this time, at the usual distance with its
 * tail. An outage that starts later cannot be the reason that it was not.
 */
const COUNTED_BEHIND_MS = 3_000;

/**
 * A 5xx is right if something that the request needed was down, or if an answer was lost on the way. The
 * first event of a page needs D1, because the object has to read the page, and so does the first one
 * after an edit. An answer that is not Sila's own, and `INTERNAL`, are always bugs.
 */
export function judgeAnswers(evidence: Evidence): Violation[] {
  const { attempts, sent, downtimes } = evidence;
  const known_since = firstAcknowledged(evidence);
  return attempts.flatMap((attempt): Violation[] => {
    const { key, status, error_code, dropped, answer } = attempt;
    const page_id = sent.get(key)?.page_id;
    if (status === null) {
      // Only the end of workerd breaks connections.
      const killed = downtimes.some((down) => down.what === "kill" && meets(attempt, down));
      if (answer !== "failed" || killed) return [];
      return violated("unanswered", attempt, "and nothing was killed");
    }
    if (status < 500) return [];
    if (error_code === null || error_code === "INTERNAL") {
      return violated("crashed", attempt, error_code ?? "no answer of Sila's");
    }
    const known_ms = known_since.get(page_id ?? "") ?? Number.POSITIVE_INFINITY;
    const needs_d1 =
      attempt.sent_ms < known_ms ||
      editsOf(attempt, evidence).some(({ begun_ms }) => begun_ms < attempt.ended_ms);
    const reasons = downtimes.filter(({ what }) => what !== "outage" || needs_d1);
    // Without the limiter's answer a request goes on; without the page object's it cannot.
    if (dropped.includes("PAGE")) return [];
    if (reasons.some((down) => meets(attempt, down, page_id))) return [];
    return violated("needless_5xx", attempt, `${error_code}, and nothing was down`);
  });
}

/**
 * A redirect that did not wait goes on counting, and succeeds unless something is down or an edit came
 * first.
 */
export function judgeRedirects(evidence: Evidence): Violation[] {
  const { attempts, sent, stored, downtimes } = evidence;
  const counted = new Set(stored.map(({ key }) => key));
  return attempts.flatMap((attempt): Violation[] => {
    const { key, answer } = attempt;
    if (answer !== "went_on" || counted.has(key)) return [];
    const page_id = sent.get(key)?.page_id;
    const behind = { ...attempt, ended_ms: attempt.ended_ms + COUNTED_BEHIND_MS };
    if (downtimes.some((down) => meets(behind, down, page_id))) return [];
    if (editsOf(attempt, evidence).some(({ begun_ms }) => begun_ms < behind.ended_ms)) return [];
    return violated("uncounted", attempt, "and the click was never counted");
  });
}

/**
 * After its object was notified of an edit, nothing counts any more; 60 s after the edit no router
 * redirects there either, whatever it has cached. Nothing is gone before the edit.
 */
export function judgeEdits(evidence: Evidence): Violation[] {
  return evidence.attempts.flatMap((attempt): Violation[] => {
    const { answer, sent_ms, ended_ms } = attempt;
    const edits = editsOf(attempt, evidence);
    if (answer === "gone" && !edits.some(({ begun_ms }) => begun_ms < ended_ms)) {
      return violated("unexpected_answer", attempt, "before any edit");
    }
    const outlived = edits.some(({ made_ms, told_ms }) => {
      const end_ms = made_ms + EDIT_HOLDS_MS;
      if (answer === "went_on") return sent_ms > end_ms;
      return isAcknowledged(answer) && sent_ms > Math.min(told_ms ?? end_ms, end_ms);
    });
    return outlived ? violated("outlived_edit", attempt, `${answer} after an edit`) : [];
  });
}

function editsOf({ key }: Attempt, { sent, edits }: Evidence): Edit[] {
  const event = sent.get(key);
  return event === undefined ? [] : edits.filter((edit) => concerns(edit, event));
}

/** When the first event of each page was acknowledged: from then on its object knows the page. */
function firstAcknowledged({ attempts, sent }: Evidence): Map<string, number> {
  const first = new Map<string, number>();
  for (const { key, answer, ended_ms } of attempts) {
    const page_id = sent.get(key)?.page_id;
    if (page_id === undefined || !isAcknowledged(answer)) continue;
    first.set(page_id, Math.min(first.get(page_id) ?? Number.POSITIVE_INFINITY, ended_ms));
  }
  return first;
}

/** Whether a downtime can explain the failure of a request to this page. */
function meets(
  { sent_ms, ended_ms }: Attempt,
  { what, page_id: evicted, from_ms, until_ms }: Downtime,
  page_id?: string,
): boolean {
  // For the same reason the eviction of a limiter explains nothing.
  if (what === "eviction" && (evicted === null || evicted !== page_id)) return false;
  return sent_ms < until_ms + SLACK_MS && ended_ms > from_ms;
}

function violated(rule: Rule, attempt: Attempt, why: string): Violation[] {
  const { key: id, status, sent_ms, ended_ms } = attempt;
  const answer = status === null ? "no answer" : `answer ${status}`;
  const detail = `${answer} after ${Math.round(ended_ms - sent_ms)} ms, ${why}`;
  return [{ rule, id, detail }];
}
