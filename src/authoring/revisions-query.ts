/** Queries and parameters of the routes of revisions. */
import * as z from "zod";
import { bilingual } from "../views/bilingual.ts";

export const Version = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

/** `?before=<version>` for older ones. */
export const RevisionsQuery = z.object({
  before: Version.optional().meta(
    bilingual("Only versions before this one.", "النسخ التي قبل هذه وحدها."),
  ),
});
