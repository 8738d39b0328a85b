/** The query of the preview. */
import * as z from "zod";
import { LocaleName } from "../pages/page-document.ts";
import { bilingual } from "../views/bilingual.ts";

/** `?lang=`, by default the page's default language. */
export const PreviewQuery = z.object({
  lang: LocaleName.optional().meta(
    bilingual(
      "One of the page's languages; its default one if left out.",
      "إحدى لغات الصفحة؛ ولغتها الأساسية إن لم تُذكر.",
    ),
  ),
});
