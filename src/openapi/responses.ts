import * as z from "zod";
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from "zod-openapi";
import { ERRORS, type ErrorCode } from "../http/api-error.ts";
import { bilingual } from "../views/bilingual.ts";
import { envelopeOf } from "./answers.ts";

type Headers = NonNullable<ZodOpenApiResponseObject["headers"]>;

export const HEADERS = {
  // draft-ietf-httpapi-ratelimit-headers-11, structured fields of RFC 9651.
  "RateLimit-Policy": {
    ...bilingual(
      "The limit: `q` requests in any `w` seconds.",
      "الحد: `q` من الطلبات في أي `w` ثانية.",
    ),
    schema: { type: "string", examples: ['"public";q=60;w=60'] },
  },
  RateLimit: {
    ...bilingual(
      "What remains of the limit: `r` requests now. The next one becomes free in `t` seconds.",
      "ما بقي منه: `r` من الطلبات الآن، ويُخلى أول مكان مشغول بعد `t` ثانية.",
    ),
    schema: { type: "string", examples: ['"public";r=59;t=60'] },
  },
  "X-Beacon-Outcome": {
    ...bilingual("What became of the event.", "ما آل إليه الحدث."),
    schema: { type: "string", enum: ["counted", "duplicate", "limited"] },
  },
  "Retry-After": {
    ...bilingual("Whole seconds after which to try again.", "بعد كم ثانية تعيد المحاولة."),
    schema: { type: "integer", minimum: 1 },
  },
  ETag: {
    ...bilingual("The version of the page.", "نسخة الصفحة."),
    schema: { type: "string", examples: ['"v3"'] },
  },
  "WWW-Authenticate": {
    ...bilingual("How to authenticate (RFC 9110).", "طريقة إثبات الهوية (RFC 9110)."),
    schema: { type: "string", examples: ['Cookie realm="sila"'] },
    required: true,
  },
} as const satisfies Headers;

function headers(...names: (keyof typeof HEADERS)[]): Headers {
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name}` as const }]),
  );
}

export const LIMIT_HEADERS = headers("RateLimit-Policy", "RateLimit");
const ETAG = headers("ETag");
export const OUTCOME_HEADERS = headers("X-Beacon-Outcome");

const HEADERS_OF_STATUS: Readonly<Record<number, { headers: Headers }>> = {
  401: { headers: headers("WWW-Authenticate") },
  429: { headers: headers("Retry-After", "RateLimit-Policy", "RateLimit") },
  503: { headers: headers("Retry-After") },
};

export const NOT_MODIFIED = { "304": { description: "The copy you hold is current." } } as const;

export function answer(
  description: string,
  type: string,
  schema: z.ZodType = z.string(),
  headers: Headers = {},
): ZodOpenApiResponseObject {
  return { description, content: { [type]: { schema } }, headers };
}

export function json(
  description: string,
  schema: z.ZodType,
  headers = LIMIT_HEADERS,
): ZodOpenApiResponseObject {
  return answer(description, "application/json", schema, headers);
}

export function errorAnswers(codes: readonly ErrorCode[]): ZodOpenApiResponsesObject {
  const responses: ZodOpenApiResponsesObject = {};
  const by_status = Map.groupBy(new Set(codes), (code) => ERRORS[code].status);
  for (const [status, group] of by_status) {
    const [one, ...more] = group.map((code) => envelopeOf(code));
    if (one === undefined) continue;
    responses[`${status}` as `${1 | 2 | 3 | 4 | 5}${string}`] = {
      description: group.map((code) => ERRORS[code].en).join(" Or: "),
      content: {
        "application/json": { schema: more.length === 0 ? one : z.union([one, ...more]) },
      },
      ...(HEADERS_OF_STATUS[status] ?? {}),
    };
  }
  return responses;
}

/** 405 for every other method; `allow` is its `Allow`. */
export function methodNotAllowed(allow: string): ZodOpenApiResponsesObject {
  const { "405": refused } = errorAnswers(["METHOD_NOT_ALLOWED"]);
  const Allow = {
    ...bilingual("The methods that this path has.", "الطرق المتاحة في هذا المسار."),
    schema: { type: "string", const: allow },
    required: true,
  } as const;
  return { "405": { ...refused, headers: { Allow } } };
}

/**
 * Lets every error be a page as well: a browser that asks for HTML gets one, except under `/api`
 * where neither a page links nor a form leads (`src/http/error-answer.tsx`).
 */
export function orAsPage(responses: ZodOpenApiResponsesObject): ZodOpenApiResponsesObject {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      Number(status) < 400 || "$ref" in response
        ? response
        : { ...response, content: { ...response.content, "text/html": { schema: z.string() } } },
    ]),
  );
}

export const BAD_BODY = [
  "INVALID_JSON",
  "VALIDATION_FAILED",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
] as const;
export const HUB = ["UPSTREAM_ERROR", "UPSTREAM_TIMEOUT"] as const;
export const READ = ["AUTH_REQUIRED", "RATE_LIMITED", ...HUB, "DEPENDENCY_DOWN"] as const;
export const OF_PAGE = [...READ, "PAGE_NOT_FOUND"] as const;
export const MATCHED = ["VERSION_CONFLICT", "PRECONDITION_REQUIRED"] as const;
export const WITH_VERSION = { ...LIMIT_HEADERS, ...ETAG };
