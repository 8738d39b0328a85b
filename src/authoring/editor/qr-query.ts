/** The query of a page's code. */
import * as z from "zod/mini";
import { LocaleName } from "../../pages/document/page-document.ts";
import { PLACES } from "../../pages/document/share-address.ts";

/** `?source=` a place, none if left out; `?lang=` one of the page's languages, its default one if left out. */
export const QrQuery = z.object({
  source: z.optional(z.enum(PLACES)),
  lang: z.optional(LocaleName),
});
