/** The query that proposes a slug. */
import * as z from "zod";
import { boundedText } from "../http/bounded-text.ts";
import { NAME_CHARS_MAX } from "../http/limits.ts";
import { bilingual } from "../views/bilingual.ts";

export const SlugsQuery = z.object({
  name: boundedText(NAME_CHARS_MAX)
    .default("")
    .meta({
      ...bilingual("The name of a page.", "اسم الصفحة."),
      example: "ليان الخزّافة",
    }),
});
