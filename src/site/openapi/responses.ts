/** The parts that operations of the document are made of: answers, errors, headers. */
import * as z from "zod";
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from "zod-openapi";
import { ERRORS, type ErrorCode } from "../../http/api-error.ts";
import { bilingual } from "../../views/bilingual.ts";
import { envelopeOf } from "./answers.ts";

type Headers = NonNullable<ZodOpenApiResponseObject["headers"]>;

/** The limits' headers (draft-ietf-httpapi-ratelimit-headers-11, RFC 9651). */
export const LIMIT_HEADERS = {
  "RateLimit-Policy": {
    ...bilingual(
      "The limit: `q` requests in any `w` seconds.",
      "الحد: `q` من الطلبات في أي `w` ثانية.",
    ),
    schema: { type: "string", examples: ['"public";q=60;w=60'] },
  },
  RateLimit: {
    ...bilingual(
      "What is left of it: `r` requests now, and the window moves on in `t` seconds.",
      "ما بقي منه: `r` من الطلبات الآن، ويُخلى أول مكان مشغول بعد `t` ثانية.",
    ),
    schema: { type: "string", examples: ['"public";r=59;t=60'] },
  },
} as const satisfies Headers;

export const OUTCOME_HEADERS = {
  "X-Beacon-Outcome": {
    ...bilingual("What became of the event.", "ما آل إليه الحدث."),
    schema: { type: "string", enum: ["counted", "duplicate", "limited"] },
  },
} as const satisfies Headers;

export const RETRY_WORDS = bilingual(
  "Whole seconds after which to try again.",
  "بعد كم ثانية تعيد المحاولة.",
);

const RETRY_AFTER = {
  "Retry-After": {
    ...RETRY_WORDS,
    schema: { type: "string", pattern: "^[1-9]\\d*$" },
  },
} as const satisfies Headers;

/** Every 401 names how to authenticate (RFC 9110 section 11.6.1). */
const CHALLENGE = {
  "WWW-Authenticate": {
    ...bilingual("How to prove who you are.", "كيف تُثبت هويتك."),
    schema: { type: "string" },
  },
} as const satisfies Headers;

/** What every answer to a kept copy and every limited GET may be besides. */
export const NOT_MODIFIED = { "304": { description: "The copy you hold is current." } } as const;

/** An answer with a body. */
export function answer(
  description: string,
  type: string,
  schema: z.ZodType = z.string(),
  headers: Headers = {},
): ZodOpenApiResponseObject {
  return { description, content: { [type]: { schema } }, headers };
}

/** The error answers with these codes, in the envelope, by status. */
export function errors(...codes: ErrorCode[]): ZodOpenApiResponsesObject {
  const responses: ZodOpenApiResponsesObject = {};
  const by_status = Map.groupBy(codes, (code) => ERRORS[code].status);
  for (const [status, group] of by_status) {
    const [one, ...more] = group.map((code) => envelopeOf(code));
    if (one === undefined) continue;
    responses[`${status}` as `${1 | 2 | 3 | 4 | 5}${string}`] = {
      description: group.map((code) => ERRORS[code].en).join(" Or: "),
      content: {
        "application/json": { schema: more.length === 0 ? one : z.union([one, ...more]) },
      },
      ...(status === 401 ? { headers: CHALLENGE } : {}),
      ...(status === 429 || status === 503 ? { headers: RETRY_AFTER } : {}),
    };
  }
  return responses;
}
