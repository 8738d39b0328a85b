import * as z from "zod";
import {
  DOCS_PATH,
  LLMS_PATH,
  MANIFEST_PATH,
  OPENAPI_PATH,
  ROBOTS_PATH,
  SITEMAP_PATH,
} from "../http/endpoints.ts";
import { file, type Operation } from "../openapi/operation.ts";
import { bilingual } from "../views/bilingual.ts";

export const SITEMAPS: readonly Operation[] = [
  file(
    SITEMAP_PATH,
    "getSitemap",
    "application/xml",
    {
      ar: {
        summary: "خريطة الموقع",
        description: "كل الصفحات المنشورة، أو فهرس ملفاتها إن زادت العناوين على خمسين ألفًا.",
      },
      en: {
        summary: "The sitemap",
        description: "All published pages, or above 50,000 addresses the index of its files.",
      },
    },
    ["DEPENDENCY_DOWN"],
  ),
  {
    ...file(
      "/sitemaps/:n.xml",
      "getSitemapFile",
      "application/xml",
      {
        ar: { summary: "ملف من خريطة الموقع", description: "خمسون ألف عنوان على الأكثر." },
        en: { summary: "One file of the sitemap", description: "At most 50,000 addresses." },
      },
      ["NOT_FOUND", "DEPENDENCY_DOWN"],
    ),
    requestParams: {
      path: z.object({
        n: z
          .int()
          .min(1)
          .max(99_999)
          .meta({
            ...bilingual("The number of the file, from 1.", "رقم الملف، بدءًا من ١."),
            example: 1,
          }),
      }),
    },
  },
];

export const SITE_FILES: readonly Operation[] = [
  file(ROBOTS_PATH, "getRobots", "text/plain", {
    ar: { summary: "قواعد الزحف", description: "ما يُسمح لمحركات البحث بزيارته (RFC 9309)." },
    en: { summary: "The crawl policy", description: "What crawlers may visit (RFC 9309)." },
  }),
  file(MANIFEST_PATH, "getManifest", "application/manifest+json", {
    ar: { summary: "بيان التطبيق", description: "ما يلزم لتثبيت صلة على شاشة الهاتف الرئيسية." },
    en: {
      summary: "The app manifest",
      description: "What a phone needs to install Sila on its home screen.",
    },
  }),
  file(LLMS_PATH, "getLlms", "text/plain", {
    ar: {
      summary: "وصف للنماذج اللغوية",
      description: "ما هي صلة وكيف تُستعمل، بصيغة llmstxt.org.",
    },
    en: {
      summary: "A description for language models",
      description: "What Sila is and how to use it, in the layout of llmstxt.org.",
    },
  }),
  file(OPENAPI_PATH, "getOpenApi", "application/json", {
    ar: { summary: "هذه الوثيقة", description: "وصف الواجهة بصيغة OpenAPI 3.1." },
    en: { summary: "This document", description: "The API in OpenAPI 3.1." },
  }),
  file(DOCS_PATH, "getDocs", "text/html", {
    ar: {
      summary: "الواجهة للقراءة",
      description:
        "هذه الوثيقة نفسها صفحةً بلغة القارئ، وبالعربية في `/docs/ar` وبالإنجليزية في `/docs/en`.",
    },
    en: {
      summary: "The API reference",
      description:
        "This same document as a page in the reader's language; in Arabic at `/docs/ar`, in English at `/docs/en`.",
    },
  }),
];
