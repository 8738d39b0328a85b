/**
 * Logs: one JSON object a line, without addresses, user agents, queries or secrets (SECURITY S16,
 * S17). Callers pass what they chose to tell, never a request.
 */

/** C1 controls, line separators and bidi controls; JSON already escapes the C0 ones. */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const EMAIL = /[^\s"'<>@]{1,64}@[^\s"'<>@]{1,255}/g;
const BEARER = /bearer\s+[\w.~+/=-]+/gi;
const QUERY = /\?[^\s"']*/g;

/** Writes one line at the level of an error. */
export function logError(event: string, fields: Record<string, unknown>, cause?: unknown): void {
  console.error(
    toLine({ event, ...fields, ...(cause === undefined ? {} : { cause: describe(cause) }) }),
  );
}

/** The line for these fields; exported for its test. */
export function toLine(fields: Record<string, unknown>): string {
  return JSON.stringify(fields, (_, value: unknown) =>
    typeof value === "string" ? redact(value) : value,
  ).replace(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function redact(text: string): string {
  return text
    .replace(BEARER, "bearer [redacted]")
    .replace(EMAIL, "[redacted]")
    .replace(QUERY, "?[redacted]");
}

function describe(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
