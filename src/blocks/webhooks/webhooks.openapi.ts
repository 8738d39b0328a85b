import * as z from "zod";
import { WAITING_MAX } from "../../../objects/blocks/webhooks/deliveries.ts";
import { ENDPOINTS_MAX } from "../../../objects/blocks/webhooks/webhook.ts";
import {
  DELIVERIES_PATH,
  DELIVERY_PATH,
  SEND_AGAIN_PATH,
  TEST_WEBHOOK_PATH,
  WEBHOOK_PATH,
  WEBHOOK_SECRET_PATH,
  WEBHOOKS_PATH,
} from "../../http/endpoints.ts";
import { Ok, success, Time } from "../../openapi/answers.ts";
import { describe, described } from "../../openapi/described.ts";
import { jsonBody, type Operation } from "../../openapi/operation.ts";
import { listCursor, listLimit, NextCursor, page } from "../../openapi/parameters.ts";
import { BAD_BODY, json, OF_PAGE } from "../../openapi/responses.ts";
import { bilingual } from "../../views/bilingual.ts";
import { DELIVERIES_PER_PAGE, DELIVERIES_PER_PAGE_MAX, WEBHOOK_SENDS_PER_HOUR } from "./limits.ts";
import { DeliveriesQuery, WebhookBody, WebhookChange, WebhookEventName } from "./webhook-schema.ts";

describe(WebhookEventName, { id: "WebhookEvent" });
describe(WebhookBody.shape.url, {
  ...bilingual(
    "An https address of a public host, with port 443 or 8443.",
    "عنوان https لخادم متاح على الإنترنت، بالمنفذ 443 أو 8443.",
  ),
});

const Webhook = z
  .object({
    id: z.string(),
    url: z.string(),
    events: z.array(WebhookEventName),
    state: z
      .enum(["on", "off", "failing", "gone"])
      .meta(
        bilingual(
          "`off`: by its owner. `failing`: nothing arrived for three days. `gone`: it answered 410.",
          "أوقفه صاحبه (`off`)، أو لم يصل إليه شيء ثلاثة أيام (`failing`)، أو أجاب بالرمز 410 (`gone`).",
        ),
      ),
    secret: z.string().meta(bilingual("`whsec_` and base64.", "يبدأ بـ`whsec_` وبعده base64.")),
    old_secret_until: Time.nullable().meta(
      bilingual(
        "Until then the secret before this one signs too.",
        "يبقى المفتاح السابق صالحًا للتوقيع حتى هذا الوقت.",
      ),
    ),
    created_at: Time,
    dropped: z
      .int()
      .nonnegative()
      .meta(
        bilingual(
          `Events that it did not get, because ${WAITING_MAX} were waiting.`,
          "أحداث لم تصل إليه لأن الطابور امتلأ.",
        ),
      ),
    waiting: z.int().nonnegative(),
  })
  .meta({ id: "Webhook" });

const delivery = {
  id: z.int().min(1),
  webhook_id: z.string(),
  event_id: z
    .string()
    .meta(
      bilingual(
        "The `webhook-id`: the same in every attempt, for ever.",
        "قيمة `webhook-id`، وهي نفسها في كل محاولة دائمًا.",
      ),
    ),
  type: z.string(),
  state: z.enum(["waiting", "delivered", "failed"]).meta({ id: "DeliveryState" }),
  tries: z.int().nonnegative(),
  created_at: Time,
  next_at: Time.nullable(),
};
const Delivery = z.object(delivery).meta({ id: "WebhookDelivery" });
const Attempt = z
  .object({
    at: Time,
    outcome: z.enum([
      "delivered",
      "answered",
      "redirected",
      "late",
      "unreachable",
      "refused",
      "left",
    ]),
    status: z.int().nullable(),
    latency_ms: z.int().nonnegative(),
    answer: z
      .string()
      .meta(
        bilingual("The beginning of the answer: foreign text.", "أول الجواب، وهو نص من خادم آخر."),
      ),
  })
  .meta({ id: "WebhookAttempt" });
const Detail = z
  .object({
    ...delivery,
    payload: z
      .string()
      .nullable()
      .meta(
        bilingual(
          "The body; null where the subscriber has left.",
          "المحتوى؛ ويكون `null` إذا ألغى المشترك اشتراكه.",
        ),
      ),
    attempts: z.array(Attempt),
  })
  .meta({ id: "WebhookDeliveryDetail" });

