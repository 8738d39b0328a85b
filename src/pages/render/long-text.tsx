import { drawn, inLanguage } from "../../views/drawn-text.ts";
import type { Locale } from "../../views/locale.ts";
import { TEXTS } from "../../views/texts.ts";

/** Longer texts are cut after some lines (bio.css), in which no screen has room for this length. */
const LONG = { bio: { characters: 340, lines: 8 }, text: { characters: 560, lines: 12 } } as const;

/**
 * A creator's text; a long one has a switch that shows its end and works without a script. It
 * stands before the paragraph, because a style can only depend on what precedes; screen readers
 * read the whole text after it in any case.
 */
export function LongText(props: {
  locale: Locale;
  class: keyof typeof LONG;
  language: Locale;
  text: string;
}) {
  const { locale, class: name, language, text } = props;
  const paragraph = (
    <p class={name} {...inLanguage(language)}>
      {drawn(text, language)}
    </p>
  );
  const { characters, lines } = LONG[name];
  if ([...text].length <= characters && text.split("\n").length <= lines) return paragraph;
  const { more, less } = TEXTS[locale];
  return (
    <div class="long">
      <details>
        <summary>
          <span>{more}</span>
          <span>{less}</span>
        </summary>
      </details>
      {paragraph}
    </div>
  );
}
