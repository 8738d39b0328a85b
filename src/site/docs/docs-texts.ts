import { BEACON_PATH, CSRF_HEADER, ERROR_LOG_PATH } from "../../http/endpoints.ts";
import {
  EDGE_LIMIT_PER_MINUTE,
  LIMITS_PER_MINUTE,
  type Scope,
  WINDOW_S,
} from "../../http/limits.ts";
import type { Bilingual } from "../../views/bilingual.ts";

/** Digits of Arabic prose: ٢٬٠٤٨. */
const ARABIC_NUMBER = new Intl.NumberFormat("ar-u-nu-arab");
const ENGLISH_NUMBER = new Intl.NumberFormat("en");
const ARABIC_PLURAL = new Intl.PluralRules("ar");

/** "Character" by the plural categories of Arabic: 3 to 10, 11 to 99, and hundreds. 1 and 2 have no number. */
const CHARACTERS = { one: "حرف واحد", two: "حرفين", few: "أحرف", many: "حرفًا", other: "حرف" };

export function number(n: number): Bilingual {
  return { ar: ARABIC_NUMBER.format(n), en: ENGLISH_NUMBER.format(n) };
}

/** A number of characters, in the genitive for use after "حتى" and "من … إلى". */
export function characters(n: number): Bilingual {
  const en = `${ENGLISH_NUMBER.format(n)} ${n === 1 ? "character" : "characters"}`;
  const plural = ARABIC_PLURAL.select(n);
  if (plural === "one" || plural === "two") return { ar: CHARACTERS[plural], en };
  const noun = CHARACTERS[plural === "zero" ? "other" : plural];
  return { ar: `${ARABIC_NUMBER.format(n)} ${noun}`, en };
}

export const DOCS_TEXTS = {
  title: { ar: "واجهة صلة البرمجية", en: "The Sila API" },
  about: {
    ar: "صُنعت هذه الصفحة من وثيقة OpenAPI، وصُنعت الوثيقة من المخططات نفسها التي تُفحص بها الطلبات، فهي تصف الخدمة كما هي.",
    en: "This page is made from the OpenAPI document, and the document from the schemas that check requests. So both describe the service as it is.",
  },
  skip: { ar: "الانتقال إلى المحتوى", en: "Skip to the content" },
  contents: { ar: "المحتويات", en: "Contents" },
  to_top: { ar: "إلى أعلى الصفحة", en: "Back to the top" },
  licenses: { ar: "التراخيص", en: "Licences" },
  base: { ar: "العنوان الأساسي", en: "Base address" },
  version: { ar: "الإصدار", en: "Version" },
  document: { ar: "الوثيقة", en: "Document" },
  start: { ar: "أول طلب", en: "A first request" },
  start_text: {
    ar: "هكذا تُسجَّل نقرة على رابط. ما ترسله أداة مثل curl يُحسب في فئة `bot` لا مع الناس.",
    en: "This records a click on a link. What a tool such as curl sends is counted in the class `bot`, apart from people.",
  },
  request: { ar: "الطلب", en: "Request" },
  answer: { ar: "الإجابة", en: "Answer" },
  errors: { ar: "الأخطاء", en: "Errors" },
  errors_text: {
    ar: "اعتمد على `code`، واذكر `request_id` إن سألتنا عن خطأ. ومن طلب صفحة بمتصفحه جاءه الخطأ صفحةً بلغته، إلا تحت `/api`.",
    en: "Rely on `code`, and name the `request_id` when you ask us about an error. A browser that asked for a page gets the error as a page in its language, except under `/api`.",
  },
  example: { ar: "مثال", en: "Example" },
  shapes: { ar: "بنية البيانات", en: "Data structures" },
  limits: { ar: "الحدود", en: "Limits" },
  limits_text: {
    ar: "لا يُحسب على المُرسِل ما رُفض من طلباته. والمُرسِل عنوان IPv4 واحد، أو شبكة IPv6 بادئتها `/64`. تحمل الإجابات الترويستين `RateLimit-Policy` و`RateLimit`، ويحمل الرفض `Retry-After`، وهو عدد الثواني التي يُقبل بعدها طلب واحد يقينًا.",
    en: "Refused requests do not count. A sender is one IPv4 address, or an IPv6 network of `/64`. Answers carry `RateLimit-Policy` and `RateLimit`; a refusal carries `Retry-After`: after that many seconds, one request is certain to be admitted.",
  },
  limits_caption: {
    ar: `طلبات كل مُرسِل في أي ${number(WINDOW_S).ar} ثانية`,
    en: `Requests of one sender in any ${WINDOW_S} seconds`,
  },
  scope: { ar: "النطاق", en: "Scope" },
  limit: { ar: "الحد", en: "Limit" },
  routes: { ar: "المسارات", en: "Routes" },
  body: { ar: "جسم الطلب", en: "Body" },
  answers: { ar: "الإجابات", en: "Answers" },
  headers: { ar: "الترويسات", en: "Headers" },
  details: { ar: "تفاصيله", en: "Details" },
  required: { ar: "إلزامي", en: "required" },
} as const satisfies Record<string, Bilingual>;

