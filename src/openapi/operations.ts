/**
 * What the service answers, route by route: the source of `/openapi.json` and of `/docs`, in both
 * languages. Bodies and parameters are described by the very schemas that check them.
 */
import * as z from "zod";
import type { ZodOpenApiOperationObject } from "zod-openapi";
import { ErrorReport } from "../error-report.ts";
import { Id } from "../ids.ts";
import { SLUG_CHARS_MAX } from "../limits.ts";
import { Beacon } from "../routes/beacon.ts";
import { Version } from "../routes/vcards.ts";
import { Accepted, DeepFailure, DeepHealth, Health, Reported } from "./answers.ts";
import {
  answer,
  errors,
  LIMIT_HEADERS,
  NOT_MODIFIED,
  OUTCOME_HEADERS,
  RETRY_WORDS,
} from "./responses.ts";
import { told } from "./told.ts";

/** What a route is for, in one line and in a paragraph. */
interface Words {
  summary: string;
  description: string;
}

export type Tag = "counting" | "pages" | "reports" | "site";

export interface Operation {
  method: "get" | "post";
  /** With `{parameters}`. */
  path: `/${string}`;
  id: string;
  tag: Tag;
  ar: Words;
  en: Words;
  requestParams?: ZodOpenApiOperationObject["requestParams"];
  requestBody?: ZodOpenApiOperationObject["requestBody"];
  responses: ZodOpenApiOperationObject["responses"];
}

const slug = z
  .string()
  .min(1)
  .max(SLUG_CHARS_MAX)
  .meta({
    ...told(
      "The page's slug; any other spelling of it is redirected to the canonical one.",
      "اسم الصفحة في عنوانها؛ أي كتابة أخرى له تُحوَّل إلى كتابته المعتمدة.",
    ),
    example: "demo",
  });
const page_id = Id.meta({
  ...told("The page's immutable id.", "معرّف الصفحة الذي لا يتغيّر."),
  example: "demo",
});
const link_id = Id.meta({
  ...told(
    "The link's immutable id, or `contact` for the page's contact card.",
    "معرّف الرابط الذي لا يتغيّر، أو `contact` لبطاقة الاتصال.",
  ),
  example: "demo-shop",
});
const event_id = z
  .string()
  .optional()
  .meta(
    told(
      "Makes the click idempotent for an hour. One that is no id is ignored.",
      "معرّف للنقرة: إن تكررت به خلال ساعة حُسبت مرة واحدة. وما لا يصلح معرّفًا يُتجاهل.",
    ),
  );

/** A body of JSON, whether it is called so or not (CONTRACT section 5). */
function jsonBody(schema: z.ZodType): ZodOpenApiOperationObject["requestBody"] {
  return { required: true, content: { "application/json": { schema }, "text/plain": { schema } } };
}

function location(en: string, ar: string) {
  return { Location: { ...told(en, ar), schema: { type: "string" }, required: true } } as const;
}

const LIMITED = errors("RATE_LIMITED");
const BAD_BODY = errors(
  "INVALID_JSON",
  "VALIDATION_FAILED",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
);
const DOWN = errors("DEPENDENCY_DOWN");

type Described = Pick<Operation, "ar" | "en">;

/** A file for machines, the same for everybody. */
function file(
  path: `/${string}`,
  id: string,
  type: string,
  words: Described,
  more: ZodOpenApiOperationObject["responses"] = {},
): Operation {
  // What is JSON is an object, whose shape is the business of another standard.
  const schema = type.endsWith("json") ? z.looseObject({}) : z.string();
  return {
    method: "get",
    path,
    id,
    tag: "site",
    ...words,
    responses: {
      "200": answer(words.en.summary, type, schema),
      ...NOT_MODIFIED,
      ...LIMITED,
      ...more,
    },
  };
}

