/**
 * Requests for suggestions (docs/contract.md section 11). All texts are data: bounded, and without
 * control and bidi characters (docs/security.md S30).
 */
import * as z from "zod/mini";
import { boundedText } from "../../http/bounded-text.ts";
import "../../http/messages.ts";
import { LINK_LABEL_CHARS_MAX, LINK_TEXT_CHARS_MAX } from "../../pages/document/limits.ts";
import {
  LINK_ADDRESS_MAX_CHARACTERS,
  parseLinkAddress,
} from "../../pages/document/link-address.ts";
import { LocaleName, PictureKey } from "../../pages/document/page-document.ts";
import { isVisible, plainText } from "../../views/plain-text.ts";
import { AI_ABOUT_CHARS_MAX, AI_LINKS_MAX, AI_TEXTS_CHARS_MAX, AI_TEXTS_MAX } from "./limits.ts";

/** At most `max` code points, before and after control characters are removed. */
function words(max: number) {
  return boundedText(max).check(z.overwrite((text) => plainText(text.toWellFormed())));
}

function someWords(max: number) {
  return words(max).check(z.refine(isVisible, "empty"));
}

/** `POST /api/ai/bio`; `about` is in any language. */
export const BioRequest = z.strictObject({
  locale: LocaleName,
  about: someWords(AI_ABOUT_CHARS_MAX),
});

export const LabelsRequest = z.strictObject({
  locale: LocaleName,
  links: z
    .array(
      z.strictObject({
        url: z.string().check(
          z.maxLength(LINK_ADDRESS_MAX_CHARACTERS, { abort: true }),
          z.refine(
            (raw) => parseLinkAddress(raw) !== null,
            "an http, https, mailto, tel or sms address without user and password",
          ),
          z.overwrite((raw) => parseLinkAddress(raw) ?? raw),
        ),
        label: z.optional(words(LINK_LABEL_CHARS_MAX)),
      }),
    )
    .check(z.minLength(1), z.maxLength(AI_LINKS_MAX)),
});

/** `POST /api/ai/translate`; at most 4,000 characters together. */
export const TranslateRequest = z
  .strictObject({
    from: LocaleName,
    to: LocaleName,
    texts: z.array(someWords(LINK_TEXT_CHARS_MAX)).check(
      z.minLength(1),
      z.maxLength(AI_TEXTS_MAX),
      z.refine(
        (texts) => [...texts.join("")].length <= AI_TEXTS_CHARS_MAX,
        `more than ${AI_TEXTS_CHARS_MAX} characters together`,
      ),
    ),
  })
  .check(z.refine(({ from, to }) => from !== to, { path: ["to"], message: "the same as `from`" }));

export const AltRequest = z.strictObject({ locale: LocaleName, image: PictureKey });