export const PLACES: Readonly<Record<string, Bilingual>> = {
  path: { ar: "في المسار", en: "In the path" },
  query: { ar: "في الاستعلام", en: "In the query" },
  header: { ar: "في الترويسات", en: "In the headers" },
  cookie: { ar: "في ملفات تعريف الارتباط", en: "In cookies" },
};

/** What private routes require, by security scheme. */
export const SECURITY: Readonly<Record<string, Bilingual>> = {
  session: { ar: "لمن سجّل دخوله.", en: "Requires a session." },
  token: {
    ar: `ومع الطلب رمز الجلسة في الترويسة \`${CSRF_HEADER}\`، من صفحة من صفحات هذا الموقع.`,
    en: `With the session’s token in the header \`${CSRF_HEADER}\`, from a page of this site.`,
  },
};

/** Statuses of success in Arabic. The document describes them in English for each route. */
export const STATUSES: Readonly<Record<string, string>> = {
  200: "نجح الطلب",
  201: "أُنشئ",
  202: "قُبل",
  204: "نجح بلا محتوى",
  206: "جزء من الملف",
  302: "انتقل إلى عنوان آخر",
  304: "نسختك هي الأحدث",
  308: "انتقل إلى العنوان الصحيح",
};

/** Limits and routes by scope, widest first; `words` for routes that no path covers. */
export const SCOPES: Readonly<
  Record<Scope | "edge", { limit: number; paths: readonly string[]; words?: Bilingual }>
> = {
  public: {
    limit: LIMITS_PER_MINUTE.public,
    paths: [BEACON_PATH, "/r/{page_id}/{link_id}", "/p/{page_id}.gif", "/health/deep"],
    words: { ar: "وكل ما بقي تحت `/api`", en: "and all the rest under `/api`" },
  },
  error: { limit: LIMITS_PER_MINUTE.error, paths: [ERROR_LOG_PATH] },
  download: { limit: LIMITS_PER_MINUTE.download, paths: ["/api/download/*"] },
  tip: { limit: LIMITS_PER_MINUTE.tip, paths: ["/api/tip"] },
  newsletter: { limit: LIMITS_PER_MINUTE.newsletter, paths: ["/api/newsletter*"] },
  auth: { limit: LIMITS_PER_MINUTE.auth, paths: ["/api/auth/*"] },
  edge: {
    limit: EDGE_LIMIT_PER_MINUTE,
    paths: ["/{slug}", "/vcard/{slug}.vcf", "/health"],
    words: {
      ar: "وملفات الموقع؛ والعدد هنا تقريبي",
      en: "and the site’s files; approximate here",
    },
  },
};
