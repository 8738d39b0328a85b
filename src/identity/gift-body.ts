import * as z from "zod/mini";
import { boundedText } from "../http/bounded-text.ts";
import { Id } from "../http/ids.ts";
import { plainText } from "../views/plain-text.ts";
import { GIFT_NOTE_CHARS_MAX, GIFT_POINTS_MAX } from "./limits.ts";

export const GiftBody = z.strictObject({
  /** New with each form, so that a form sent twice gives once. */
  key: Id,
  /** Negative points are taken back. */
  points: z.int().check(
    z.minimum(-GIFT_POINTS_MAX),
    z.maximum(GIFT_POINTS_MAX),
    z.refine((points) => points !== 0, "not 0"),
  ),
  /** The reason; control and bidi characters are removed (docs/security.md S12). */
  note: boundedText(GIFT_NOTE_CHARS_MAX).check(
    z.overwrite((text) => plainText(text.toWellFormed()).trim()),
    z.minLength(1),
  ),
});
export type GiftBody = z.output<typeof GiftBody>;
