/** One route of the document, and the parts that several routes share. */
import * as z from "zod";
import type { ZodOpenApiOperationObject } from "zod-openapi";
import { bilingual } from "../../views/bilingual.ts";
import { answer, errors, NOT_MODIFIED } from "./responses.ts";

/** What a route is for, in one line and in a paragraph. */
interface Purpose {
  summary: string;
  description: string;
}

export type Tag = "counting" | "analytics" | "pages" | "accounts" | "reports" | "site";

export interface Operation {
  method: "get" | "post";
  /** Who may ask; everybody, where it says nothing. What changes something needs the token too. */
  access?: "session" | "session and token";
  /** With `{parameters}`. */
  path: `/${string}`;
  id: string;
  tag: Tag;
  ar: Purpose;
  en: Purpose;
  requestParams?: ZodOpenApiOperationObject["requestParams"];
  requestBody?: ZodOpenApiOperationObject["requestBody"];
  responses: ZodOpenApiOperationObject["responses"];
}

/** A body of JSON, whether it is called so or not (docs/contract.md section 5). */
export function jsonBody(schema: z.ZodType): ZodOpenApiOperationObject["requestBody"] {
  return { required: true, content: { "application/json": { schema }, "text/plain": { schema } } };
}

export function location(en: string, ar: string) {
  return {
    Location: { ...bilingual(en, ar), schema: { type: "string" }, required: true },
  } as const;
}

export const LIMITED = errors("RATE_LIMITED");
export const BAD_BODY = errors(
  "INVALID_JSON",
  "VALIDATION_FAILED",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
);
export const DOWN = errors("DEPENDENCY_DOWN");

type Described = Pick<Operation, "ar" | "en">;

/** A file for machines, the same for everybody. */
export function file(
  path: `/${string}`,
  id: string,
  type: string,
  words: Described,
  more: ZodOpenApiOperationObject["responses"] = {},
): Operation {
  // What is JSON is an object, whose shape is the business of another standard.
  const schema = type.endsWith("json") ? z.looseObject({}) : z.string();
  return {
    method: "get",
    path,
    id,
    tag: "site",
    ...words,
    responses: {
      "200": answer(words.en.summary, type, schema),
      ...NOT_MODIFIED,
      ...LIMITED,
      ...more,
    },
  };
}
