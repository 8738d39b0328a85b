/**
 * Amounts and a message. The form works without a script and sends nothing: it leads to a page that
 * shows what will be sent (`src/blocks/tips/tip-page.tsx`), because this one is cached for
 * everybody.
 */

import { drawn, inLanguage } from "../../views/drawn-text.ts";
import { Icon } from "../../views/icons.tsx";
import type { Locale } from "../../views/locale.ts";
import { readerLocale } from "../../views/numbering.ts";
import { counted } from "../../views/numbers.ts";
import { plainText } from "../../views/plain-text.ts";
import { Unanswered } from "../../views/unanswered-note.tsx";
import { blockOf } from "../document/block-of.ts";
import { TIP_MESSAGE_CHARS_MAX } from "../document/limits.ts";
import { languageIn, textIn } from "../document/page-words.ts";
import { OWN_AMOUNT, TIP_PATH } from "../document/tip-address.ts";
import type { BlockProps } from "./shown.ts";

/** Digits of {@link TIP_POINTS_MAX}, and room for the separators that people write. */
const OWN_CHARACTERS_MAX = 12;

const TEXTS: Readonly<
  Record<Locale, Record<"title" | "how_much" | "other" | "own" | "message" | "go", string>>
> = {
  ar: {
    title: "إرسال إكرامية",
    how_much: "كم نقطة ترسل؟",
    other: "عدد آخر",
    own: "عدد النقاط",
    message: "رسالة (اختيارية)",
    go: "متابعة",
  },
  en: {
    title: "Leave a tip",
    how_much: "How many points?",
    other: "Another amount",
    own: "Number of points",
    message: "Message (optional)",
    go: "Continue",
  },
};

/** The preview shows a form that can be neither filled in nor sent. */
export function TipBlock({ shown, entry }: BlockProps) {
  const { page, locale, is_preview } = shown;
  const texts = TEXTS[locale];
  const amounts = blockOf(entry, "tip")?.amounts ?? [];
  const label = plainText(textIn(entry.label, locale));
  const language = label === "" ? locale : languageIn(entry.label, locale);
  const id = `tip-${entry.link_id}`;
  return (
    <form
      class="block"
      aria-labelledby={id}
      inert={is_preview || undefined}
      {...(is_preview ? {} : { method: "get", action: TIP_PATH })}
    >
      <input type="hidden" name="page_id" value={page.page_id} />
      <input type="hidden" name="link_id" value={entry.link_id} />
      <input type="hidden" name="lang" value={locale} />
      <h2 id={id} {...inLanguage(language)}>
        <Icon name="tip" />
        {drawn(label, language) || texts.title}
      </h2>
      <fieldset class="block-row amounts">
        <legend class="block-label">{texts.how_much}</legend>
        {[...amounts, OWN_AMOUNT].map((choice, i) => (
          <>
            <input
              type="radio"
              id={`${id}-${choice}`}
              name="points"
              value={choice}
              checked={i === 0}
            />
            <label class="amount" for={`${id}-${choice}`}>
              {typeof choice === "number"
                ? counted(readerLocale(locale, "arab"), "point", choice)
                : texts.other}
            </label>
          </>
        ))}
        {/* Shown while the last choice is made (bio.css). */}
        <label class="own-amount">
          <span class="block-label">{texts.own}</span>
          <input
            class="block-field"
            type="text"
            name="own"
            inputmode="numeric"
            autocomplete="off"
            maxlength={OWN_CHARACTERS_MAX}
          />
        </label>
      </fieldset>
      <label class="block-label" for={`${id}-message`}>
        {texts.message}
      </label>
      <textarea
        class="block-field"
        id={`${id}-message`}
        name="message"
        rows={2}
        maxlength={TIP_MESSAGE_CHARS_MAX}
        dir="auto"
      />
      <button class="contact" type="submit">
        {texts.go}
      </button>
      {!is_preview && <Unanswered locale={locale} />}
    </form>
  );
}
