/** Works without a script. `newsletter-page.tsx` answers, because this page is cached for all. */
import { NEWSLETTER_PATH } from "../../http/endpoints.ts";
import { drawn, inLanguage } from "../../views/drawn-text.ts";
import type { Locale } from "../../views/locale.ts";
import { isolated, plainText } from "../../views/plain-text.ts";
import { Unanswered } from "../../views/unanswered-note.tsx";
import { languageIn, textIn } from "../document/page-words.ts";
import type { BlockProps } from "./shown.ts";

/** The longest address that RFC 5321 allows. */
const EMAIL_CHARACTERS_MAX = 254;

interface Texts extends Record<"name" | "email" | "subscribe" | "owner", string> {
  consent: (owner: string) => string;
}

const TEXTS: Readonly<Record<Locale, Texts>> = {
  ar: {
    name: "النشرة البريدية",
    email: "بريدك الإلكتروني",
    owner: "من يدير هذه الصفحة",
    consent: (owner) =>
      `نرسل إليك رسالة لتؤكد اشتراكك. لا يرى بريدك إلا ${owner}، وتلغي الاشتراك متى شئت بنقرة.`,
    subscribe: "اشتراك",
  },
  en: {
    name: "Newsletter",
    email: "Your email address",
    owner: "the owner of this page",
    consent: (owner) =>
      `We send you one mail to confirm. Only ${owner} sees your address, and you can unsubscribe at any time with one click.`,
    subscribe: "Subscribe",
  },
};

/** The preview shows a form that can be neither filled in nor sent. */
export function NewsletterBlock({ shown, entry }: BlockProps) {
  const { page, locale, is_preview } = shown;
  const texts = TEXTS[locale];
  const id = `newsletter-${entry.link_id}`;
  const owner = plainText(textIn(page.name, locale));
  const label = plainText(textIn(entry.label, locale));
  const language = label === "" ? locale : languageIn(entry.label, locale);
  return (
    <form
      class="block"
      aria-labelledby={id}
      inert={is_preview || undefined}
      {...(is_preview ? {} : { method: "post", action: NEWSLETTER_PATH })}
    >
      <input type="hidden" name="page_id" value={page.page_id} />
      <input type="hidden" name="link_id" value={entry.link_id} />
      <input type="hidden" name="locale" value={locale} />
      <h2 id={id} {...inLanguage(language)}>
        {drawn(label, language) || texts.name}
      </h2>
      <label class="block-label" for={`${id}-email`}>
        {texts.email}
      </label>
      <div class="block-row">
        <input
          class="block-field"
          id={`${id}-email`}
          type="email"
          name="email"
          required
          maxlength={EMAIL_CHARACTERS_MAX}
          autocomplete="email"
          dir="ltr"
          aria-describedby={`${id}-consent`}
        />
        <button class="contact" type="submit">
          {texts.subscribe}
        </button>
      </div>
      <p class="note" id={`${id}-consent`}>
        {texts.consent(owner === "" ? texts.owner : isolated(owner))}
      </p>
      {!is_preview && <Unanswered locale={locale} />}
    </form>
  );
}
