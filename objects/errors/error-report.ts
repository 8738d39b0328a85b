/** What the router tells an error log. docs/contract.md section 7, `POST /api/log/error`. */

/** The one report that is kept of a group: scrubbed by the router. */
export interface ErrorSample {
  message: string;
  /** The stack trace, or `''`. */
  stack: string;
  severity: "fatal" | "error" | "warning" | "info" | "debug";
  /** The page it happened on, or `''`. */
  page_id: string;
  /** Its address without query and fragment, or `''`. */
  url: string;
}

/**
 * What an error log does with a report whose group it does not hold: `skip` counts nothing and answers
 * `unknown`, `create` makes the group, `other` counts the report in `otherGroup`. Where there is no room
 * for one more group, the report counts there in any case.
 */
export type IfUnknown = "skip" | "create" | "other";

export interface Report {
  /** 32 hex digits: the group this report belongs to. */
  fingerprint: string;
  sample: ErrorSample;
  if_unknown: IfUnknown;
}

/** `counted`: durably, in its group or in `otherGroup`. `unknown`: not counted at all. */
export type ReportOutcome = "counted" | "unknown";

/** The object that counts a group: one of sixteen, so that one flood of errors leaves the others alone. */
export function errorLogOf(fingerprint: string): string {
  return fingerprint.slice(0, 1);
}

/** The names of all of them. */
export const ERROR_LOGS: readonly string[] = [..."0123456789abcdef"];

/** The group that counts the reports of all fingerprints of one digit that have no group of their own. */
export function otherGroup(fingerprint: string): string {
  return `${errorLogOf(fingerprint)}-other`;
}
