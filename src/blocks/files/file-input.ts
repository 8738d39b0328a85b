import * as z from "zod/mini";
import { DAY_MS, SECOND_MS } from "../../../objects/platform/clock.ts";
import { boundedText } from "../../http/bounded-text.ts";
import { DOWNLOAD_USES_MAX } from "../../pages/document/limits.ts";
import { isVisible, plainText } from "../../views/plain-text.ts";
import { DOWNLOAD_LINK_DAYS_MAX, FILE_NAME_CHARS_MAX, FILE_TYPE_CHARS_MAX } from "./limits.ts";

/** One line without slashes, so that no browser takes it for a path. */
function fileName(text: string): string {
  return plainText(text.toWellFormed()).replace(/[\\/\t\n]/g, "_");
}

export const FileInput = z.strictObject({
  name: boundedText(FILE_NAME_CHARS_MAX).check(
    z.overwrite(fileName),
    z.refine(isVisible, "missing"),
  ),
  /** `''` where the browser cannot tell. */
  type: z._default(
    z.string().check(
      z.maxLength(FILE_TYPE_CHARS_MAX),
      z.overwrite((type) => type.toLowerCase()),
      z.regex(/^(?:[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*)?$/, "a media type"),
    ),
    "",
  ),
  size: z.int().check(z.minimum(1)),
});

export const DownloadLinkInput = z.strictObject({
  expires_in_s: z
    .int()
    .check(z.minimum(60), z.maximum((DOWNLOAD_LINK_DAYS_MAX * DAY_MS) / SECOND_MS)),
  uses_max: z._default(z.nullable(z.int().check(z.minimum(1), z.maximum(DOWNLOAD_USES_MAX))), null),
});
