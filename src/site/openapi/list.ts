/** What lists that come in pages have in common: how many, from where, and where the next page begins. */
import * as z from "zod";
import { bilingual } from "../../views/bilingual.ts";
import { described } from "./described.ts";

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
