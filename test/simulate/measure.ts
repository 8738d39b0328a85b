/** How often and how long, from the clients' notes. Pure. */
import { type Attempt, isAcknowledged } from "./witness.ts";

export interface Measures {
  requests: number;
  /** Requests that broke, were broken off, or were answered by a 5xx. */
  failed_requests: number;
  /** Requests that were over the limit. */
  refused_requests: number;
  /** Events of which at least one request failed. */
  events_hit: number;
  /** Milliseconds from request to acknowledgement: half, and 99 of 100, were faster. */
  p50_ms: number;
  p99_ms: number;
}

export function measure(attempts: readonly Attempt[]): Measures {
  const failed = attempts.filter(({ answer }) => answer === "failed" || answer === "given_up");
  const times = attempts
    .filter(({ answer }) => isAcknowledged(answer))
    .map(({ sent_ms, ended_ms }) => ended_ms - sent_ms)
    .sort((a, b) => a - b);
  return {
    requests: attempts.length,
    failed_requests: failed.length,
    refused_requests: attempts.filter(({ charged }) => charged === "refused").length,
    events_hit: new Set(failed.map(({ key }) => key)).size,
    p50_ms: quantile(times, 0.5),
    p99_ms: quantile(times, 0.99),
  };
}

/** The smallest of these sorted times that `part` of them do not exceed; 0 of none. */
function quantile(times: readonly number[], part: number): number {
  return times[Math.ceil(part * times.length) - 1] ?? 0;
}
