/**
 * Tells the service when one of our own scripts fails in somebody's browser (docs/contract.md section 7).
 * To be imported first by every script. What other people's scripts and extensions do is not ours to report,
 * and nothing here can be noticed by the visitor.
 */

import { ERROR_LOG_PATH } from "../http/endpoints.ts";
import { ERROR_MESSAGE_CHARS_MAX, ERROR_STACK_CHARS_MAX } from "../http/limits.ts";

/** What fails once a second tells nothing new the fourth time. */
const REPORTS_MAX = 3;

/** Where our scripts are; a stack that never passes here is not ours. */
const OURS = `${location.origin}/assets/`;
const page_id = document.currentScript?.dataset.page;
const reported = new Set<string>();

/** Reports what was thrown, once; it can be anything, down to what throws when it is looked at. */
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
    // Not sent again if it fails: a count of errors may miss one, a visitor must not wait for it.
    fetch(ERROR_LOG_PATH, { method: "POST", body, keepalive: true })
      .then((response) => response.text())
      .catch(() => {});
  } catch {
    // Thrown on, it would come back here.
  }
}

window.addEventListener("error", ({ message, error, filename }) => {
  report(error, message, filename);
});
window.addEventListener("unhandledrejection", ({ reason }) => report(reason));
