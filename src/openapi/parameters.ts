import * as z from "zod";
import { Id } from "../http/ids.ts";
import { bilingual } from "../views/bilingual.ts";
import { describe, described } from "./described.ts";

describe(Id, { id: "Id" });

export const PageId = described(Id, {
  ...bilingual("The page's immutable id.", "معرّف الصفحة الذي لا يتغيّر."),
  example: "demo",
});

export const page = z.object({ page_id: PageId });
export const matching = z.object({
  "If-Match": z.string().meta({
    ...bilingual(
      "The `ETag` of the version that you change.",
      "الترويسة `ETag` للنسخة التي تعدّلها.",
    ),
    example: '"v3"',
  }),
});

/** A switch in a query is validated as text, but an integer for client generators. */
export const Flag = z.literal([0, 1]).meta({ id: "Flag", override: { type: "integer" } });

/** `limit` is digits in the address, but an integer for the reader. */
export function listLimit<S extends z.core.$ZodType>(
  schema: S,
  range: { default: number; maximum: number },
): S {
  return described(schema, {
    ...bilingual("How many, at most.", "أقصى عدد في الإجابة."),
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern;
      Object.assign(jsonSchema, { type: "integer", minimum: 1, ...range });
    },
  });
}

export function listCursor<S extends z.core.$ZodType>(schema: S): S {
  return described(
    schema,
    bilingual("The `next_cursor` of the answer before.", "قيمة `next_cursor` من الإجابة السابقة."),
  );
}

export const NextCursor = z
  .string()
  .nullable()
  .meta(
    bilingual(
      "Send it as `cursor` to get the next ones. Null at the end of the list.",
      "يُطلب به ما بعدها؛ ويكون `null` في آخر القائمة.",
    ),
  );
