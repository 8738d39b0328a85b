/** The query of the preview. */
import * as z from "zod/mini";
import { LocaleName } from "../pages/document/page-document.ts";

/** `?lang=`, by default the page's default language. */
export const PreviewQuery = z.object({
  lang: z.optional(LocaleName),
});
