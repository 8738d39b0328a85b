/**
 * Compares the clients' notes with the system's data as sets of ids: a count would hide one lost event
 * and one counted twice (docs/faults.md "How it is judged"). Pure.
 */
import type { Sum } from "../server/serve.ts";
import type { Edit } from "./edits.ts";
import type { Downtime } from "./faults.ts";
import type { HandOver } from "./hand-overs.ts";
import { judgeAnswers, judgeEdits, judgeRedirects } from "./judge-answers.ts";
import { judgeClasses, judgeD1, judgeHandOvers, judgeTotals } from "./judge-numbers.ts";
import { judgeLimits } from "./limits.ts";
import type { ObeyedWait } from "./patient.ts";
import type { SentEvent } from "./plan.ts";
import type { Attempt } from "./witness.ts";

export interface Evidence {
  sent: ReadonlyMap<string, SentEvent>;
  /** Keys of the events with at least one answer that says they are counted. */
  acknowledged: ReadonlySet<string>;
  attempts: readonly Attempt[];
  waits: readonly ObeyedWait[];
  /** Keys in the files of the page objects, repeated as often as they are stored. */
  stored: readonly { page_id: string; key: string }[];
  /** Numbers that routers handed over, or tried to. Their keys may be stored, although no client sent them. */
  handed_over: readonly HandOver[];
  downtimes: readonly Downtime[];
  edits: readonly Edit[];
  /** Acknowledged keys that their running object did not remember. */
  forgotten: readonly string[];
  totals: readonly Sum[];
  sums: readonly Sum[];
  /** Keys of events that were not acknowledged within a minute. */
  stuck: ReadonlySet<string>;
  /** Answers that no fault explains. */
  unexpected: readonly string[];
}

export type Rule =
  | "lost"
  | "doubled"
  | "phantom"
  | "misclassed"
  | "d1_differs"
  | "over_limit"
  | "false_refusal"
  | "untrue_retry_after"
  | "stuck"
  | "unexpected_answer"
  /** A 5xx while nothing was down. */
  | "needless_5xx"
  /** A 5xx that is always a bug. */
  | "crashed"
  /** No answer, although nothing was killed. */
  | "unanswered"
  /** A redirect that did not wait, and whose click was never counted. */
  | "uncounted"
  /** Refusals that did not reach their page as numbers, although nothing was down. */
  | "refusal_lost"
  /** An event that counted, or a link that redirected, after an edit should have ended that. */
  | "outlived_edit"
  /** A tip that was acknowledged is not in the hub's books, or is there twice. */
  | "tip_lost"
  | "tip_doubled"
  /** The hub's books, the page's tips and the jar's clicks are not the same. */
  | "tip_differs"
  /** More people got a limited download than it allows. */
  | "over_uses"
  /** Other bytes than in R2, or other numbers than there were uses. */
  | "download_differs"
  /** A sign-up was accepted, and no mail came. */
  | "mail_lost"
  | "subscriber_lost"
  /** The owner's list or the newsletter's clicks are not those who confirmed. */
  | "subscriber_differs"
  /** More suggestions than the plan allows, or than the endpoint was asked for. */
  | "over_quota";

/** One broken promise. `id` is an event's key, a (page, link) or a sender. */
export interface Violation {
  rule: Rule;
  id: string;
  detail: string;
  /** For a (page, link): the error of its total, in events. */
  by?: number;
}

export interface Verdict {
  sent: number;
  acknowledged: number;
  counted_in_objects: number;
  counted_in_d1: number;
  /** In the objects but not in D1. */
  pending: number;
  lost: number;
  doubled: number;
  phantom: number;
  /** The most admitted requests of one sender within 60 s. */
  limiter_peak: number;
  violations: Violation[];
}

