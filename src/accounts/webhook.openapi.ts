import * as z from "zod";
import * as mini from "zod/mini";
import { HUB_WEBHOOK_PATH } from "../http/endpoints.ts";
import { Ok } from "../openapi/answers.ts";
import { describe, described } from "../openapi/described.ts";
import type { Operation } from "../openapi/operation.ts";
import { json } from "../openapi/responses.ts";
import { bilingual } from "../views/bilingual.ts";
import { UserId } from "./hub-answers.ts";
import { HubEvent } from "./hub-event.ts";
import { webhookHeaders } from "./standard-webhooks.openapi.ts";

describe(UserId, { id: "UserId" });
const [AccountEvent, PageEvent, NotificationEvent] = HubEvent.def.options;

describe(
  NotificationEvent.shape.data.shape.url,
  bilingual("An http(s) address, or a path of this site.", "عنوان ويب، أو مسار في هذا الموقع."),
);

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

export const HUB_WEBHOOK: readonly Operation[] = [
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
    responses: { "200": json("It took effect.", Ok) },
    errors: [
      "RATE_LIMITED",
      "DEPENDENCY_DOWN",
      "INVALID_JSON",
      "VALIDATION_FAILED",
      "WEBHOOK_SIGNATURE_INVALID",
      "PAYLOAD_TOO_LARGE",
    ],
  },
];
