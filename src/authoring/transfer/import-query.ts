/** The query of an import. */
import * as z from "zod";
import { bilingual } from "../../views/bilingual.ts";

export const ImportQuery = z.object({
  dry_run: z
    .enum(["0", "1"])
    .default("0")
    .transform((text) => text === "1")
    .meta(
      bilingual(
        "`1` says what would be made and stores nothing.",
        "بالقيمة `1` يُعرض ما سيُنشأ من دون حفظ شيء.",
      ),
    ),
});