export function judge(evidence: Evidence): Verdict {
  const limits = judgeLimits(evidence.attempts, evidence.waits);
  const violations = [
    ...judgeIds(evidence),
    ...judgeTotals(evidence),
    ...judgeClasses(evidence),
    ...judgeHandOvers(evidence),
    ...judgeD1(evidence),
    ...judgeAnswers(evidence),
    ...judgeRedirects(evidence),
    ...judgeEdits(evidence),
    ...limits.violations,
    ...[...evidence.stuck].map((id) => violation("stuck", id, evidence, triesOf(id, evidence))),
    ...evidence.unexpected.map((id): Violation => {
      return { rule: "unexpected_answer", id, detail: "an answer that no fault explains" };
    }),
  ];
  const counted_in_objects = total(evidence.totals);
  const counted_in_d1 = total(evidence.sums);
  return {
    sent: evidence.sent.size,
    acknowledged: evidence.acknowledged.size,
    counted_in_objects,
    counted_in_d1,
    pending: counted_in_objects - counted_in_d1,
    lost: eventsOf("lost", violations),
    doubled: eventsOf("doubled", violations),
    phantom: eventsOf("phantom", violations),
    limiter_peak: limits.peak,
    violations,
  };
}

/** The number of events for which a rule was broken: the ids, or the totals if they show more. */
function eventsOf(rule: Rule, violations: readonly Violation[]): number {
  const found = violations.filter((violation) => violation.rule === rule);
  const ids = new Set(found.filter(({ by }) => by === undefined).map(({ id }) => id));
  return Math.max(
    ids.size,
    found.reduce((sum, { by = 0 }) => sum + by, 0),
  );
}

/** Acknowledged ⊆ stored ⊆ sent or handed over, and nothing twice. */
function judgeIds(evidence: Evidence): Violation[] {
  const { sent, acknowledged, stored, handed_over, forgotten, attempts } = evidence;
  const found: Violation[] = [];
  const times = new Map<string, number>();
  const numbers = new Map(handed_over.map(({ key, page_id }) => [key, page_id]));
  for (const { key, page_id } of stored) {
    if (sent.get(key)?.page_id !== page_id && numbers.get(key) !== page_id) {
      const detail = `stored by ${page_id}, to which nobody sent it`;
      found.push(violation("phantom", key, evidence, detail));
    }
    times.set(key, (times.get(key) ?? 0) + 1);
  }
  for (const [key, n] of times) {
    if (n > 1) found.push(violation("doubled", key, evidence, `stored ${n} times`));
  }
  for (const key of acknowledged) {
    if (!times.has(key)) {
      found.push(violation("lost", key, evidence, "acknowledged, but not stored"));
    }
  }
  for (const key of forgotten) {
    found.push(violation("lost", key, evidence, "acknowledged, but not remembered"));
  }
  // `counted` and `limited` mean that the event was new.
  const heard_new = new Set<string>();
  for (const { key, answer } of attempts) {
    if (answer !== "counted" && answer !== "limited") continue;
    if (heard_new.has(key)) {
      found.push(violation("doubled", key, evidence, "acknowledged as new twice"));
    }
    heard_new.add(key);
  }
  return found;
}

/** What an event that was never acknowledged met: how often each status, or no answer. */
function triesOf(id: string, { attempts }: Evidence): string {
  const statuses = attempts
    .filter(({ key }) => key === id)
    .map(({ status, error_code, arrived }) =>
      status === null
        ? arrived
          ? "no answer"
          : "no connection"
        : `${status} ${error_code ?? ""}`.trim(),
    );
  const times = Object.entries(Object.groupBy(statuses, (status) => status))
    .map(([status, same = []]) => `${same.length} × ${status}`)
    .join(", ");
  return `never acknowledged (${times})`;
}

function violation(rule: Rule, key: string, { sent }: Evidence, what: string): Violation {
  const event = sent.get(key);
  if (event === undefined) return { rule, id: key, detail: what };
  const link = event.link_id === "" ? "a view" : `a click on ${event.link_id}`;
  return { rule, id: key, detail: `${what}: ${link} of ${event.page_id}, id ${event.event_id}` };
}

function total(sums: readonly Sum[]): number {
  return sums.reduce((total, { n }) => total + n, 0);
}
