/** Headers of events, both from the account hub and to creators' servers. */
import * as z from "zod";
import { bilingual } from "../views/bilingual.ts";
import { WEBHOOK_ID } from "./standard-webhooks.ts";

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