export const OPERATIONS: readonly Operation[] = [
  {
    method: "post",
    path: "/api/analytics/view",
    id: "recordEvent",
    tag: "counting",
    ar: {
      summary: "سجّل مشاهدة أو نقرة",
      description:
        "من دون `link_id` هي مشاهدة للصفحة، ومعه نقرة على رابط. لا تُرسل الإجابة قبل أن يُحفظ الحدث، فيُحسب مرة واحدة لا أكثر. إن أعدت إرساله خلال ساعة بالمعرّف `event_id` نفسه حُسب مرة واحدة.",
    },
    en: {
      summary: "Record a view or a click",
      description:
        "Without `link_id` it is a view, with it a click. The answer leaves when the event is in durable storage; sent again within an hour with the same `event_id`, it counts once in all.",
    },
    requestBody: jsonBody(Beacon),
    responses: {
      "202": answer("The event is counted, durably, or was before.", "application/json", Accepted, {
        ...LIMIT_HEADERS,
        ...OUTCOME_HEADERS,
      }),
      ...BAD_BODY,
      ...errors("PAGE_NOT_FOUND", "LINK_NOT_FOUND"),
      ...LIMITED,
      ...DOWN,
    },
  },
  {
    method: "get",
    path: "/r/{page_id}/{link_id}",
    id: "followLink",
    tag: "counting",
    ar: {
      summary: "احسب نقرة وانتقل إلى وجهتها",
      description:
        "هذا ما تشير إليه روابط الصفحة، فتُحسب النقرات بلا JavaScript. لا يمنع أحدًا من الوصول: ما زاد على الحد يُحسب ضمن فئة `limited` ويمضي صاحبه في طريقه.",
    },
    en: {
      summary: "Count a click and go where it leads",
      description:
        "What a page's links point at, so that clicks are counted without JavaScript. It keeps nobody from the address: over the limit, a click is classed `limited` and goes on.",
    },
    requestParams: {
      path: z.object({ page_id, link_id }),
      query: z.object({ e: event_id }),
    },
    responses: {
      "302": {
        description: "Counted; `Location` is the link's address.",
        headers: { ...OUTCOME_HEADERS, ...location("Where the link leads.", "وجهة الرابط.") },
      },
      ...errors("LINK_NOT_FOUND", "PAGE_SUSPENDED", "DEPENDENCY_DOWN"),
    },
  },
  {
    method: "get",
    path: "/p/{page_id}.gif",
    id: "recordViewByPixel",
    tag: "counting",
    ar: {
      summary: "احسب مشاهدة بلا JavaScript",
      description: "صورة شفافة من نقطة واحدة، تُحسب مشاهدةً في كل مرة تُطلب فيها.",
    },
    en: {
      summary: "Count a view without JavaScript",
      description: "A transparent GIF of one pixel; each time it is fetched is a view.",
    },
    requestParams: { path: z.object({ page_id }) },
    responses: {
      "200": answer("Counted, durably.", "image/gif", z.string(), {
        ...LIMIT_HEADERS,
        ...OUTCOME_HEADERS,
      }),
      ...errors("PAGE_NOT_FOUND"),
      ...LIMITED,
      ...DOWN,
    },
  },
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
    requestParams: { path: z.object({ slug }), query: z.object({ v: Version }) },
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
  {
    method: "post",
    path: "/api/log/error",
    id: "reportError",
    tag: "reports",
    ar: {
      summary: "بلّغ عن خطأ في المتصفح",
      description:
        "تُجمع البلاغات المتشابهة في مجموعة واحدة لها عدد دقيق وعيّنة واحدة، بعد أن تُحذف منها عناوين البريد والرموز السرية وما بعد علامة الاستفهام في العناوين.",
    },
    en: {
      summary: "Report an error in a browser",
      description:
        "Reports that are alike are one group with an exact count and one sample, after e-mail addresses, tokens and queries have been removed.",
    },
    requestBody: jsonBody(ErrorReport),
    responses: {
      "202": answer("The report is counted, durably.", "application/json", Reported, LIMIT_HEADERS),
      ...BAD_BODY,
      ...LIMITED,
      ...DOWN,
    },
  },
  {
    method: "get",
    path: "/health",
    id: "getHealth",
    tag: "site",
    ar: { summary: "هل الخدمة حاضرة؟", description: "يجيب من دون أن يسأل أي مخزن." },
    en: { summary: "Is the Worker there?", description: "Answers without asking any store." },
    responses: { "200": answer("It is.", "application/json", Health), ...LIMITED },
  },
  {
    method: "get",
    path: "/health/deep",
    id: "getDeepHealth",
    tag: "site",
    ar: {
      summary: "هل كل ما وراءها بخير؟",
      description:
        "يسأل قاعدة البيانات ومخزن المفاتيح ومخزن الملفات ومركز الحسابات معًا، ثانيتين لكلٍّ منها، وتُعاد النتيجة نفسها خمس ثوانٍ.",
    },
    en: {
      summary: "Is everything behind it well?",
      description:
        "Asks the database, the key-value store, the object store and the account hub side by side, two seconds each; the result is reused for five.",
    },
    responses: {
      "200": answer("All well.", "application/json", DeepHealth, LIMIT_HEADERS),
      ...LIMITED,
      ...DOWN,
      "503": {
        description: "Something failed; `details.checks` says what.",
        content: { "application/json": { schema: DeepFailure } },
        headers: {
          "Retry-After": {
            ...RETRY_WORDS,
            schema: { type: "string", const: "30" },
            required: true,
          },
        },
      },
    },
  },
  file(
    "/sitemap.xml",
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
    DOWN,
  ),
  {
    ...file(
      "/sitemaps/{n}.xml",
      "getSitemapFile",
      "application/xml",
      {
        ar: { summary: "ملف من خريطة الموقع", description: "خمسون ألف عنوان على الأكثر." },
        en: { summary: "One file of the sitemap", description: "At most 50,000 addresses." },
      },
      { ...errors("NOT_FOUND"), ...DOWN },
    ),
    requestParams: {
      path: z.object({
        n: z.string().meta({
          ...told("The number of the file, from 1.", "رقم الملف، بدءًا من ١."),
          example: "1",
        }),
      }),
    },
  },
  file("/robots.txt", "getRobots", "text/plain", {
    ar: { summary: "قواعد الزحف", description: "ما يُسمح لمحركات البحث بزيارته (RFC 9309)." },
    en: { summary: "The crawl policy", description: "What crawlers may visit (RFC 9309)." },
  }),
  file("/manifest.json", "getManifest", "application/manifest+json", {
    ar: { summary: "بيان التطبيق", description: "ما يلزم لتثبيت صلة على شاشة الهاتف الرئيسية." },
    en: {
      summary: "The app manifest",
      description: "What a phone needs to install Sila on its home screen.",
    },
  }),
  file("/llms.txt", "getLlms", "text/plain", {
    ar: {
      summary: "وصف للنماذج اللغوية",
      description: "ما هي صلة وكيف تُستعمل، بصيغة llmstxt.org.",
    },
    en: {
      summary: "A description for language models",
      description: "What Sila is and how to use it, in the layout of llmstxt.org.",
    },
  }),
  file("/openapi.json", "getOpenApi", "application/json", {
    ar: { summary: "هذه الوثيقة", description: "وصف الواجهة بصيغة OpenAPI 3.1." },
    en: { summary: "This document", description: "The interface in OpenAPI 3.1." },
  }),
  file("/docs", "getDocs", "text/html", {
    ar: { summary: "الواجهة للقراءة", description: "هذه الوثيقة نفسها صفحةً بالعربية والإنجليزية." },
    en: {
      summary: "The interface, to be read",
      description: "This same document as a page in Arabic and English.",
    },
  }),
];
