import * as z from "zod/mini";
import { LocaleName } from "../../pages/document/page-document.ts";
import { PLACES } from "../../pages/document/share-address.ts";

/** Defaults: no `?source=`; as `?lang=` the page's default language. */
export const QrQuery = z.object({
  source: z.optional(z.enum(PLACES)),
  lang: z.optional(LocaleName),
});
