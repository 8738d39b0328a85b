/** Errors are JSON (docs/contract.md section 3), or pages in the reader's language for browsers. */
import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { logError } from "../../objects/platform/log.ts";
import { ErrorPage } from "../views/error-page.tsx";
import { ApiError, ERRORS, type ErrorText } from "./api-error.ts";
import type { AppContext, AppEnv } from "./context.ts";
import { DOWNLOAD_PATH, LOGIN_PATH } from "./endpoints.ts";
import { RETURN_TO_CHARS_MAX } from "./limits.ts";
import { readerLanguage } from "./reader-language.ts";
import { requestCounts } from "./request-counts.ts";

/** An error that is no `ApiError` is a bug: it is logged, and answered as INTERNAL without its text. */
export function answerError(error: unknown, c: Context<AppEnv>): Response | Promise<Response> {
  if (error instanceof ApiError) return answer(c, error);
  logError("unexpected_error", { request_id: c.get("requestId"), method: c.req.method }, error);
  return answer(c, new ApiError("INTERNAL"));
}

export function answerNotFound(c: Context<AppEnv>): Response | Promise<Response> {
  return answer(c, new ApiError("NOT_FOUND"));
}

function answer(c: AppContext, { code, details, headers }: ApiError): Response | Promise<Response> {
  const { status, ar, en, challenge }: ErrorText = ERRORS[code];
  requestCounts.failed(code);
  const request_id = c.get("requestId");
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  if (challenge !== undefined) c.header("WWW-Authenticate", challenge);
  // The answer depends on both, and a 404 may be cached.
  c.header("Vary", "Accept, Accept-Language");
  if (wantsPage(c)) {
    c.header("X-Robots-Tag", "noindex");
    const locale = c.get("locale") ?? readerLanguage(c);
    const page = (
      <ErrorPage
        locale={locale}
        status={status}
        error={ar}
        message_en={en}
        request_id={request_id}
        reason={typeof details.takedown_reason === "string" ? details.takedown_reason : null}
        page_url={c.get("pageUrl") ?? null}
        sign_in={code === "AUTH_REQUIRED" ? signInAddress(c.req.url) : null}
      />
    );
    return c.html(`<!DOCTYPE html>${page}`, status);
  }
  return c.body(
    JSON.stringify({
      ok: false,
      error: ar,
      message_en: en,
      code,
      details: { ...details, request_id },
    }),
    status,
    { "Content-Type": "application/json; charset=utf-8" },
  );
}

/** False under /api, whose clients are programs, but for downloads and forms of pages. */
function wantsPage(c: AppContext): boolean {
  const type = accepts(c, {
    header: "Accept",
    supports: ["application/json", "text/html"],
    default: "application/json",
  });
  const { path } = c.req;
  const is_form = /^application\/x-www-form-urlencoded\b/i.test(c.req.header("Content-Type") ?? "");
  const is_page = !path.startsWith("/api/") || path.startsWith(`${DOWNLOAD_PATH}/`) || is_form;
  return type === "text/html" && is_page;
}

/** The login page, which returns to `address`: without its query where that is too long. */
function signInAddress(address: string): string {
  const { origin, pathname, search } = new URL(address);
  const fits = (path: string) => origin.length + path.length <= RETURN_TO_CHARS_MAX;
  const return_to = [pathname + search, pathname].find(fits) ?? "/";
  return `${LOGIN_PATH}?return_to=${encodeURIComponent(return_to)}`;
}
