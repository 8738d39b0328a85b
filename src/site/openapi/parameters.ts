/** Parameters that several routes have. */
import * as z from "zod";
import { Id } from "../../http/ids.ts";
import { bilingual } from "../../views/bilingual.ts";
import { describe, described } from "./described.ts";

// Names of schemas in the document.
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

/** A switch of a query, which is validated as text; an integer for client generators. */
export const Flag = z.literal([0, 1]).meta({ id: "Flag", override: { type: "integer" } });

/** The query's `limit`: digits in the address, an integer for the reader. */
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

/** The query's `cursor`. */
export function listCursor<S extends z.core.$ZodType>(schema: S): S {
  return described(
    schema,
    bilingual("The `next_cursor` of the answer before.", "قيمة `next_cursor` من الإجابة السابقة."),
  );
}

/** The `next_cursor` of an answer. */
export const NextCursor = z
  .string()
  .nullable()
  .meta(
    bilingual(
      "Send it as `cursor` to get the next ones. Null at the end of the list.",
      "يُطلب به ما بعدها؛ ويكون `null` في آخر القائمة.",
    ),
  );
