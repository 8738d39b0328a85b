import * as z from "zod/mini";
import { Email } from "../../http/email-address.ts";
import { Id } from "../../http/ids.ts";
import { LocaleName } from "../../pages/document/page-document.ts";

/** Validated first: a page in this language tells what is wrong with the rest. */
export const Where = z.object({
  page_id: Id,
  /** The block's id, by default that of the page's first newsletter. */
  link_id: z.optional(Id),
  /** The language of the mails, by default the reader's. */
  locale: z.optional(LocaleName),
});
export const Subscription = z.object({ ...Where.shape, email: Email });
