/** The OpenAPI 3.1 document of the public interface (docs/contract.md section 7). */
import { createDocument, type ZodOpenApiPathsObject } from "zod-openapi";
import { bugs, version } from "../../../package.json";
import { outgoing } from "../../blocks/webhooks/webhook-events.openapi.ts";
import { CSRF_HEADER, DOWNLOAD_PATH, LOGIN_PATH, SESSION_PATH } from "../../http/endpoints.ts";
import { allowOf, type Method } from "../../http/methods.ts";
import type { Operation, Tag } from "../../openapi/operation.ts";
import { errorAnswers, HEADERS, methodNotAllowed, orAsPage } from "../../openapi/responses.ts";
import { type Bilingual, bilingual } from "../../views/bilingual.ts";
import { OPERATIONS } from "./operations.ts";
import "../../pages/document/page-document.openapi.ts";
import "../../pages/document/look.openapi.ts";

const TAGS = {
  counting: { ar: "العدّ", en: "Counting" },
  analytics: { ar: "الإحصاءات", en: "Statistics" },
  pages: { ar: "الصفحات", en: "Pages" },
  editing: { ar: "تحرير الصفحات", en: "Editing pages" },
  tips: { ar: "الإكراميات", en: "Tips" },
  newsletters: { ar: "النشرات البريدية", en: "Newsletters" },
  webhooks: { ar: "إرسال الأحداث إلى خادمك", en: "Webhooks" },
  suggestions: { ar: "الاقتراحات", en: "Suggestions" },
  accounts: { ar: "الحسابات", en: "Accounts" },
  own_accounts: { ar: "الحسابات من غير مركز حسابات", en: "Accounts without an account hub" },
  operators: { ar: "تشغيل الخدمة", en: "Operations" },
  reports: { ar: "بلاغات الأخطاء", en: "Error reports" },
  site: { ar: "الخدمة نفسها", en: "The service itself" },
} as const satisfies Record<Tag, Bilingual>;

const DESCRIPTION = {
  ar: "كل خطأ يأتي في غلاف واحد فيه رسالة بالعربية وأخرى بالإنجليزية ورمز ثابت ورقم الطلب. الحدود لكل مُرسِل ودقيقة: لا يُقبل في أي ستين ثانية أكثر من العدد المذكور، ولا أقل منه. أما الصفحات والملفات فحدّها تقريبي تفرضه المنصة.",
  en: "Every error comes in one envelope: a message in Arabic and one in English, a code that does not change, and the request's id. Limits are per sender and exact: in any 60 seconds no more than the number given is admitted, and no fewer. Only pages and files have the platform's approximate limit.",
} as const;

const SECURITY_SCHEMES = {
  session: {
    type: "apiKey",
    in: "cookie",
    name: "hub_session",
    ...bilingual(
      `The account hub's session cookie, which browsers get by signing in at ${LOGIN_PATH}. Without a hub it is \`__Host-sila_session\`.`,
      `ملف تعريف ارتباط جلسة مركز الحسابات، يحصل عليه المتصفح عند تسجيل الدخول من ${LOGIN_PATH}. وهو من غير مركز \`__Host-sila_session\`.`,
    ),
  },
  token: {
    type: "apiKey",
    in: "header",
    name: CSRF_HEADER,
    ...bilingual(
      `The session's \`csrf_token\`, as ${SESSION_PATH} tells it to pages of this site.`,
      `رمز الجلسة \`csrf_token\` كما يخبر به ${SESSION_PATH} صفحات هذا الموقع.`,
    ),
  },
} as const;

const SECURITY: Readonly<Record<NonNullable<Operation["access"]>, Record<string, string[]>[]>> = {
  session: [{ session: [] }],
  "session and token": [{ session: [], token: [] }],
  "operator and token": [{ session: [], token: [] }],
};

/** Made once; it never changes while the Worker runs. */
let made: ReturnType<typeof makeDocument> | null = null;

export function openApiDocument() {
  made ??= makeDocument();
  return made;
}

export function openApiJson(): string {
  return JSON.stringify(openApiDocument());
}

function makeDocument() {
  const paths: ZodOpenApiPathsObject = {};
  for (const operation of OPERATIONS) {
    const path = operation.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [operation.method]: toObject(operation) };
  }
  return createDocument({
    openapi: "3.1.1",
    info: {
      title: "Sila · صلة",
      version,
      description: DESCRIPTION.en,
      "x-description-ar": DESCRIPTION.ar,
      contact: { name: "Sila", url: bugs },
      license: { name: "MIT", identifier: "MIT" },
    },
    // The service is at the origin from which the document was read.
    servers: [{ url: "/" }],
    security: [],
    components: { headers: HEADERS, securitySchemes: SECURITY_SCHEMES },
    tags: Object.entries(TAGS).map(([name, { ar, en }]) => ({
      name,
      description: en,
      "x-description-ar": ar,
    })),
    paths,
    webhooks: outgoing(),
  });
}

function toObject(operation: Operation) {
  const { method: _, path, id, tag, ar, en, access, responses, errors, ...described } = operation;
  const methods = OPERATIONS.filter((other) => other.path === path).map(({ method }) => method);
  const allow = allowOf(...methods.map((name) => name.toUpperCase() as Method));
  const all = { ...responses, ...errorAnswers(errors), ...methodNotAllowed(allow) };
  return {
    ...(access === undefined ? {} : { security: SECURITY[access] }),
    operationId: id,
    tags: [tag],
    ...en,
    "x-summary-ar": ar.summary,
    "x-description-ar": ar.description,
    ...described,
    responses: isForBrowsers(operation) ? orAsPage(all) : all,
  };
}

/** Whether a browser gets an error as a page, as `src/http/error-answer.tsx` decides. */
function isForBrowsers({ path, requestBody }: Operation): boolean {
  const takesForm = requestBody?.content["application/x-www-form-urlencoded"] !== undefined;
  return !path.startsWith("/api/") || path.startsWith(`${DOWNLOAD_PATH}/`) || takesForm;
}
