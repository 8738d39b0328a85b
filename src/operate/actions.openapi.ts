import * as z from "zod";
import { SEEN_ERROR_PATH, TAKEDOWN_PATH } from "../http/endpoints.ts";
import { Ok, success } from "../openapi/answers.ts";
import { described } from "../openapi/described.ts";
import { jsonBody, type Operation } from "../openapi/operation.ts";
import { PageId } from "../openapi/parameters.ts";
import { BAD_BODY, json } from "../openapi/responses.ts";
import { bilingual } from "../views/bilingual.ts";
import { TakedownBody } from "./takedown.ts";

const TakedownAnswer = success("Takedown", {
  taken_down: z
    .object({ reason: z.string(), at: z.iso.datetime() })
    .nullable()
    .meta(
      bilingual("Null where the page is not taken down.", "يكون `null` إن لم تكن الصفحة موقوفة."),
    ),
});

const path = z.object({ page_id: PageId });

const Reason = z
  .object({
    reason: described(
      TakedownBody.shape.reason,
      bilingual("As the page's owner reads it.", "كما يقرؤه صاحب الصفحة."),
    ),
  })
  .meta({ id: "TakedownInput" });

const Seen = z
  .object({ n: z.int().nonnegative().meta(bilingual("Reports that were seen.", "عدد البلاغات.")) })
  .meta({ id: "SeenInput" });

export const OPERATORS: readonly Operation[] = [
  {
    method: "post",
    path: TAKEDOWN_PATH,
    id: "takeDownPage",
    tag: "operators",
    access: "operator and token",
    ar: {
      summary: "أوقف صفحة",
      description:
        "لمشغّلي الخدمة وحدهم. تجيب الصفحة بالرمز 410، ولا تُعدّ أحداثها بعد دقيقة، ويُبلَّغ صاحبها بالسبب.",
    },
    en: {
      summary: "Take a page down",
      description:
        "For operators only. The page answers 410, its events are not counted after a minute, and its owner is told the reason.",
    },
    requestParams: { path },
    requestBody: jsonBody(Reason, { reason: "Phishing" }),
    responses: { "200": json("The page is taken down.", TakedownAnswer) },
    errors: [
      ...BAD_BODY,
      "RATE_LIMITED",
      "DEPENDENCY_DOWN",
      "CSRF_REQUIRED",
      "NOT_FOUND",
      "PAGE_NOT_FOUND",
    ],
  },
  {
    method: "delete",
    path: TAKEDOWN_PATH,
    id: "reinstatePage",
    tag: "operators",
    access: "operator and token",
    ar: {
      summary: "ألغِ إيقاف صفحة",
      description:
        "لمشغّلي الخدمة وحدهم. تعود إلى حالتها السابقة، إلا إن أوقفها مركز الحسابات أيضًا.",
    },
    en: {
      summary: "Undo a takedown",
      description:
        "For operators only. The page gets its status back, unless the account hub has suspended it too.",
    },
    requestParams: { path },
    responses: { "200": json("The page is not taken down.", TakedownAnswer) },
    errors: ["RATE_LIMITED", "DEPENDENCY_DOWN", "CSRF_REQUIRED", "NOT_FOUND", "PAGE_NOT_FOUND"],
  },
  {
    method: "post",
    path: SEEN_ERROR_PATH,
    id: "markErrorSeen",
    tag: "operators",
    access: "operator and token",
    ar: {
      summary: "اعتبر خطأ مقروءًا",
      description: "لمشغّلي الخدمة وحدهم. يظهر جديدًا حين تصل بلاغات بعد هذا العدد.",
    },
    en: {
      summary: "Mark an error as seen",
      description: "For operators only. It is new again when reports beyond this number come.",
    },
    requestParams: {
      path: z.object({
        fingerprint: z.string().meta(bilingual("The group's id.", "معرّف مجموعة الأخطاء.")),
      }),
    },
    requestBody: jsonBody(Seen, { n: 3 }),
    responses: { "200": json("It is marked.", Ok) },
    errors: [...BAD_BODY, "RATE_LIMITED", "DEPENDENCY_DOWN", "CSRF_REQUIRED", "NOT_FOUND"],
  },
];
