import * as z from "zod";
import { NOTIFICATIONS_PATH, READ_NOTIFICATIONS_PATH } from "../http/endpoints.ts";
import { success, Time } from "../openapi/answers.ts";
import { described } from "../openapi/described.ts";
import { jsonBody, type Operation } from "../openapi/operation.ts";
import { listCursor, listLimit, NextCursor } from "../openapi/parameters.ts";
import { BAD_BODY, HUB, json } from "../openapi/responses.ts";
import { bilingual } from "../views/bilingual.ts";
import { NOTIFICATIONS_PER_PAGE, NOTIFICATIONS_PER_PAGE_MAX } from "./limits.ts";
import { NotificationQuery, ReadMarks } from "./notification-query.ts";
import { NOTIFICATION_KINDS } from "./notifications-store.ts";

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

const Notifications = success("Notifications", {
  notifications: z.array(Notification),
  unread: Unread,
  next_cursor: NextCursor,
});

const Marked = success("Marked", { unread: Unread });

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

export const NOTIFICATIONS: readonly Operation[] = [
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
    responses: { "200": json("The notifications.", Notifications) },
    errors: ["AUTH_REQUIRED", "RATE_LIMITED", ...HUB, "DEPENDENCY_DOWN", "VALIDATION_FAILED"],
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
    responses: { "200": json("They are read.", Marked) },
    errors: [
      ...BAD_BODY,
      "AUTH_REQUIRED",
      "RATE_LIMITED",
      ...HUB,
      "DEPENDENCY_DOWN",
      "CSRF_REQUIRED",
      "NOT_FOUND",
    ],
  },
];
