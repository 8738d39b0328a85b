/** What a client writes of a page: its document, slug and status. */
import * as z from "zod";
import { canonicalSlug } from "../http/ids.ts";
import { SLUG_CHARS_MAX } from "../http/limits.ts";
import { checkDocument, documentShape } from "../pages/page-document.ts";
import { bilingual } from "../views/bilingual.ts";

const SlugText = z
  .string()
  .refine(
    (raw) => canonicalSlug(raw) !== null,
    `1 to ${SLUG_CHARS_MAX} letters and digits of Latin or Arabic script, with - _ . inside`,
  )
  .overwrite((raw) => canonicalSlug(raw) ?? raw)
  .meta({
    ...bilingual(
      "The page's address on this site; stored in its canonical spelling.",
      "عنوان الصفحة في هذا الموقع، ويُحفظ بصورته المعيارية.",
    ),
    example: "layan",
  });

export const PageInput = z
  .strictObject({
    slug: SlugText,
    status: z
      .enum(["draft", "published"])
      .meta({ id: "OwnStatus" })
      .default("draft")
      .meta(bilingual("A draft is shown to nobody but its owner.", "المسودّة لا يراها إلا صاحبها.")),
    ...documentShape,
  })
  .superRefine(checkDocument)
  .meta({ id: "PageInput" });
export type PageInput = z.output<typeof PageInput>;

/** Members of an answer that a client may send back; they are ignored. */
const READ_ONLY: ReadonlySet<string> = new Set([
  "page_id",
  "version",
  "created_at",
  "updated_at",
  "ends_at",
]);

/** The body without the members that a client cannot change. */
export function withoutReadOnly(body: unknown): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !READ_ONLY.has(name)));
}
