import * as z from "zod";
import { SEND_TIP_PATH } from "../../http/endpoints.ts";
import { IDEMPOTENCY_KEY_CHARS_MAX } from "../../http/limits.ts";
import { success, Time } from "../../openapi/answers.ts";
import { described } from "../../openapi/described.ts";
import { jsonBody, type Operation } from "../../openapi/operation.ts";
import { BAD_BODY, json, READ } from "../../openapi/responses.ts";
import { bilingual } from "../../views/bilingual.ts";
import { TipBody } from "./tip-body.ts";

export const Points = z.int().min(1);

export const SentTip = z
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

export const TIP: readonly Operation[] = [
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
    responses: { "201": json("It was sent.", success("TipSent", { tip: SentTip })) },
    errors: [
      ...READ,
      ...BAD_BODY,
      "IDEMPOTENCY_KEY_REQUIRED",
      "INSUFFICIENT_POINTS",
      "CSRF_REQUIRED",
      "OWN_PAGE",
      "PAGE_NOT_FOUND",
      "LINK_NOT_FOUND",
      "IDEMPOTENCY_CONFLICT",
      "PAGE_SUSPENDED",
      "LINK_EXPIRED",
    ],
  },
];
