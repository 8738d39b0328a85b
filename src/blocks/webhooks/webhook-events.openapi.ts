import * as z from "zod";
import type { ZodOpenApiOperationObject } from "zod-openapi";
import { TEST_EVENT, type WebhookEvent } from "../../../objects/blocks/webhooks/webhook.ts";
import { webhookHeaders } from "../../accounts/standard-webhooks.openapi.ts";
import { Time } from "../../openapi/answers.ts";
import type { Operation } from "../../openapi/operation.ts";
import { LocaleName } from "../../pages/document/page-document.ts";
import { bilingual } from "../../views/bilingual.ts";

const page_id = z.string();
const LINK = {
  page_id,
  link_id: z.string(),
  url: z.string(),
  status: z
    .int()
    .nullable()
    .meta(
      bilingual(
        "What the link answered; null where it could not be reached.",
        "ما أجاب به الرابط؛ ويكون `null` إذا تعذّر الوصول إليه.",
      ),
    ),
  since: Time,
};

const Link = z.object(LINK).meta({ id: "LinkNews" });
const POTTER = { page_id: "demo", link_id: "shop", url: "https://shop.example/" };

const EVENTS = {
  "milestone.reached": {
    ar: ["عدد بارز", "بلغت المشاهدات أو النقرات ١٠٠ أو ١٬٠٠٠ أو ١٠٬٠٠٠ وهكذا."],
    en: ["A milestone", "The page's views or clicks by people reached 100, 1,000, 10,000 …"],
    data: z.object({ page_id, counted: z.enum(["view", "click"]), n: z.int(), reached_at: Time }),
    example: { page_id: "demo", counted: "view", n: 1000, reached_at: "2026-11-23T09:00:00.000Z" },
  },
  "tip.received": {
    ar: ["إكرامية", "وصلت نقاطها إلى صاحب الصفحة. قد تكون الرسالة فارغة."],
    en: ["A tip", "Its points have reached the page's owner. The message may be empty."],
    data: z.object({
      page_id,
      tip_id: z.string(),
      link_id: z.string(),
      from_name: z.string(),
      points: z.int(),
      message: z.string(),
      at: Time,
    }),
    example: {
      page_id: "demo",
      tip_id: "tip_6f1c",
      link_id: "jar",
      from_name: "Mara",
      points: 10,
      message: "شكرًا",
      at: "2026-11-23T09:00:00.000Z",
    },
  },
  "subscriber.confirmed": {
    ar: [
      "مشترك جديد",
      "أكّد اشتراكه. يُضاف عنوانه عند الإرسال، فلا يُرسل عنوان من ألغى اشتراكه قبل ذلك.",
    ],
    en: [
      "A new subscriber",
      "They have confirmed. Their address is added when the event is sent, so one who has left is not sent.",
    ],
    data: z.object({
      page_id,
      subscriber_id: z.string(),
      email: z.string(),
      link_id: z.string(),
      locale: LocaleName,
      confirmed_at: Time,
    }),
    example: {
      page_id: "demo",
      subscriber_id: "c3ViXzE",
      email: "sara@example.com",
      link_id: "news",
      locale: "ar",
      confirmed_at: "2026-11-23T09:00:00.000Z",
    },
  },
  "link.down": {
    ar: [
      "تعطّل رابط",
      "لم يُجب في ثلاث محاولات على مدى نصف ساعة على الأقل، أو أجاب بالرمز 404 أو 410 أو 5xx.",
    ],
    en: [
      "A link is down",
      "At three looks in a row, over half an hour at least, it could not be reached or answered 404, 410 or 5xx.",
    ],
    data: Link,
    example: { ...POTTER, status: 404, since: "2026-11-23T08:30:00.000Z" },
  },
  "link.up": {
    ar: ["عاد الرابط", "يعمل من جديد بعد أن تعطّل."],
    en: ["A link is up", "It answers again after it was down."],
    data: Link,
    example: { ...POTTER, status: 200, since: "2026-11-23T08:30:00.000Z" },
  },
  [TEST_EVENT]: {
    ar: ["حدث تجريبي", "يُرسل حين يطلبه صاحب الصفحة."],
    en: ["A test", "Sent when the page's owner asks for it."],
    data: z.object({ page_id }),
    example: { page_id: "demo" },
  },
} as const satisfies Record<
  WebhookEvent | typeof TEST_EVENT,
  { ar: readonly [string, string]; en: readonly [string, string]; data: z.ZodType; example: object }
>;

/** Operations by event name; each has the tag of the routes for endpoints. */
export function outgoing(): Record<string, { post: ZodOpenApiOperationObject }> {
  return Object.fromEntries(
    Object.entries(EVENTS).map(([type, { ar, en, data, example }]) => {
      const timestamp = "2026-11-23T09:00:00.000Z";
      const schema = z.object({ type: z.literal(type), timestamp: Time, data });
      const operation = {
        operationId: `event-${type.replace(".", "-")}`,
        tags: ["webhooks" satisfies Operation["tag"]],
        security: [],
        summary: en[0],
        description: en[1],
        "x-summary-ar": ar[0],
        "x-description-ar": ar[1],
        requestParams: { header: webhookHeaders },
        requestBody: {
          required: true,
          content: { "application/json": { schema, example: { type, timestamp, data: example } } },
        },
        responses: {
          "2XX": { description: "It arrived." },
          "410": { description: "The endpoint is gone, and is switched off." },
        },
      };
      return [type, { post: operation }];
    }),
  );
}
