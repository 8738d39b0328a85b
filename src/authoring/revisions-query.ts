/** Queries and parameters of the routes of revisions. */
import * as z from "zod";
import { bilingual } from "../views/bilingual.ts";

/** Decimal digits alone: `Number` would read `1e0` and `0x1` too. */
export const Version = z
  .string()
  .refine((text) => /^[1-9]\d{0,14}$/.test(text), "a whole number from 1 on")
  .transform(Number)
  .meta({ override: { type: "integer", minimum: 1, maximum: 999_999_999_999_999 } });

/** `?before=<version>` for older ones. */
export const RevisionsQuery = z.object({
  before: Version.optional().meta(
    bilingual("Only versions before this one.", "النسخ التي قبل هذه وحدها."),
  ),
});
