/**
 * Logs: one JSON object a line, without addresses, user agents, queries or secrets
 * (docs/security.md S16, S17). Callers pass single fields, never a request.
 */
import { redact } from "./redact.ts";

/** C1 controls, line separators and bidi controls; JSON already escapes the C0 ones. */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

export function logError(event: string, fields: Record<string, unknown>, cause?: unknown): void {
  console.error(
    toLine({ event, ...fields, ...(cause === undefined ? {} : { cause: describe(cause) }) }),
  );
}

/** We make these values ourselves. A request id looks like a token, but must stay searchable. */
const OURS: ReadonlySet<string> = new Set(["event", "request_id", "page_id", "scope", "setting"]);

export function toLine(fields: Record<string, unknown>): string {
  return JSON.stringify(fields, (name, value: unknown) =>
    typeof value === "string" && !OURS.has(name) ? redact(value) : value,
  ).replace(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function describe(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
