import * as z from "zod";
import { ERRORS, type ErrorCode } from "../http/api-error.ts";

/** @param id the schema's name in the document */
export function success<S extends z.ZodRawShape>(id: string, members: S) {
  return z.object({ ok: z.literal(true), ...members }).meta({ id });
}

export const Ok = success("Ok", {});
export const Time = z.iso.datetime().meta({ id: "Time" });

const DAY_S = 86_400;

/** Members of `details` by code; the request's id is in all. */
const DETAILS: Partial<Record<ErrorCode, z.ZodRawShape>> = {
  VALIDATION_FAILED: {
    issues: z.array(z.object({ path: z.string(), message: z.string() })).min(1),
  },
  AUTH_REQUIRED: { login_url: z.url() },
  // A limit of pages, of files, or of webhooks' endpoints, which are as many in every plan.
  PLAN_LIMIT: {
    plan: z.string().optional(),
    pages_max: z.int().optional(),
    bytes_max: z.int().optional(),
    files_max: z.int().optional(),
    webhooks_max: z.int().optional(),
  },
  VERSION_CONFLICT: { page: z.looseObject({ page_id: z.string(), version: z.int() }) },
  METHOD_NOT_ALLOWED: { allow: z.array(z.string()).min(1) },
  PAYLOAD_TOO_LARGE: { max_bytes: z.int() },
  UNSUPPORTED_MEDIA_TYPE: { types: z.array(z.string()).min(1) },
  PAGE_UNREADABLE: { reason: z.string(), text: z.string(), text_en: z.string() },
  DAY_LIMIT: {
    scope: z.enum([
      "pictures_day",
      "import_reads_day",
      "imports_day",
      "import_kilorows_day",
      "page_reads_day",
      "ends_day",
    ]),
    limit: z.int().min(1),
    window_s: z.literal(DAY_S),
    retry_after_s: z.int().min(1).max(DAY_S),
  },
  AI_QUOTA_EXCEEDED: {
    limit: z.int().min(1),
    window_s: z.literal(DAY_S),
    retry_after_s: z.int().min(1).max(DAY_S),
  },
  RATE_LIMITED: {
    scope: z.string(),
    limit: z.int().min(1),
    window_s: z.union([z.literal(60), z.literal(3_600), z.literal(DAY_S)]),
    retry_after_s: z.int().min(1).max(DAY_S),
  },
};

const ErrorDetails = z.looseObject({ request_id: z.string() }).meta({ id: "ErrorDetails" });
const envelopes = new Map<ErrorCode, z.ZodObject>();

/** Made once for each code (docs/contract.md section 3): a name belongs to one schema. */
export function envelopeOf(code: ErrorCode): z.ZodObject {
  const known = envelopes.get(code) ?? envelope(code, DETAILS[code] ?? {});
  envelopes.set(code, known);
  return known;
}

export function envelope(code: ErrorCode, details: z.ZodRawShape, name = nameOf(code)) {
  return z
    .object({
      ok: z.literal(false),
      error: z.literal(ERRORS[code].ar),
      message_en: z.literal(ERRORS[code].en),
      code: z.literal(code),
      details: Object.keys(details).length === 0 ? ErrorDetails : ErrorDetails.extend(details),
    })
    .meta({ id: name });
}

/** `PageNotFoundError` for PAGE_NOT_FOUND. */
function nameOf(code: ErrorCode): string {
  const words = code.replace(/_ERROR$/, "").split("_");
  return `${words.map((word) => word.slice(0, 1) + word.slice(1).toLowerCase()).join("")}Error`;
}
