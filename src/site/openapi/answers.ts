/** The shapes of our JSON answers, as the document tells them and the routes give them. */
import * as z from "zod";
import { ERRORS, type ErrorCode } from "../../http/api-error.ts";
import { bilingual } from "../../views/bilingual.ts";

/** The beacon's answer; what became of the event is in `X-Beacon-Outcome`. */
export const Accepted = z.object({ ok: z.literal(true) });

/** The error log's answer: the group that the report was counted in. */
export const Reported = z.object({
  ok: z.literal(true),
  id: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .meta(
      bilingual(
        "Fingerprint of the group of errors this report was counted in.",
        "بصمة مجموعة الأخطاء التي حُسب فيها هذا البلاغ.",
      ),
    ),
});

export const Health = z.object({
  ok: z.literal(true),
  app: z.literal("sila"),
  version: z.string().regex(/^3\.\d+\.\d+$/),
});

export const Check = z.object({ ok: z.boolean(), latency_ms: z.int().nonnegative() });

/** What the deep probe found, by dependency; the names are all a client learns about them. */
export const Checks = z.object({
  d1: Check,
  kv: Check,
  r2: Check,
  hub: Check,
  config: Check.meta(
    bilingual(
      "Whether every secret and variable of the deployment is set and well-formed.",
      "هل كل مفاتيح النشر السرية ومتغيّراته موجودة وصحيحة الصيغة.",
    ),
  ),
});

export const DeepHealth = Health.extend({ status: z.literal("pass"), checks: Checks });

/** What `details` holds beside the request's id, by code. */
const DETAILS: Partial<Record<ErrorCode, z.ZodRawShape>> = {
  VALIDATION_FAILED: {
    issues: z.array(z.object({ path: z.string(), message: z.string() })).min(1),
  },
  AUTH_REQUIRED: { login_url: z.url() },
  METHOD_NOT_ALLOWED: { allow: z.array(z.string()).min(1) },
  PAYLOAD_TOO_LARGE: { max_bytes: z.int() },
  RATE_LIMITED: {
    scope: z.string(),
    limit: z.int().min(1),
    window_s: z.literal(60),
    retry_after_s: z.int().min(1).max(60),
  },
};

/** The error envelope with this code (docs/contract.md section 3). */
export function envelopeOf(code: ErrorCode, details: z.ZodRawShape = DETAILS[code] ?? {}) {
  return z.object({
    ok: z.literal(false),
    error: z.literal(ERRORS[code].ar),
    message_en: z.literal(ERRORS[code].en),
    code: z.literal(code),
    details: z.looseObject({ ...details, request_id: z.string() }),
  });
}

/** The envelope of a deep probe that failed: what failed is in its details. */
export const DeepFailure = envelopeOf("DEPENDENCY_DOWN", { checks: Checks.optional() });
