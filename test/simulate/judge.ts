/**
 * Compares what the clients know with what the system says, by sets of ids: a counter would hide an event
 * lost and another one counted twice (docs/faults.md "How it is judged"). Pure.
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
  /** Every event that was sent, by its key. */
  sent: ReadonlyMap<string, SentEvent>;
  /** Keys of the events that somebody heard to be counted. */
  acknowledged: ReadonlySet<string>;
  attempts: readonly Attempt[];
  waits: readonly ObeyedWait[];
  /** Keys in the files of the page objects, each as often as it stands there. */
  stored: readonly { page_id: string; key: string }[];
  /** What routers handed over as numbers, or were about to: its keys may be stored, though no client sent them. */
  handed_over: readonly HandOver[];
  /** When something was really down. */
  downtimes: readonly Downtime[];
  edits: readonly Edit[];
  /** Acknowledged keys that their object, asked while it still ran, did not remember. */
  forgotten: readonly string[];
  /** What the objects say, and what D1 says. */
  totals: readonly Sum[];
  sums: readonly Sum[];
  /** Keys of events that could not be had acknowledged for a minute. */
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
  /** A 5xx though nothing was down. */
  | "needless_5xx"
  /** A 5xx that is a bug, whatever was down. */
  | "crashed"
  /** No answer at all, though nothing was killed. */
  | "unanswered"
  /** A redirect that went on, and whose click was never counted. */
  | "uncounted"
  /** Refusals that did not reach their page as numbers, though nothing was down. */
  | "refusal_lost"
  /** An event that counted, or a redirect that led on, when an edit should have ended that. */
  | "outlived_edit";

/** One broken promise. `id` is an event's key, a (page, link) or a sender. */
export interface Violation {
  rule: Rule;
  id: string;
  detail: string;
  /** With a (page, link): by how many events its total is wrong. */
  by?: number;
}

export interface Verdict {
  sent: number;
  acknowledged: number;
  counted_in_objects: number;
  counted_in_d1: number;
  /** In the objects and not in D1. */
  pending: number;
  lost: number;
  doubled: number;
  phantom: number;
  /** The most requests of one sender that were admitted within 60 s. */
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
    ...[...evidence.stuck].map((id) => violation("stuck", id, evidence, "never acknowledged")),
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

/** How many events a rule was broken for: by their ids, or by the totals where those say more. */
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
  // Who hears `counted` or `limited` is told that the event is new.
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

/** A violation that concerns one event, told so that one can look for it. */
function violation(rule: Rule, key: string, { sent }: Evidence, what: string): Violation {
  const event = sent.get(key);
  if (event === undefined) return { rule, id: key, detail: what };
  const link = event.link_id === "" ? "a view" : `a click on ${event.link_id}`;
  return { rule, id: key, detail: `${what}: ${link} of ${event.page_id}, id ${event.event_id}` };
}

function total(sums: readonly Sum[]): number {
  return sums.reduce((total, { n }) => total + n, 0);
}
