import * as z from "zod/mini";
import { boundedText } from "../http/bounded-text.ts";
import { isolated, plainText } from "../views/plain-text.ts";

export const TAKEDOWN_REASON_CHARS_MAX = 500;
/** Size of a body with a reason, escaped at worst. */
export const TAKEDOWN_BYTES_MAX = 8_192;

export const TakedownBody = z.object({
  reason: z.pipe(
    z.pipe(boundedText(TAKEDOWN_REASON_CHARS_MAX), z.transform(plainText)),
    z.string().check(z.minLength(1)),
  ),
});

/** The texts for `notifyOfAction`; name and reason may be in either script. */
export function noticeOf(what: "takedown" | "reinstate", name: string, reason: string) {
  const title = isolated(name);
  const why = isolated(reason);
  return what === "takedown"
    ? {
        ar: `أوقف مشغّلو الخدمة صفحتك «${title}». السبب: ${why}`,
        en: `The operators of this service took your page “${title}” down. Reason: ${why}`,
      }
    : {
        ar: `ألغى مشغّلو الخدمة إيقاف صفحتك «${title}».`,
        en: `The operators of this service have undone the takedown of your page “${title}”.`,
      };
}
