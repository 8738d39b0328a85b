/** The body of a request to subscribe. */
import * as z from "zod/mini";
import { Email } from "../../http/email-address.ts";
import { Id } from "../../http/ids.ts";
import { LocaleName } from "../../pages/document/page-document.ts";

/** Whom it is about; validated first, because a page in this language says what is wrong with the rest. */
export const Where = z.object({
  page_id: Id,
  /** Of the block; by default the page's first. */
  link_id: z.optional(Id),
  /** Of the mails; by default the reader's. */
  locale: z.optional(LocaleName),
});
export const Subscription = z.object({ ...Where.shape, email: Email });
