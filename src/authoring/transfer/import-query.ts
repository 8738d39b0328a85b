import * as z from "zod/mini";

export const ImportQuery = z.object({
  dry_run: z.pipe(
    z._default(z.enum(["0", "1"]), "0"),
    z.transform((text) => text === "1"),
  ),
});

export const IMPORT_TYPES = [
  "text/plain",
  "text/csv",
  "text/html",
  "application/json",
  "application/zip",
] as const;
export type ImportType = (typeof IMPORT_TYPES)[number];
