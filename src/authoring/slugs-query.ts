import * as z from "zod/mini";
import { boundedText } from "../http/bounded-text.ts";
import { NAME_CHARS_MAX } from "../pages/document/limits.ts";

export const SlugsQuery = z.object({
  name: z._default(boundedText(NAME_CHARS_MAX), ""),
});
