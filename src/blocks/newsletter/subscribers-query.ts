import * as z from "zod/mini";
import { boundedText } from "../../http/bounded-text.ts";
import { EMAIL_CHARS_MAX } from "../../http/limits.ts";
import { LocaleName } from "../../pages/document/page-document.ts";
import { SUBSCRIBERS_PER_PAGE, SUBSCRIBERS_PER_PAGE_MAX } from "./limits.ts";

export const SubscribersQuery = z.object({
  limit: z.pipe(
    z._default(
      z.string().check(z.regex(/^(?:[1-9]\d?|100)$/, `1 to ${SUBSCRIBERS_PER_PAGE_MAX}`)),
      String(SUBSCRIBERS_PER_PAGE),
    ),
    z.transform(Number),
  ),
  cursor: z.optional(
    z.string().check(z.regex(/^\d{1,15}\.[\w-]{1,64}$/, "a next_cursor of an answer")),
  ),
  q: z._default(boundedText(EMAIL_CHARS_MAX), ""),
});

/** `lang` is the language of the table's first row. */
export const SubscribersCsvQuery = z.object({ lang: z._default(LocaleName, "en") });
