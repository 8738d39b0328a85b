/** The routes about the service itself: reports of errors, health, and its own files. */
import * as z from "zod";
import { ErrorReport } from "../errors/error-report.ts";
import {
  DEEP_HEALTH_PATH,
  DOCS_PATH,
  ERROR_LOG_PATH,
  HEALTH_PATH,
  LLMS_PATH,
  MANIFEST_PATH,
  OPENAPI_PATH,
  ROBOTS_PATH,
  SITEMAP_PATH,
  STATUS_JSON_PATH,
  STATUS_PATH,
} from "../http/endpoints.ts";
import { COMPONENTS, STATUS_DAYS } from "../operate/status.ts";
import { bilingual } from "../views/bilingual.ts";
import { DeepHealth, DeepHealthError, Health, Reported } from "./openapi/answers.ts";
import { described } from "./openapi/described.ts";
import { BAD_BODY, DOWN, file, jsonBody, LIMITED, type Operation } from "./openapi/operation.ts";
import { answer, errors, HEADERS, LIMIT_HEADERS } from "./openapi/responses.ts";

const State = z.enum(["up", "unstable", "down", "unknown"]).meta({ id: "ServiceState" });
const ComponentName = z.enum(COMPONENTS).meta({ id: "ServiceComponent" });

const StatusAnswer = z
  .object({
    ok: z.literal(true),
    state: State.meta(bilingual("The worst of the components.", "أسوأ حال بين الأجزاء.")),
    measured_at: z.iso
      .datetime()
      .nullable()
      .meta(bilingual("Null before the first measurement.", "يكون `null` قبل أول قياس.")),
    components: z.array(
      z.object({
        id: ComponentName,
        state: State,
        days: z
          .array(z.number().min(0).max(1).nullable())
          .length(STATUS_DAYS)
          .meta(
            bilingual(
              "Part of the probes that were answered, by UTC days, the oldest first; null: not measured.",
              "نسبة الفحوص المستجابة لكل يوم بالتوقيت العالمي، الأقدم أولًا؛ و`null`: لم يُقَس.",
            ),
          ),
      }),
    ),
    incidents: z.array(
      z.object({
        components: z.array(ComponentName),
        began_at: z.iso.datetime(),
        ended_at: z.iso.datetime().nullable(),
      }),
    ),
  })
  .meta({ id: "ServiceStatus" });

export const SERVICE: readonly Operation[] = [
  {
    method: "post",
    path: ERROR_LOG_PATH,
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
        "Similar reports form one group with an exact count and one sample. E-mail addresses, tokens and queries are removed before.",
    },
    requestBody: jsonBody(described(ErrorReport, { id: "ErrorReport" })),
    responses: {
      "202": answer(
        "The report is in durable storage.",
        "application/json",
        Reported,
        LIMIT_HEADERS,
      ),
      ...BAD_BODY,
      ...LIMITED,
      ...DOWN,
    },
  },
  {
    method: "get",
    path: HEALTH_PATH,
    id: "getHealth",
    tag: "site",
    ar: { summary: "هل الخدمة حاضرة؟", description: "يجيب من دون أن يسأل أي مخزن." },
    en: { summary: "Is the service up?", description: "Answers without asking any store." },
    responses: { "200": answer("It is up.", "application/json", Health), ...LIMITED },
  },
  {
    method: "get",
    path: DEEP_HEALTH_PATH,
    id: "getDeepHealth",
    tag: "site",
    ar: {
      summary: "هل كل ما وراءها بخير؟",
      description:
        "يسأل قاعدة البيانات ومخزن المفاتيح ومخزن الملفات ومخزن النسخ الاحتياطية ومركز الحسابات معًا، ثانيتين لكلٍّ منها، ويتحقق من أن إعدادات النشر كاملة. وتُعاد النتيجة نفسها خمس ثوانٍ.",
    },
    en: {
      summary: "Are its dependencies up?",
      description:
        "Asks the database, the key-value store, the object store, the bucket of backups and the account hub at the same time, for up to two seconds, and checks that the deployment's settings are complete. The result is reused for five seconds.",
    },
    responses: {
      "200": answer("All of them answer.", "application/json", DeepHealth, LIMIT_HEADERS),
      ...LIMITED,
      "503": {
        description: "Something failed; `details.checks` says what.",
        content: { "application/json": { schema: DeepHealthError } },
        headers: {
          "Retry-After": {
            ...HEADERS["Retry-After"],
            schema: { type: "integer", const: 30 },
            required: true,
          },
        },
      },
    },
  },
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
    DOWN,
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
      { ...errors("NOT_FOUND"), ...DOWN },
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
  {
    method: "get",
    path: STATUS_JSON_PATH,
    id: "getStatus",
    tag: "site",
    ar: {
      summary: "حال الخدمة",
      description:
        "الحال الآن لكل جزء، ونسبة الفحوص المستجابة في آخر ٩٠ يومًا، والانقطاعات. عمره دقيقة على الأكثر.",
    },
    en: {
      summary: "The state of the service",
      description:
        "Each component now, the part of its probes that were answered on each of 90 days, and incidents. At most a minute old.",
    },
    responses: {
      "200": answer("The state.", "application/json", StatusAnswer),
      ...LIMITED,
      ...DOWN,
    },
  },
  file(STATUS_PATH, "getStatusPage", "text/html", {
    ar: {
      summary: "حال الخدمة للقراءة",
      description: "صفحة بلغة القارئ، وبالعربية في `/status/ar` وبالإنجليزية في `/status/en`.",
    },
    en: {
      summary: "The status page",
      description:
        "In the reader's language, in Arabic at `/status/ar` and in English at `/status/en`.",
    },
  }),
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
