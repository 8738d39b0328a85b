import * as z from "zod";
import { SLUG_CHARS_MAX } from "../http/limits.ts";
import { described } from "../openapi/described.ts";
import { location, type Operation } from "../openapi/operation.ts";
import { answer, NOT_MODIFIED } from "../openapi/responses.ts";
import { bilingual } from "../views/bilingual.ts";
import { LocaleName } from "./document/page-document.ts";

export const slug = z
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

const locale = described(LocaleName, {
  ...bilingual(
    "The language. The address of the page's default one redirects to the address without it.",
    "اللغة. وعنوان اللغة الأساسية يُحوَّل إلى العنوان الذي بلا لغة.",
  ),
  example: "en",
});

const SHOWN: Operation["responses"] = {
  "200": answer("The page.", "text/html"),
  ...NOT_MODIFIED,
  "308": {
    description: "The same page at its canonical spelling, or at the slug that it has now.",
    headers: location("The canonical address.", "العنوان المعتمد."),
  },
};
const PICTURE = { ...SHOWN, "200": answer("The picture.", "image/png") };
const SHOWN_ERRORS = [
  "PAGE_NOT_FOUND",
  "PAGE_SUSPENDED",
  "RATE_LIMITED",
  "DEPENDENCY_DOWN",
] as const;

export const PAGE: readonly Operation[] = [
  {
    method: "get",
    path: "/:slug",
    id: "getPage",
    tag: "pages",
    ar: {
      summary: "صفحة الروابط",
      description:
        "صفحة HTML بلغتها الأساسية واتجاهها، تُقدَّم من ذاكرة الحافة، ويظهر التعديل عليها خلال دقيقة. والعنوان الذي تخلّت عنه صفحة يُحوَّل إلى عنوانها الجديد ٩٠ يومًا.",
    },
    en: {
      summary: "A bio page",
      description:
        "HTML in the page's default language and its direction, from the edge cache; an edit shows within a minute. A slug that a page has given up redirects to its new one for 90 days.",
    },
    requestParams: { path: z.object({ slug }) },
    responses: SHOWN,
    errors: SHOWN_ERRORS,
  },
  {
    method: "get",
    path: "/:slug/:locale",
    id: "getPageInLanguage",
    tag: "pages",
    ar: {
      summary: "صفحة الروابط بلغتها الأخرى",
      description: "الروابط ومعرّفاتها والأعداد واحدة في اللغتين، وما لم يُترجم يظهر كما كُتب.",
    },
    en: {
      summary: "A bio page in its other language",
      description:
        "Links, ids and counts are the same in both languages; what is not translated is shown as it is.",
    },
    requestParams: { path: z.object({ slug, locale }) },
    responses: SHOWN,
    errors: ["NOT_FOUND", ...SHOWN_ERRORS],
  },
  {
    method: "get",
    path: "/:slug/share.png",
    id: "getSharePicture",
    tag: "pages",
    ar: {
      summary: "صورة الصفحة عند مشاركة عنوانها",
      description:
        "صورة PNG من ١٢٠٠×٦٣٠ بكسل فيها الاسم والنبذة والعنوان، بألوان الصفحة وخطها. وإن تعذّر رسمها فصورة الصفحة أو شعارنا.",
    },
    en: {
      summary: "The picture that stands for a page where its address is shared",
      description:
        "A PNG of 1200 by 630 pixels with the name, the bio and the address, in the page's colours and typeface. Where it cannot be drawn, the page's photo or our logo.",
    },
    requestParams: { path: z.object({ slug }) },
    responses: PICTURE,
    errors: SHOWN_ERRORS,
  },
  {
    method: "get",
    path: "/:slug/:locale/share.png",
    id: "getSharePictureInLanguage",
    tag: "pages",
    ar: {
      summary: "صورة الصفحة بلغتها الأخرى",
      description: "كصورة اللغة الأساسية، بالاسم والنبذة في هذه اللغة.",
    },
    en: {
      summary: "The picture of a page in its other language",
      description: "Like that of the default language, with the name and the bio in this one.",
    },
    requestParams: { path: z.object({ slug, locale }) },
    responses: PICTURE,
    errors: ["NOT_FOUND", ...SHOWN_ERRORS],
  },
];
