/** What users are bilingual, and what the hub tells us. */
import * as z from "zod";
import { NotificationQuery, ReadMarks } from "../../accounts/notification-query.ts";
import { bilingual } from "../../views/bilingual.ts";
import { BAD_BODY, DOWN, jsonBody, LIMITED, type Operation } from "./operation.ts";
import { answer, errors, LIMIT_HEADERS } from "./responses.ts";
import { HUB, PRIVATE } from "./sessions.ts";

const Time = z.iso.datetime();

const NotificationAnswer = z.object({
  id: z.string(),
  kind: z.enum(["milestone", "hub"]),
  text: z.string().meta(bilingual("In Arabic.", "بالعربية.")),
  text_en: z.string().meta(bilingual("In English.", "بالإنجليزية.")),
  url: z
    .string()
    .nullable()
    .meta(
      bilingual(
        "What it is about: an address, or a path of this site.",
        "ما يدور حوله: عنوان، أو مسار في هذا الموقع.",
      ),
    ),
  created_at: Time,
  read_at: Time.nullable(),
});

const Unread = z
  .int()
  .nonnegative()
  .meta(bilingual("How many are unread in all.", "عدد ما لم يُقرأ كله."));

const ListAnswer = z.object({
  ok: z.literal(true),
  notifications: z.array(NotificationAnswer),
  unread: Unread,
  next_cursor: z
    .string()
    .nullable()
    .meta(
      bilingual(
        "Asks for the next ones; null at the end.",
        "يُطلب به ما بعدها؛ ولا قيمة له في آخر القائمة.",
      ),
    ),
});

const Received = z.object({ ok: z.literal(true) });

export const ACCOUNTS: readonly Operation[] = [
  {
    method: "get",
    path: "/api/me/notifications",
    id: "listNotifications",
    tag: "accounts",
    access: "session",
    ar: {
      summary: "إشعاراتك",
      description:
        "ما بلغته صفحاتك من مشاهدات الناس ونقراتهم: ١٠٠ و١٬٠٠٠ و١٠٬٠٠٠ وهكذا، وما يخبرك به مركز الحسابات. الأحدث أولًا.",
    },
    en: {
      summary: "Your notifications",
      description:
        "What your pages reached in people's views and clicks: 100, 1,000, 10,000 and so on, and what the account hub has to tell you. The newest first.",
    },
    requestParams: { query: NotificationQuery },
    responses: {
      "200": answer("A page of them.", "application/json", ListAnswer, LIMIT_HEADERS),
      ...errors("VALIDATION_FAILED"),
      ...PRIVATE,
      ...LIMITED,
      ...HUB,
      ...DOWN,
    },
  },
  {
    method: "post",
    path: "/api/me/notifications/read",
    id: "readNotifications",
    tag: "accounts",
    access: "session and token",
    ar: {
      summary: "علّم الإشعارات مقروءة",
      description: "بأرقامها، أو كلها. إن كان أحدها ليس لك فلا يُعلَّم منها شيء. لا يضر التكرار.",
    },
    en: {
      summary: "Mark notifications as read",
      description:
        "By their ids, or all of them. Where one of them is not yours, none is marked. To repeat it does no harm.",
    },
    requestBody: jsonBody(ReadMarks),
    responses: {
      "200": answer(
        "They are read.",
        "application/json",
        z.object({ ok: z.literal(true), unread: Unread }),
        LIMIT_HEADERS,
      ),
      ...BAD_BODY,
      ...PRIVATE,
      ...errors("CSRF_REQUIRED", "NOT_FOUND"),
      ...LIMITED,
      ...HUB,
      ...DOWN,
    },
  },
  {
    method: "post",
    path: "/api/webhooks/hub",
    id: "receiveHubEvent",
    tag: "accounts",
    ar: {
      summary: "حدث من مركز الحسابات",
      description:
        "موقّع وفق Standard Webhooks: `session.revoked` و`user.updated` و`notification.created` و`user.deleted`. يعمل كل حدث مرة واحدة مهما تكرر إرساله.",
    },
    en: {
      summary: "An event of the account hub",
      description:
        "Signed by Standard Webhooks: `session.revoked`, `user.updated`, `notification.created`, `user.deleted`. Each takes effect once, however often it is sent.",
    },
    requestBody: {
      required: true,
      content: { "application/json": { schema: z.looseObject({ type: z.string() }) } },
    },
    responses: {
      "200": answer("It took effect.", "application/json", Received, LIMIT_HEADERS),
      ...errors(
        "INVALID_JSON",
        "VALIDATION_FAILED",
        "WEBHOOK_SIGNATURE_INVALID",
        "PAYLOAD_TOO_LARGE",
      ),
      ...LIMITED,
      ...DOWN,
    },
  },
];
