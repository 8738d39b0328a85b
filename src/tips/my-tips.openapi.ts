/** Tips: sent, and received. */
import * as z from "zod";
import { Time } from "../accounts/notifications.openapi.ts";
import { RECEIVED_TIPS_PATH, SEND_TIP_PATH, SENT_TIPS_PATH } from "../http/endpoints.ts";
import { IDEMPOTENCY_KEY_CHARS_MAX, TIPS_PER_PAGE, TIPS_PER_PAGE_MAX } from "../http/limits.ts";
import { described } from "../site/openapi/described.ts";
import { listCursor, listLimit, NextCursor } from "../site/openapi/list.ts";
import { BAD_BODY, jsonBody, type Operation } from "../site/openapi/operation.ts";
import { OF_PAGE, page, READ } from "../site/openapi/own-page.ts";
import { answer, errors, LIMIT_HEADERS } from "../site/openapi/responses.ts";
import { bilingual } from "../views/bilingual.ts";
import { TipBody } from "./tip-body.ts";
import { ReceivedQuery, SentQuery } from "./tips-query.ts";

const Points = z.int().min(1);

const SentTip = z
  .object({
    id: z.string(),
    page_id: z.string(),
    link_id: z.string().meta(bilingual("The tip jar.", "صندوق الإكراميات.")),
    points: Points,
    message: z.string(),
    at: Time,
    status: z.literal("sent"),
  })
  .meta({ id: "SentTip" });

const ReceivedTip = z
  .object({
    seq: z
      .int()
      .min(1)
      .meta(bilingual("1 for the page's first tip.", "رقمها بين إكراميات الصفحة، وأولها 1.")),
    link_id: z.string().meta(bilingual("The tip jar.", "صندوق الإكراميات.")),
    from_name: z
      .string()
      .meta(bilingual("The sender's name, as it was then.", "اسم المرسل كما كان حينها.")),
    points: Points,
    message: z.string(),
    at: Time,
  })
  .meta({ id: "ReceivedTip" });

const Totals = z.object({ n: z.int().nonnegative(), points: z.int().nonnegative() }).meta({
  id: "TipTotals",
  ...bilingual("All tips, and their points.", "الإكراميات كلها ونقاطها."),
});

const limit = listLimit(SentQuery.shape.limit, {
  maximum: TIPS_PER_PAGE_MAX,
  default: TIPS_PER_PAGE,
});

const key = z.object({
  "Idempotency-Key": z
    .string()
    .regex(new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_CHARS_MAX}}$`))
    .meta({
      ...bilingual(
        "A new one for each tip, and the same for each retry.",
        "مفتاح جديد لكل إكرامية، وهو نفسه كلما أعدت المحاولة.",
      ),
      example: "0b9c2f4e-tip",
    }),
});

export const TIPS: readonly Operation[] = [
  {
    method: "post",
    path: SEND_TIP_PATH,
    id: "sendTip",
    tag: "tips",
    access: "session and token",
    ar: {
      summary: "أرسل إكرامية",
      description:
        "نقاط منك إلى صاحب الصفحة، مرة واحدة لكل مفتاح مهما انقطع. يبقى جواب المفتاح ٢٤ ساعة. إن كان الجواب 502 أو 503 أو 504 فالمصير غير معروف بعد: أعد المحاولة بالمفتاح نفسه.",
    },
    en: {
      summary: "Send a tip",
      description:
        "Points from you to the owner of a page, once for each key, whatever breaks. A key has the same answer for 24 hours. After 502, 503 or 504 the outcome is not known yet: try again with the same key.",
    },
    requestParams: { header: key },
    requestBody: jsonBody(described(TipBody, { id: "TipBody" }), {
      page_id: "demo",
      points: 10,
      message: "شكرًا على أعمالك",
    }),
    responses: {
      "201": answer(
        "It was sent.",
        "application/json",
        z.object({ ok: z.literal(true), tip: SentTip }).meta({ id: "TipSent" }),
        LIMIT_HEADERS,
      ),
      ...READ,
      ...BAD_BODY,
      ...errors(
        "INVALID_JSON",
        "VALIDATION_FAILED",
        "IDEMPOTENCY_KEY_REQUIRED",
        "INSUFFICIENT_POINTS",
        "CSRF_REQUIRED",
        "OWN_PAGE",
        "PAGE_NOT_FOUND",
        "LINK_NOT_FOUND",
        "IDEMPOTENCY_CONFLICT",
        "PAGE_SUSPENDED",
        "LINK_EXPIRED",
      ),
    },
  },
  {
    method: "get",
    path: SENT_TIPS_PATH,
    id: "listSentTips",
    tag: "tips",
    access: "session",
    ar: { summary: "إكراميات أرسلتها", description: "الأحدث أولًا." },
    en: { summary: "Tips you have sent", description: "The newest first." },
    requestParams: {
      query: z.object({ limit, cursor: listCursor(SentQuery.shape.cursor) }),
    },
    responses: {
      "200": answer(
        "The tips.",
        "application/json",
        z
          .object({ ok: z.literal(true), tips: z.array(SentTip), next_cursor: NextCursor })
          .meta({ id: "SentTips" }),
        LIMIT_HEADERS,
      ),
      ...errors("VALIDATION_FAILED"),
      ...READ,
    },
  },
  {
    method: "get",
    path: RECEIVED_TIPS_PATH,
    id: "listReceivedTips",
    tag: "tips",
    access: "session",
    ar: { summary: "إكراميات صفحتك", description: "الأحدث أولًا، مع عددها كله ومجموع نقاطها." },
    en: {
      summary: "Tips your page has received",
      description: "The newest first, with the number of all and the sum of their points.",
    },
    requestParams: {
      path: page,
      query: z.object({ limit, cursor: listCursor(ReceivedQuery.shape.cursor) }),
    },
    responses: {
      "200": answer(
        "The tips.",
        "application/json",
        z
          .object({
            ok: z.literal(true),
            tips: z.array(ReceivedTip),
            totals: Totals,
            next_cursor: NextCursor,
          })
          .meta({ id: "ReceivedTips" }),
        LIMIT_HEADERS,
      ),
      ...errors("VALIDATION_FAILED"),
      ...OF_PAGE,
    },
  },
];
