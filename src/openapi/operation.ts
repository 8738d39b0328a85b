import * as z from "zod";
import type { ZodOpenApiOperationObject } from "zod-openapi";
import type { ErrorCode } from "../http/api-error.ts";
import { bilingual } from "../views/bilingual.ts";
import { answer, NOT_MODIFIED } from "./responses.ts";

interface Purpose {
  summary: string;
  description: string;
}

export type Tag =
  | "counting"
  | "analytics"
  | "pages"
  | "editing"
  | "tips"
  | "newsletters"
  | "webhooks"
  | "suggestions"
  | "accounts"
  | "own_accounts"
  | "reports"
  | "operators"
  | "site";

export interface Operation {
  method: "get" | "post" | "put" | "patch" | "delete";
  /** Needed by a private route; absent for public ones. */
  access?: "session" | "session and token" | "operator and token";
  /** The route's path, with `:page_id` for a parameter. */
  path: `/${string}`;
  id: string;
  tag: Tag;
  ar: Purpose;
  en: Purpose;
  requestParams?: ZodOpenApiOperationObject["requestParams"];
  requestBody?: ZodOpenApiOperationObject["requestBody"];
  /** Responses without an error. */
  responses: ZodOpenApiOperationObject["responses"];
  /** All but METHOD_NOT_ALLOWED, which every path has; codes of one status in the document's order. */
  errors: readonly ErrorCode[];
}

/** OpenAPI 3.1 describes bytes by their media type alone. */
export const BYTES = z.unknown();

/** A JSON body. `text/plain` is read as JSON too (docs/contract.md section 5). */
export function jsonBody(
  schema: z.core.$ZodType,
  example?: object,
): ZodOpenApiOperationObject["requestBody"] {
  const content = example === undefined ? { schema } : { schema, example };
  return { required: true, content: { "application/json": content, "text/plain": content } };
}

export function location(en: string, ar: string) {
  return {
    Location: { ...bilingual(en, ar), schema: { type: "string" }, required: true },
  } as const;
}

type Described = Pick<Operation, "ar" | "en">;

/** The manifest and the OpenAPI document itself, which standards describe. */
export const JsonObject = z.looseObject({}).meta({ id: "JsonObject" });

export function file(
  path: `/${string}`,
  id: string,
  type: string,
  words: Described,
  more: readonly ErrorCode[] = [],
): Operation {
  const schema = type.endsWith("json") ? JsonObject : z.string();
  return {
    method: "get",
    path,
    id,
    tag: "site",
    ...words,
    responses: {
      "200": answer(words.en.summary, type, schema),
      ...NOT_MODIFIED,
    },
    errors: ["RATE_LIMITED", ...more],
  };
}
