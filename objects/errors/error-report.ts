/** What the router sends to an error log. docs/contract.md section 7, `POST /api/log/error`. */

/** The one report of a group that is stored; the router has redacted it. */
export interface ErrorSample {
  message: string;
  stack: string;
  severity: "fatal" | "error" | "warning" | "info" | "debug";
  page_id: string;
  /** Has no query and fragment; `''` if not known. */
  url: string;
}

/**
 * What to do with a report whose group is unknown. `skip` counts nothing and answers `unknown`,
 * `create` makes the group, `other` counts the report in `otherGroup`, as all do when there is no
 * room for another group.
 */
export type IfUnknown = "skip" | "create" | "other";

export interface Report {
  /** 32 hex digits. */
  fingerprint: string;
  sample: ErrorSample;
  if_unknown: IfUnknown;
}

/** A counted report is durable, in its group or in `otherGroup`. */
export type ReportOutcome = "counted" | "unknown";

/** There are sixteen objects, so that a flood of one error slows one of them. */
export function errorLogOf(fingerprint: string): string {
  return fingerprint.slice(0, 1);
}

export const ERROR_LOGS: readonly string[] = [..."0123456789abcdef"];

/** Counts the reports of one error log whose fingerprints have no group of their own. */
export function otherGroup(fingerprint: string): string {
  return `${errorLogOf(fingerprint)}-other`;
}
