/** Notifications, and the webhook of the account hub. */
import * as z from "zod";
import * as mini from "zod/mini";
import {
  HUB_WEBHOOK_PATH,
  NOTIFICATIONS_PATH,
  READ_NOTIFICATIONS_PATH,
} from "../http/endpoints.ts";
import { NOTIFICATIONS_PER_PAGE, NOTIFICATIONS_PER_PAGE_MAX } from "../http/limits.ts";
import { Ok } from "../site/openapi/answers.ts";
import { described } from "../site/openapi/described.ts";
import { listCursor, listLimit, NextCursor } from "../site/openapi/list.ts";
import { BAD_BODY, DOWN, jsonBody, LIMITED, type Operation } from "../site/openapi/operation.ts";
import { answer, errors, LIMIT_HEADERS } from "../site/openapi/responses.ts";
import { bilingual } from "../views/bilingual.ts";
import { HUB, PRIVATE } from "./auth.openapi.ts";
import { HubEvent } from "./hub-event.ts";
import { NotificationQuery, ReadMarks } from "./notification-query.ts";
import { NOTIFICATION_KINDS } from "./notifications-store.ts";
import { WEBHOOK_ID } from "./standard-webhooks.ts";

export const Time = z.iso.datetime().meta({ id: "Time" });

const Notification = z
  .object({
    id: z.string(),
    kind: z.enum(NOTIFICATION_KINDS),
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
  })
  .meta({ id: "Notification" });

const Unread = z
  .int()
  .nonnegative()
  .meta(bilingual("How many are unread in all.", "عدد ما لم يُقرأ كله."));

const Notifications = z
  .object({
    ok: z.literal(true),
    notifications: z.array(Notification),
    unread: Unread,
    next_cursor: NextCursor,
  })
  .meta({ id: "Notifications" });

const Marked = z.object({ ok: z.literal(true), unread: Unread }).meta({ id: "Marked" });

const query = z.object({
  limit: listLimit(NotificationQuery.shape.limit, {
    maximum: NOTIFICATIONS_PER_PAGE_MAX,
    default: NOTIFICATIONS_PER_PAGE,
  }),
  cursor: listCursor(NotificationQuery.shape.cursor),
  unread: described(NotificationQuery.shape.unread, {
    ...bilingual("Only those that are unread.", "غير المقروءة وحدها."),
    override: ({ jsonSchema }) => {
      delete jsonSchema.enum;
      Object.assign(jsonSchema, { type: "boolean", default: false });
    },
  }),
});

const [AccountEvent, PageEvent, NotificationEvent] = HubEvent.def.options;
const Received = mini.extend(NotificationEvent.shape.data, {
  id: described(
    NotificationEvent.shape.data.shape.id,
    bilingual("A notification is stored once for each id.", "يُحفظ الإشعار مرة واحدة لكل معرّف."),
  ),
});
const HUB_EVENTS = [
  mini.extend(AccountEvent, {
    data: described(
      AccountEvent.shape.data,
      bilingual("Whom the event is about.", "صاحب الحساب المقصود."),
    ),
  }),
  mini.extend(PageEvent, {
    data: described(
      PageEvent.shape.data,
      bilingual("The page, and who owns it.", "الصفحة وصاحبها."),
    ),
  }),
  mini.extend(NotificationEvent, {
    data: described(Received, bilingual("The notification.", "الإشعار.")),
  }),
];

/** A plain union, so that the document has `anyOf`, which `/docs` shows, and not `oneOf`. */
const WebhookBody = z.union(HUB_EVENTS).meta({ id: "HubEvent" });

/** Standard Webhooks (standardwebhooks.com, specification 1.0). */
export const webhookHeaders = z.object({
  "webhook-id": z
    .string()
    .regex(WEBHOOK_ID)
    .meta({
      id: "EventId",
      ...bilingual(
        "The event's id, the same for every retry.",
        "معرّف الحدث، ولا يتغيّر إن أُعيد إرساله.",
      ),
    }),
  "webhook-timestamp": z
    .int()
    .nonnegative()
    .meta(
      bilingual(
        "When it was sent, in unix seconds; at most 300 s from now.",
        "وقت الإرسال بثواني يونكس، ولا يبعد عن الآن أكثر من ٣٠٠ ثانية.",
      ),
    ),
  "webhook-signature": z.string().meta({
    ...bilingual(
      "Signatures of version 1, with spaces between them: `v1,` and the base64 of HMAC-SHA256.",
      "توقيعات من الإصدار الأول بينها مسافات: `v1,` ثم HMAC-SHA256 بترميز base64.",
    ),
    example: "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  }),
});

export const ACCOUNTS: readonly Operation[] = [
  {
    method: "get",
    path: NOTIFICATIONS_PATH,
    id: "listNotifications",
    tag: "accounts",
    access: "session",
    ar: {
      summary: "إشعاراتك",
      description:
        "ما بلغته صفحاتك من مشاهدات الناس ونقراتهم: ١٠٠ و١٬٠٠٠ و١٠٬٠٠٠ وهكذا، وما وصلها من إكراميات (أحدث ١٠٠ لكل صفحة)، وما يخبرك به مركز الحسابات. الأحدث أولًا.",
    },
    en: {
      summary: "Your notifications",
      description:
        "Milestones of your pages in views and clicks by people: 100, 1,000, 10,000 and so on; tips that they received, the newest 100 of each page; and messages of the account hub. The newest first.",
    },
    requestParams: { query },
    responses: {
      "200": answer("The notifications.", "application/json", Notifications, LIMIT_HEADERS),
      ...errors("VALIDATION_FAILED"),
      ...PRIVATE,
      ...LIMITED,
      ...HUB,
      ...DOWN,
    },
  },
  {
    method: "post",
    path: READ_NOTIFICATIONS_PATH,
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
        "By their ids, or all of them. If one of them is not yours, none is marked. Repeating it is safe.",
    },
    requestBody: jsonBody(described(ReadMarks, { id: "ReadMarks" })),
    responses: {
      "200": answer("They are read.", "application/json", Marked, LIMIT_HEADERS),
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
    path: HUB_WEBHOOK_PATH,
    id: "receiveHubEvent",
    tag: "accounts",
    ar: {
      summary: "حدث من مركز الحسابات",
      description:
        "موقّع وفق Standard Webhooks. يُنفَّذ كل حدث مرة واحدة مهما تكرر إرساله، وما كان من نوع آخر فجوابه 200 بلا أثر.",
    },
    en: {
      summary: "An event of the account hub",
      description:
        "Signed by Standard Webhooks. Each event takes effect once, however often it is sent. Events of other types are answered with 200 and have no effect.",
    },
    requestParams: { header: webhookHeaders },
    requestBody: {
      required: true,
      content: { "application/json": { schema: WebhookBody } },
    },
    responses: {
      "200": answer("It took effect.", "application/json", Ok, LIMIT_HEADERS),
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
