import {
  ALT_CHARS_MAX,
  BIO_CHARS_MAX,
  LINK_LABEL_CHARS_MAX,
  LINK_TEXT_CHARS_MAX,
  NAME_CHARS_MAX,
} from "../../../pages/document/limits.ts";
import { languageIn } from "../../../pages/document/page-words.ts";
import type { Locale } from "../../../views/locale.ts";
import { AI_TEXTS } from "../ai/ai-texts.ts";
import { type ByLocale, type Draft, type Link, withLink } from "../draft.ts";
import { linkName } from "../field-words.tsx";
import { locale } from "../locale.ts";
import { SETTINGS_TEXTS } from "./settings-texts.ts";

const TEXTS = SETTINGS_TEXTS.languages;

export interface Row {
  path: string;
  label: string;
  label_language: Locale;
  text: ByLocale;
  maxlength: number;
  is_long: boolean;
  change: (draft: Draft, text: ByLocale) => Draft;
}

type KeyOf = (link_id: string) => string;

/** `keyOf` stays the same while the editor is open, although a save gives a link its id. */
export function rowsOf(draft: Draft, keyOf: KeyOf): Row[] {
  return allRowsOf(draft, keyOf).filter(({ text }) => isPresent(text.ar) || isPresent(text.en));
}

function allRowsOf({ name, bio, links }: Draft, keyOf: KeyOf): Row[] {
  return [
    {
      path: "name",
      label: TEXTS.name,
      label_language: locale,
      text: name,
      maxlength: NAME_CHARS_MAX,
      is_long: false,
      change: (draft, name) => ({ ...draft, name }),
    },
    {
      path: "bio",
      label: TEXTS.bio,
      label_language: locale,
      text: bio,
      maxlength: BIO_CHARS_MAX,
      is_long: true,
      change: (draft, bio) => ({ ...draft, bio }),
    },
    ...links.flatMap((link) => {
      const row_key = keyOf(link.link_id);
      return link.kind === "card" && link.image !== null
        ? [rowOf(link, row_key), altRowOf(link, row_key)]
        : [rowOf(link, row_key)];
    }),
  ];
}

/** Gives each text of the draft what `change` makes of it; `before` is the text of another draft. */
export function changedTexts(
  draft: Draft,
  keyOf: KeyOf,
  change: (text: ByLocale, before: ByLocale) => ByLocale,
  other: Draft = draft,
): Draft {
  const before = new Map(allRowsOf(other, keyOf).map(({ path, text }) => [path, text]));
  return allRowsOf(draft, keyOf).reduce((changed, row) => {
    const next = change(row.text, before.get(row.path) ?? {});
    return next === row.text ? changed : row.change(changed, next);
  }, draft);
}

function rowOf(link: Link, row_key: string): Row {
  const is_long = link.kind === "text";
  return {
    path: `links.${row_key}.label`,
    label: linkName(link),
    label_language: languageIn(link.label, locale),
    text: link.label,
    maxlength: is_long ? LINK_TEXT_CHARS_MAX : LINK_LABEL_CHARS_MAX,
    is_long,
    change: (draft, label) => withLink(draft, link.link_id, (each) => ({ ...each, label })),
  };
}

function altRowOf(link: Link, row_key: string): Row {
  return {
    path: `links.${row_key}.alt`,
    label: AI_TEXTS.picture_of(linkName(link)),
    label_language: locale,
    text: link.alt ?? {},
    maxlength: ALT_CHARS_MAX,
    is_long: false,
    change: (draft, alt) => withLink(draft, link.link_id, (each) => ({ ...each, alt })),
  };
}

export function isPresent(text: string | undefined): boolean {
  return (text ?? "").trim() !== "";
}

export function missingOf({ text }: Row): Locale | null {
  if (!isPresent(text.ar)) return "ar";
  return isPresent(text.en) ? null : "en";
}
