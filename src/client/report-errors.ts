/**
 * Reports errors of our own scripts to the service (docs/contract.md section 7). Every script
 * imports it first. Errors of other scripts and of extensions are not reported. The visitor never
 * notices a report.
 */

import { ERROR_MESSAGE_CHARS_MAX, ERROR_STACK_CHARS_MAX } from "../counting/errors/limits.ts";
import { ERROR_LOG_PATH } from "../http/endpoints.ts";

/** An error that repeats every second adds nothing new. */
const REPORTS_MAX = 3;

/** A stack without this address is not ours. */
const OURS = `${location.origin}/assets/`;
const page_id = document.currentScript?.dataset.page;
const reported = new Set<string>();

/** A thrown value can be anything, even an object whose properties throw. */
function report(thrown: unknown, said?: string, file?: string): void {
  try {
    const { message, stack } = Object(thrown);
    const where = `${stack || file}`;
    const body = JSON.stringify({
      message: `${said ?? message ?? thrown}`.slice(0, ERROR_MESSAGE_CHARS_MAX) || "error",
      stack: where.slice(0, ERROR_STACK_CHARS_MAX),
      page_id,
      url: location.origin + location.pathname,
    });
    if (!where.includes(OURS) || reported.has(body) || reported.size === REPORTS_MAX) return;
    reported.add(body);
    // Not retried: a count of errors may miss one.
    fetch(ERROR_LOG_PATH, { method: "POST", body, keepalive: true })
      .then((response) => response.text())
      .catch(() => {});
  } catch {
    // Rethrown, it would call this function again.
  }
}

window.addEventListener("error", ({ message, error, filename }) => {
  report(error, message, filename);
});
window.addEventListener("unhandledrejection", ({ reason }) => report(reason));
