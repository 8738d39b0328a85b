/** What the router tells an error log. CONTRACT section 7, `POST /api/log/error`. */

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

export interface Report {
  /** 32 hex digits: the group this report belongs to. */
  fingerprint: string;
  sample: ErrorSample;
}

/** The object that counts a group: one of sixteen, so that one flood of errors leaves the others alone. */
export function errorLogOf(fingerprint: string): string {
  return fingerprint.slice(0, 1);
}

/** The names of all of them. */
export const ERROR_LOGS: readonly string[] = [..."0123456789abcdef"];

/** Where an object without room for another group counts: its own group for all the rest. */
export function otherGroup(fingerprint: string): string {
  return `${errorLogOf(fingerprint)}-other`;
}
