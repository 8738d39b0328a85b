/** Newsletters: sign-up, and a page's subscribers for its owner. */
import * as z from "zod";
import {
  NEWSLETTER_PATH,
  SUBSCRIBER_PATH,
  SUBSCRIBERS_CSV_PATH,
  SUBSCRIBERS_PATH,
} from "../http/endpoints.ts";
import { EMAIL_CHARS_MAX, SUBSCRIBERS_PER_PAGE, SUBSCRIBERS_PER_PAGE_MAX } from "../http/limits.ts";
import { LocaleName } from "../pages/page-document.ts";
import { Ok } from "../site/openapi/answers.ts";
import { described } from "../site/openapi/described.ts";
import { listCursor, listLimit, NextCursor } from "../site/openapi/list.ts";
import { BAD_BODY, DOWN, LIMITED, type Operation, PageId } from "../site/openapi/operation.ts";
import { OF_PAGE, page } from "../site/openapi/own-page.ts";
import { answer, errors, LIMIT_HEADERS } from "../site/openapi/responses.ts";
import { bilingual } from "../views/bilingual.ts";
import { SubscribersCsvQuery, SubscribersQuery } from "./subscribers-query.ts";
import { Subscription } from "./subscription-schema.ts";

const email = {
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

const Subscriber = z
  .object({
    id: z.string(),
    email: z.string().meta(email),
    confirmed_at: z.iso
      .datetime()
      .meta(bilingual("When the subscriber consented.", "وقت موافقة المشترك.")),
    source: z
      .object({ link_id: z.string(), locale: LocaleName })
      .meta(bilingual("The block and the language of the form.", "الكتلة ولغة النموذج.")),
  })
  .meta({ id: "Subscriber" });

const SubscribersAnswer = z
  .object({
    ok: z.literal(true),
    subscribers: z.array(Subscriber),
    total: z
      .int()
      .nonnegative()
      .meta(
        bilingual("All confirmed ones, whatever is searched for.", "كل المشتركين، أيًّا كان البحث."),
      ),
    pending: z
      .int()
      .nonnegative()
      .meta(bilingual("Those who have not confirmed yet.", "من لم يؤكدوا بعد.")),
    next_cursor: NextCursor,
  })
  .meta({ id: "Subscribers" });

const query = z.object({
  limit: listLimit(SubscribersQuery.shape.limit, {
    maximum: SUBSCRIBERS_PER_PAGE_MAX,
    default: SUBSCRIBERS_PER_PAGE,
  }),
  cursor: listCursor(SubscribersQuery.shape.cursor),
  q: described(
    SubscribersQuery.shape.q,
    bilingual("A part of the address.", "جزء من عنوان البريد."),
  ),
});

const EXAMPLE = { page_id: "demo", email: "sara@example.com", locale: "ar" };

export const NEWSLETTERS: readonly Operation[] = [
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
      ...BAD_BODY,
      ...errors("PAGE_NOT_FOUND", "LINK_NOT_FOUND"),
      ...LIMITED,
      ...DOWN,
    },
  },
  {
    method: "get",
    path: SUBSCRIBERS_PATH,
    id: "listSubscribers",
    tag: "newsletters",
    access: "session",
    ar: { summary: "مشتركو نشرتك", description: "من أكدوا اشتراكهم، الأحدث أولًا." },
    en: { summary: "Your subscribers", description: "Those who have confirmed, newest first." },
    requestParams: { path: page, query },
    responses: {
      "200": answer("The subscribers.", "application/json", SubscribersAnswer, LIMIT_HEADERS),
      ...errors("VALIDATION_FAILED"),
      ...OF_PAGE,
    },
  },
  {
    method: "get",
    path: SUBSCRIBERS_CSV_PATH,
    id: "downloadSubscribers",
    tag: "newsletters",
    access: "session",
    ar: {
      summary: "المشتركون جدولًا",
      description:
        "ملف CSV فيه وقت كل موافقة ومصدرها، ورابط خاص بكل مشترك لإلغاء اشتراكه (`unsubscribe_url`، وهو فارغ ما لم يُضبط عنوان الخدمة)، ولا تقرؤه برامج الجداول معادلات.",
    },
    en: {
      summary: "The subscribers as a table",
      description:
        "A CSV file with the time and the source of each consent, and each subscriber's own link to unsubscribe (`unsubscribe_url`, by one click of RFC 8058; empty where the service has not been told its origin). No cell is a formula.",
    },
    requestParams: {
      path: page,
      query: z.object({
        lang: described(
          SubscribersCsvQuery.shape.lang,
          bilingual("The language of the headings.", "لغة العناوين."),
        ),
      }),
    },
    responses: {
      "200": answer("The table.", "text/csv", z.string(), LIMIT_HEADERS),
      ...errors("VALIDATION_FAILED"),
      ...OF_PAGE,
    },
  },
  {
    method: "delete",
    path: SUBSCRIBER_PATH,
    id: "deleteSubscriber",
    tag: "newsletters",
    access: "session and token",
    ar: { summary: "احذف مشتركًا", description: "يُحذف عنوانه فورًا." },
    en: { summary: "Delete a subscriber", description: "The address is deleted at once." },
    requestParams: {
      path: page.extend({
        id: z
          .string()
          .meta(bilingual("The subscriber's id in the list.", "معرّف المشترك في القائمة.")),
      }),
    },
    responses: {
      "200": answer("The subscriber is deleted.", "application/json", Ok, LIMIT_HEADERS),
      ...OF_PAGE,
      ...errors("CSRF_REQUIRED", "PAGE_NOT_FOUND", "NOT_FOUND"),
    },
  },
];
