import * as z from "zod";
import { SUBSCRIBER_PATH, SUBSCRIBERS_CSV_PATH, SUBSCRIBERS_PATH } from "../../http/endpoints.ts";
import { Ok, success } from "../../openapi/answers.ts";
import { described } from "../../openapi/described.ts";
import type { Operation } from "../../openapi/operation.ts";
import { listCursor, listLimit, NextCursor, page } from "../../openapi/parameters.ts";
import { answer, json, LIMIT_HEADERS, OF_PAGE } from "../../openapi/responses.ts";
import { LocaleName } from "../../pages/document/page-document.ts";
import { bilingual } from "../../views/bilingual.ts";
import { SUBSCRIBERS_PER_PAGE, SUBSCRIBERS_PER_PAGE_MAX } from "./limits.ts";
import { email } from "./newsletter.openapi.ts";
import { SubscribersCsvQuery, SubscribersQuery } from "./subscribers-query.ts";

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

const SubscribersAnswer = success("Subscribers", {
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
});

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

export const SUBSCRIBERS: readonly Operation[] = [
  {
    method: "get",
    path: SUBSCRIBERS_PATH,
    id: "listSubscribers",
    tag: "newsletters",
    access: "session",
    ar: { summary: "مشتركو نشرتك", description: "من أكدوا اشتراكهم، الأحدث أولًا." },
    en: { summary: "Your subscribers", description: "Those who have confirmed, newest first." },
    requestParams: { path: page, query },
    responses: { "200": json("The subscribers.", SubscribersAnswer) },
    errors: [...OF_PAGE, "VALIDATION_FAILED"],
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
    responses: { "200": answer("The table.", "text/csv", z.string(), LIMIT_HEADERS) },
    errors: [...OF_PAGE, "VALIDATION_FAILED"],
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
    responses: { "200": json("The subscriber is deleted.", Ok) },
    errors: [...OF_PAGE, "CSRF_REQUIRED", "NOT_FOUND"],
  },
];