const OneWebhook = success("WebhookAnswer", { webhook: Webhook });
const Sent = success("WebhookSent", { delivery_id: z.int().min(1) });
const one = page.extend({
  id: z.string().meta(bilingual("The endpoint's id.", "معرّف عنوان الاستقبال.")),
});
const oneDelivery = page.extend({
  id: z.string().meta(bilingual("The delivery's id.", "معرّف الإرسال.")),
});
const OF_ONE = [...OF_PAGE, "CSRF_REQUIRED", "NOT_FOUND"] as const;
const EXAMPLE = { url: "https://hooks.example.com/sila", events: ["tip.received", "link.down"] };
const BY_HAND_EN = `At most ${WEBHOOK_SENDS_PER_HOUR} times in any hour for each user, tests and repetitions together.`;
const BY_HAND_AR = `للمستخدم ${WEBHOOK_SENDS_PER_HOUR} مرة في كل ساعة، للتجارب والإعادات معًا.`;

export const WEBHOOKS: readonly Operation[] = [
  {
    method: "get",
    path: WEBHOOKS_PATH,
    id: "listWebhooks",
    tag: "webhooks",
    access: "session",
    ar: { summary: "عناوين الاستقبال", description: "عناوين خوادمك التي تصل إليها أحداث الصفحة." },
    en: { summary: "Endpoints", description: "The addresses that hear of the page's events." },
    requestParams: { path: page },
    responses: {
      "200": json(
        "The endpoints.",
        success("Webhooks", {
          webhooks: z.array(Webhook),
          dropped: z
            .int()
            .nonnegative()
            .meta(
              bilingual(
                "Events of the page that never reached the queue.",
                "أحداث للصفحة لم تبلغ الطابور.",
              ),
            ),
        }),
      ),
    },
    errors: OF_PAGE,
  },
  {
    method: "post",
    path: WEBHOOKS_PATH,
    id: "createWebhook",
    tag: "webhooks",
    access: "session and token",
    ar: {
      summary: "أضف عنوان استقبال",
      description: `حتى ${ENDPOINTS_MAX} لكل صفحة. يأتي كل حدث طلب POST موقّعًا وفق Standard Webhooks 1.0: في \`webhook-signature\` قيمة \`v1,\` وبعدها base64 لـHMAC-SHA256 للنص \`webhook-id.webhook-timestamp.body\` بالبايتات التي بعد \`whsec_\`. أجب بـ2xx خلال ١٥ ثانية. وما لا يصل يُعاد بعد ٥ ثوانٍ و٥ دقائق و٣٠ دقيقة وساعتين و٥ و١٠ ساعات ثم كل ١٢ ساعة حتى ثلاثة أيام، بالمعرّف نفسه. الترتيب غير مضمون، وقد يصل الحدث مرتين: تجاهل معرّفًا وصلك من قبل.`,
    },
    en: {
      summary: "Add an endpoint",
      description: `Up to ${ENDPOINTS_MAX} for each page. Each event comes as a POST that is signed by Standard Webhooks 1.0: \`webhook-signature\` is \`v1,\` and the base64 of the HMAC-SHA256 of \`webhook-id.webhook-timestamp.body\` with the bytes behind \`whsec_\`; for a day after a new secret there are two, with a space between them. Refuse timestamps that are more than five minutes away. Answer 2xx within 15 seconds. What fails is sent again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, then every 12 h up to three days, with the same id. Order is not promised, and an event may come twice: drop an id that you have seen.`,
    },
    requestParams: { path: page },
    requestBody: jsonBody(described(WebhookBody, { id: "WebhookBody" }), EXAMPLE),
    responses: { "201": json("The endpoint, with its secret.", OneWebhook) },
    errors: [...BAD_BODY, ...OF_PAGE, "CSRF_REQUIRED", "PLAN_LIMIT"],
  },
  {
    method: "patch",
    path: WEBHOOK_PATH,
    id: "changeWebhook",
    tag: "webhooks",
    access: "session and token",
    ar: { summary: "عدّل عنوان استقبال", description: "عنوانه أو أحداثه، أو شغّله أو أوقفه." },
    en: {
      summary: "Change an endpoint",
      description:
        "Its address, its events, or whether it is on. Switched off, it loses what waits.",
    },
    requestParams: { path: one },
    requestBody: jsonBody(described(WebhookChange, { id: "WebhookChange" }), { enabled: false }),
    responses: { "200": json("The endpoint.", OneWebhook) },
    errors: [...BAD_BODY, ...OF_ONE],
  },
  {
    method: "delete",
    path: WEBHOOK_PATH,
    id: "deleteWebhook",
    tag: "webhooks",
    access: "session and token",
    ar: { summary: "احذف عنوان استقبال", description: "مع قائمة ما أُرسل إليه." },
    en: { summary: "Delete an endpoint", description: "With the list of what was sent to it." },
    requestParams: { path: one },
    responses: { "200": json("It is deleted.", Ok) },
    errors: OF_ONE,
  },
  {
    method: "post",
    path: WEBHOOK_SECRET_PATH,
    id: "rotateWebhookSecret",
    tag: "webhooks",
    access: "session and token",
    ar: { summary: "أنشئ مفتاحًا سريًّا جديدًا", description: "ويبقى السابق صالحًا للتوقيع يومًا." },
    en: { summary: "Make a new secret", description: "The one before signs too for a day." },
    requestParams: { path: one },
    responses: { "200": json("The endpoint.", OneWebhook) },
    errors: OF_ONE,
  },
  {
    method: "post",
    path: TEST_WEBHOOK_PATH,
    id: "testWebhook",
    tag: "webhooks",
    access: "session and token",
    ar: { summary: "أرسل حدثًا تجريبيًا", description: `حدث \`webhook.test\`. ${BY_HAND_AR}` },
    en: { summary: "Send a test event", description: `The event \`webhook.test\`. ${BY_HAND_EN}` },
    requestParams: { path: one },
    responses: { "202": json("It is stored, and being sent.", Sent) },
    errors: [...OF_ONE, "WEBHOOK_OFF"],
  },
  {
    method: "get",
    path: DELIVERIES_PATH,
    id: "listWebhookDeliveries",
    tag: "webhooks",
    access: "session",
    ar: { summary: "ما أُرسل", description: "الأحدث أولًا، وتبقى القائمة ٣٠ يومًا." },
    en: { summary: "What was sent", description: "The newest first. Kept for 30 days." },
    requestParams: {
      path: page,
      query: z.object({
        limit: listLimit(DeliveriesQuery.shape.limit, {
          maximum: DELIVERIES_PER_PAGE_MAX,
          default: DELIVERIES_PER_PAGE,
        }),
        cursor: listCursor(DeliveriesQuery.shape.cursor),
      }),
    },
    responses: {
      "200": json(
        "The deliveries.",
        success("WebhookDeliveries", { deliveries: z.array(Delivery), next_cursor: NextCursor }),
      ),
    },
    errors: [...OF_PAGE, "VALIDATION_FAILED"],
  },
  {
    method: "get",
    path: DELIVERY_PATH,
    id: "getWebhookDelivery",
    tag: "webhooks",
    access: "session",
    ar: { summary: "إرسال واحد", description: "محتواه، وكل محاولة مع أول جواب خادمك." },
    en: {
      summary: "One delivery",
      description: "Its body, and each attempt with the beginning of your server's answer.",
    },
    requestParams: { path: oneDelivery },
    responses: {
      "200": json("The delivery.", success("WebhookDeliveryAnswer", { delivery: Detail })),
    },
    errors: [...OF_PAGE, "NOT_FOUND"],
  },
  {
    method: "post",
    path: SEND_AGAIN_PATH,
    id: "sendWebhookAgain",
    tag: "webhooks",
    access: "session and token",
    ar: { summary: "أعد الإرسال", description: `بالمعرّف نفسه. ${BY_HAND_AR}` },
    en: { summary: "Send again", description: `With the same id. ${BY_HAND_EN}` },
    requestParams: { path: oneDelivery },
    responses: { "202": json("It waits, and is being sent.", Sent) },
    errors: [...OF_ONE, "WEBHOOK_OFF"],
  },
];
