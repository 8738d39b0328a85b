/** The bio page and its contact card. */
import * as z from "zod";
import { SLUG_CHARS_MAX } from "../../http/limits.ts";
import { Version } from "../../pages/vcard.ts";
import { bilingual } from "../../views/bilingual.ts";
import { location, type Operation } from "./operation.ts";
import { answer, errors, NOT_MODIFIED } from "./responses.ts";

const slug = z
  .string()
  .min(1)
  .max(SLUG_CHARS_MAX)
  .meta({
    ...bilingual(
      "The page's slug; any other spelling of it is redirected to the canonical one.",
      "اسم الصفحة في عنوانها؛ أي كتابة أخرى له تُحوَّل إلى كتابته المعتمدة.",
    ),
    example: "demo",
    param: { id: "Slug" },
  });

/** Validated as text; documented as an integer for client generators. */
const v = Version.meta({ override: { type: "integer", enum: [3, 4], default: 4 } });

export const PAGES: readonly Operation[] = [
  {
    method: "get",
    path: "/{slug}",
    id: "getPage",
    tag: "pages",
    ar: {
      summary: "صفحة الروابط",
      description:
        "صفحة HTML بلغة صاحبها واتجاهها، تُقدَّم من ذاكرة الحافة، ويظهر التعديل عليها خلال دقيقة.",
    },
    en: {
      summary: "A bio page",
      description:
        "HTML in the page's language and direction, from the edge cache; an edit shows within a minute.",
    },
    requestParams: { path: z.object({ slug }) },
    responses: {
      "200": answer("The page.", "text/html"),
      ...NOT_MODIFIED,
      "308": {
        description: "The same page at its canonical spelling.",
        headers: location("The canonical address.", "العنوان المعتمد."),
      },
      ...errors("PAGE_NOT_FOUND", "PAGE_SUSPENDED", "RATE_LIMITED", "DEPENDENCY_DOWN"),
    },
  },
  {
    method: "get",
    path: "/vcard/{slug}.vcf",
    id: "getContactCard",
    tag: "pages",
    ar: {
      summary: "بطاقة الاتصال",
      description:
        "ملف vCard يفتحه تطبيق جهات الاتصال. الإصدار 4.0 ما لم تطلب 3.0، وهو ما تقبله هواتف أندرويد.",
    },
    en: {
      summary: "A page's contact card",
      description:
        "A vCard that a phone's contacts app imports: 4.0 (RFC 6350), or 3.0 (RFC 2426), which Android needs.",
    },
    requestParams: { path: z.object({ slug }), query: z.object({ v }) },
    responses: {
      "200": answer("The card.", "text/vcard"),
      ...NOT_MODIFIED,
      "308": {
        description: "The same card at its canonical spelling.",
        headers: location("The canonical address.", "العنوان المعتمد."),
      },
      ...errors(
        "VALIDATION_FAILED",
        "PAGE_NOT_FOUND",
        "PAGE_SUSPENDED",
        "RATE_LIMITED",
        "DEPENDENCY_DOWN",
      ),
    },
  },
];
