import * as z from "zod/mini";
import type { TipCursor } from "../../../objects/blocks/tips/tip.ts";
import { listLimit } from "../../http/list-limit.ts";
import "../../http/messages.ts";
import { TIPS_PER_PAGE, TIPS_PER_PAGE_MAX } from "./limits.ts";

const NEXT = "a next_cursor of an answer";
const SENT_CURSOR = /^(\d{1,15})\.(tip_[0-9a-f]{32})$/;

const Limit = listLimit(TIPS_PER_PAGE, TIPS_PER_PAGE_MAX);

/** `?limit=20&cursor=…`; the cursor is the number of the last tip. */
export const ReceivedQuery = z.object({
  limit: Limit,
  cursor: z.optional(
    z.pipe(z.string().check(z.regex(/^[1-9]\d{0,14}$/, NEXT)), z.transform(Number)),
  ),
});

/** The cursor is time and id of the last tip. */
export const SentQuery = z.object({
  limit: Limit,
  cursor: z.optional(
    z.pipe(
      z.string().check(z.regex(SENT_CURSOR, NEXT)),
      z.transform((text): TipCursor => {
        const [, at, id = ""] = SENT_CURSOR.exec(text) ?? [];
        return { at: Number(at), id };
      }),
    ),
  ),
});
