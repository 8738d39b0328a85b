import * as z from "zod/mini";
import { boundedText } from "../../http/bounded-text.ts";
import { Id } from "../../http/ids.ts";
import "../../http/messages.ts";
import { IDEMPOTENCY_KEY_CHARS_MAX } from "../../http/limits.ts";
import { TIP_MESSAGE_CHARS_MAX, TIP_POINTS_MAX } from "../../pages/document/limits.ts";
import { plainText } from "../../views/plain-text.ts";

export const TipPoints = z.int().check(z.minimum(1), z.maximum(TIP_POINTS_MAX));

/** Control and bidi characters are removed (docs/security.md S12). */
export const TipMessage = boundedText(TIP_MESSAGE_CHARS_MAX).check(
  z.overwrite((text) => plainText(text.toWellFormed()).trim()),
);

export const TipBody = z.strictObject({
  page_id: Id,
  points: TipPoints,
  message: z._default(TipMessage, ""),
  /** The jar; by default the page's first open one. */
  link_id: z.optional(Id),
});
export type TipBody = z.output<typeof TipBody>;

const KEY = new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_CHARS_MAX}}$`);

/** Null for a missing or malformed key. */
export function idempotencyKey(value: string | undefined): string | null {
  return value !== undefined && KEY.test(value) ? value : null;
}
