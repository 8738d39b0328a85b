/** The query of an import. */
import * as z from "zod/mini";

export const ImportQuery = z.object({
  dry_run: z.pipe(
    z._default(z.enum(["0", "1"]), "0"),
    z.transform((text) => text === "1"),
  ),
});
