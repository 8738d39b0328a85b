import * as z from "zod";
import { describe, described } from "../../openapi/described.ts";
import { location, type Operation } from "../../openapi/operation.ts";
import { answer, NOT_MODIFIED } from "../../openapi/responses.ts";
import { bilingual } from "../../views/bilingual.ts";
import { slug } from "../page.openapi.ts";
import { Version as CardVersion, Version } from "./vcard.ts";

describe(CardVersion, bilingual("The major version of vCard.", "الإصدار الرئيسي من vCard."));

/** Validated as text; documented as an integer for client generators. */
const v = described(Version, { override: { type: "integer", enum: [3, 4], default: 4 } });

export const VCARD: readonly Operation[] = [
  {
    method: "get",
    path: "/vcard/:slug.vcf",
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
    },
    errors: [
      "VALIDATION_FAILED",
      "PAGE_NOT_FOUND",
      "PAGE_SUSPENDED",
      "RATE_LIMITED",
      "DEPENDENCY_DOWN",
    ],
  },
];
