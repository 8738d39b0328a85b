/** The parts that the operations on a creator's pages share. */
import * as z from "zod";
import { HUB, PRIVATE } from "../../accounts/auth.openapi.ts";
import { bilingual } from "../../views/bilingual.ts";
import { DOWN, LIMITED, PageId } from "./operation.ts";
import { ETAG, errors, LIMIT_HEADERS } from "./responses.ts";

export const READ = { ...PRIVATE, ...LIMITED, ...HUB, ...DOWN };
export const OF_PAGE = { ...READ, ...errors("PAGE_NOT_FOUND") };
export const MATCHED = errors("VERSION_CONFLICT", "PRECONDITION_REQUIRED");
export const WITH_VERSION = { ...LIMIT_HEADERS, ...ETAG };

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
