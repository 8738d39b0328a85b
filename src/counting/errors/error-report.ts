/** The body of a report and its stored sample (docs/contract.md section 7). Takes linear time. */
import * as z from "zod/mini";
import type { ErrorSample } from "../../../objects/errors/error-report.ts";
import { redact } from "../../../objects/platform/redact.ts";
import { boundedText } from "../../http/bounded-text.ts";
import { Id } from "../../http/ids.ts";
import { ERROR_MESSAGE_CHARS_MAX, ERROR_STACK_CHARS_MAX, ERROR_URL_CHARS_MAX } from "./limits.ts";

export const ErrorReport = z.object({
  message: boundedText(ERROR_MESSAGE_CHARS_MAX).check(z.minLength(1)),
  stack: z._default(boundedText(ERROR_STACK_CHARS_MAX), ""),
  severity: z._default(z.enum(["fatal", "error", "warning", "info", "debug"]), "error"),
  page_id: z.optional(Id),
  url: z._default(boundedText(ERROR_URL_CHARS_MAX), ""),
});

/** The sample is well-formed, without control characters, and redacted. */
export function toSample(report: z.output<typeof ErrorReport>): ErrorSample {
  return {
    message: redact(clean(report.message)),
    stack: redact(clean(report.stack)),
    severity: report.severity,
    page_id: report.page_id ?? "",
    url: bareUrl(report.url),
  };
}

/** Control characters but tab and line feed, bidi controls, and line separators. */
const UNPRINTABLE = /[^\P{Cc}\t\n]|\p{Bidi_Control}|[\u2028\u2029]/gu;

function clean(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, "\n").replace(UNPRINTABLE, "");
}

/** Origin and path; `''` for other schemes: the report is accepted without its address. */
function bareUrl(raw: string): string {
  const url = URL.parse(raw);
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin + redact(url.pathname) : "";
}
