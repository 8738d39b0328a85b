/** Counts and latencies from the clients' notes. Pure. */
import type { Evidence } from "./judge.ts";
import { storedNumbers } from "./judge-numbers.ts";
import { type Attempt, isAcknowledged } from "./witness.ts";

export interface Measures {
  requests: number;
  /** Requests that broke, were aborted, or got a 5xx. */
  failed_requests: number;
  /** Of these: with a 5xx, and aborted by their client. */
  answers_5xx: number;
  given_up: number;
  /** Requests whose router lost an object's answer, if the client got the header that says so. */
  dropped: number;
  /** Redirects that did not wait for their count. */
  went_on: number;
  /** Requests to pages and links that an edit had removed. */
  gone: number;
  refused_requests: number;
  /** 429 answers, and how many of them reached their pages as numbers. */
  refusals: number;
  refusals_counted: number;
  /** Milliseconds from request to acknowledgement: the median and the 99th percentile. */
  p50_ms: number;
  p99_ms: number;
}

export function measure(
  attempts: readonly Attempt[],
  evidence: Pick<Evidence, "stored" | "handed_over">,
): Measures {
  const count = (matches: (attempt: Attempt) => boolean) => attempts.filter(matches).length;
  const failed = attempts.filter(({ answer }) => answer === "failed" || answer === "given_up");
  const times = attempts
    .filter(({ answer }) => isAcknowledged(answer))
    .map(({ sent_ms, ended_ms }) => ended_ms - sent_ms)
    .sort((a, b) => a - b);
  return {
    requests: attempts.length,
    failed_requests: failed.length,
    answers_5xx: count(({ status }) => status !== null && status >= 500),
    given_up: count(({ answer }) => answer === "given_up"),
    dropped: count(({ dropped }) => dropped.length > 0),
    went_on: count(({ answer }) => answer === "went_on"),
    gone: count(({ answer }) => answer === "gone"),
    refused_requests: count(({ charged }) => charged === "refused"),
    refusals: count(({ answer }) => answer === "refused"),
    refusals_counted: storedNumbers(evidence).reduce((sum, { n }) => sum + n, 0),
    p50_ms: quantile(times, 0.5),
    p99_ms: quantile(times, 0.99),
  };
}

/** The `part` quantile of sorted times; 0 if there are none. */
function quantile(times: readonly number[], part: number): number {
  return times[Math.ceil(part * times.length) - 1] ?? 0;
}
