import * as z from "zod/mini";
import { canonicalSlug } from "../http/ids.ts";
import { SLUG_CHARS_MAX } from "../http/limits.ts";
import { checkDocument, documentShape } from "../pages/document/page-document.ts";

const SlugText = z.string().check(
  z.refine(
    (raw) => canonicalSlug(raw) !== null,
    `1 to ${SLUG_CHARS_MAX} letters and digits of Latin or Arabic script, with - _ . inside`,
  ),
  z.overwrite((raw) => canonicalSlug(raw) ?? raw),
);

export const PageInput = z
  .strictObject({
    slug: SlugText,
    status: z._default(z.enum(["draft", "published"]), "draft"),
    ...documentShape,
  })
  .check(z.superRefine(checkDocument));
export type PageInput = z.output<typeof PageInput>;

/** Members of an answer that a client may send back; they are ignored. */
const READ_ONLY: ReadonlySet<string> = new Set([
  "page_id",
  "version",
  "created_at",
  "updated_at",
  "ends_at",
]);

export function withoutReadOnly(body: unknown): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !READ_ONLY.has(name)));
}
