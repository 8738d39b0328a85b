/** What the router sends to an error log. docs/contract.md section 7, `POST /api/log/error`. */

/** The one report of a group that is stored, redacted by the router. */
export interface ErrorSample {
  message: string;
  /** The stack trace, or `''`. */
  stack: string;
  severity: "fatal" | "error" | "warning" | "info" | "debug";
  /** The page on which the error happened, or `''`. */
  page_id: string;
  /** The address where it happened, without query and fragment, or `''`. */
  url: string;
}

/**
 * What an error log does with a report whose group it does not have. `skip` counts nothing and
 * answers `unknown`, `create` makes the group, `other` counts the report in `otherGroup`. When
 * there is no room for another group, the report counts in `otherGroup` in any case.
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

/**
 * Name of the object that counts a group: one of sixteen, so that a flood of one error slows one of
 * them.
 */
export function errorLogOf(fingerprint: string): string {
  return fingerprint.slice(0, 1);
}

/** The names of all error logs. */
export const ERROR_LOGS: readonly string[] = [..."0123456789abcdef"];

/** The group of all reports in one error log whose fingerprints have no group of their own. */
export function otherGroup(fingerprint: string): string {
  return `${errorLogOf(fingerprint)}-other`;
}
