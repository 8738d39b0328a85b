import * as z from "zod";
import { NEWSLETTER_PATH } from "../../http/endpoints.ts";
import { EMAIL_CHARS_MAX } from "../../http/limits.ts";
import { Ok } from "../../openapi/answers.ts";
import { described } from "../../openapi/described.ts";
import type { Operation } from "../../openapi/operation.ts";
import { PageId } from "../../openapi/parameters.ts";
import { BAD_BODY, LIMIT_HEADERS } from "../../openapi/responses.ts";
import { bilingual } from "../../views/bilingual.ts";
import { Subscription } from "./subscription-schema.ts";

export const email = {
  ...bilingual("An email address.", "عنوان بريد."),
  format: "email",
  example: "sara@example.com",
};

const SubscriptionBody = z
  .object({
    page_id: PageId,
    link_id: described(
      Subscription.shape.link_id,
      bilingual(
        "The block of kind `newsletter`; by default the page's first.",
        "الكتلة من نوع `newsletter`، وهي الأولى في الصفحة ما لم تُذكر.",
      ),
    ),
    locale: described(
      Subscription.shape.locale,
      bilingual(
        "The language of the mails; by default that of `Accept-Language`.",
        "لغة الرسائل، وهي لغة `Accept-Language` ما لم تُذكر.",
      ),
    ),
    email: z.string().max(EMAIL_CHARS_MAX).meta(email),
  })
  .meta({ id: "Subscription" });

const EXAMPLE = { page_id: "demo", email: "sara@example.com", locale: "ar" };

export const NEWSLETTER: readonly Operation[] = [
  {
    method: "post",
    path: NEWSLETTER_PATH,
    id: "subscribe",
    tag: "newsletters",
    ar: {
      summary: "اشترك في نشرة",
      description:
        "الجواب نفسه وفي الوقت نفسه مهما كان معروفًا عن العنوان. تصل رسالة فيها رابط، ولا يبدأ الاشتراك إلا بتأكيده خلال ٢٤ ساعة من إرسالها. لا يصل إلى صندوق البريد الواحد أكثر من رسالة في الساعة من الصفحة الواحدة، ولا أكثر من ٤ في الساعة و١٠ في اليوم من الصفحات كلها، وما زاد ينتظر. وجواب النموذج صفحة HTML.",
    },
    en: {
      summary: "Subscribe to a newsletter",
      description:
        "The same answer after the same time, whatever is known of the address. A mail with a link follows, and the subscription begins when it is confirmed within 24 hours of that mail. A mailbox gets at most one mail an hour of a page, and at most 4 an hour and 10 a day of all pages; others wait. A form is answered by an HTML page.",
    },
    requestBody: {
      required: true,
      content: {
        "application/json": { schema: SubscriptionBody, example: EXAMPLE },
        "text/plain": { schema: SubscriptionBody, example: EXAMPLE },
        "application/x-www-form-urlencoded": { schema: SubscriptionBody, example: EXAMPLE },
      },
    },
    responses: {
      "202": {
        description: "The request is stored.",
        content: { "application/json": { schema: Ok }, "text/html": { schema: z.string() } },
        headers: LIMIT_HEADERS,
      },
    },
    errors: [...BAD_BODY, "RATE_LIMITED", "DEPENDENCY_DOWN", "PAGE_NOT_FOUND", "LINK_NOT_FOUND"],
  },
];
