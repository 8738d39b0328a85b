import * as z from "zod/mini";
import { LocaleName } from "../pages/document/page-document.ts";

export const PreviewQuery = z.object({
  lang: z.optional(LocaleName),
});
