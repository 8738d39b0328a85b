import { useRef, useState } from "hono/jsx/dom";
import { destinationOf } from "../../../pages/document/destination.ts";
import { parseLinkAddress } from "../../../pages/document/link-address.ts";
import { pagePath } from "../../../pages/document/page-address.ts";
import { drawn, inLanguage } from "../../../views/drawn-text.ts";
import { LOCALES, type Locale } from "../../../views/locale.ts";
import { TEXTS as PAGE_TEXTS } from "../../../views/texts.ts";
import { has_suggestions } from "../ai/is-on.ts";
import {
  OfferLine,
  type Offers,
  OffersBar,
  TEXTS_BUTTON_ID,
  useOffers,
} from "../ai/missing-texts.tsx";
import type { Draft, Link } from "../draft.ts";
import { editWithUndo, setWithUndo } from "../edit-with-undo.ts";
import type { Editing } from "../editing.ts";
import { focusSoon } from "../focus-soon.ts";
import { TextField, useEditing } from "../ui.tsx";
import { SETTINGS_TEXTS } from "./settings-texts.ts";
import { changedTexts, isPresent, missingOf, type Row, rowsOf } from "./text-rows.ts";

const TEXTS = SETTINGS_TEXTS.languages;

export function LanguagesSetting(props: { editing: Editing }) {
  const { editing } = props;
  const locales = useEditing(editing, ({ draft }) => draft.locales);
  const languages = useEditing(editing, (state) => state.languages);
  const slug = useEditing(editing, ({ saved }) => saved.slug);
  const makeFirst = (locale: Locale) => {
    setWithUndo(editing, TEXTS.swapped(nameOf(locale)), { locales: locales.toReversed() });
    focusSoon(partOf("hide", locale));
  };
  const prepare = (locale: Locale) => {
    editing.prepare(locale);
    editing.edit((draft) => withKnownNames(draft, locale));
    focusSoon(partOf("show", locale));
  };
  return (
    <>
      <ul class="languages-list">
        {locales.map((locale, i) => (
          <li key={locale}>
            <span class="language-words">
              <strong lang={locale}>{nameOf(locale)}</strong>
              <span class="hint">
                {i === 0 ? TEXTS.is_default : TEXTS.opens_at}{" "}
                <bdi dir="ltr">{decodeURI(pagePath({ slug, locales }, locale))}</bdi>
              </span>
            </span>
            {i > 0 && (
              <button
                type="button"
                class="secondary"
                id={partOf("first", locale)}
                onClick={() => makeFirst(locale)}
              >
                {TEXTS.make_default}
              </button>
            )}
            {locales.length > 1 && (
              <button
                type="button"
                class="secondary"
                id={partOf("hide", locale)}
                aria-label={`${TEXTS.hide}: ${nameOf(locale)}`}
                onClick={() => hide(editing, locale)}
              >
                {TEXTS.hide}
              </button>
            )}
          </li>
        ))}
        {languages
          .filter((locale) => !locales.includes(locale))
          .map((locale) => (
            <Prepared key={locale} editing={editing} locale={locale} />
          ))}
      </ul>
      {LOCALES.filter((locale) => !languages.includes(locale)).map((locale) => (
        <div key={locale}>
          <button
            type="button"
            class="secondary"
            id={partOf("add", locale)}
            onClick={() => prepare(locale)}
          >
            {TEXTS.add[locale]}
          </button>
          <p class="hint">{TEXTS.add_hint}</p>
        </div>
      ))}
      {languages.length > 1 && (
        <SideBySide
          editing={editing}
          languages={languages}
          has_both={locales.length === languages.length}
        />
      )}
    </>
  );
}

const nameOf = (locale: Locale) => PAGE_TEXTS[locale].own_name;
const partOf = (part: "first" | "hide" | "show" | "add", locale: Locale) => `${part}-${locale}`;

/** A language that visitors do not find: how much of it is missing, and the way to show it. */
function Prepared(props: { editing: Editing; locale: Locale }) {
  const { editing, locale } = props;
  const draft = useEditing(editing, (state) => state.draft);
  const rows = rowsOf(draft, (link_id) => editing.rowKey(link_id));
  const missing = rows.filter(({ text }) => !isPresent(text[locale])).length;
  const hint_id = `about-${locale}`;
  return (
    <li class="is-prepared">
      <span class="language-words">
        <strong lang={locale}>{nameOf(locale)}</strong>
        <span class="hint">{TEXTS.is_prepared}</span>
        {missing > 0 && (
          <span id={hint_id}>
            <span class="missing-count">{TEXTS.untranslated(missing)}</span>{" "}
            <span class="hint">{TEXTS.falls_back[locale]}</span>
          </span>
        )}
      </span>
      <button
        type="button"
        class="primary"
        id={partOf("show", locale)}
        aria-describedby={missing > 0 ? hint_id : undefined}
        onClick={() => show(editing, locale)}
      >
        {TEXTS.show[locale]}
      </button>
      <button
        type="button"
        class="secondary"
        aria-label={`${TEXTS.delete_texts}: ${nameOf(locale)}`}
        onClick={() => deleteTexts(editing, locale)}
      >
        {TEXTS.delete_texts}
      </button>
    </li>
  );
}

function show(editing: Editing, locale: Locale): void {
  editWithUndo(editing, TEXTS.shown(nameOf(locale)), {
    change: (draft) => ({
      // Links may have come since the language was begun.
      ...withKnownNames(draft, locale),
      locales: [...draft.locales.filter((each) => each !== locale), locale],
    }),
    opposite: (draft) => withoutLocale(draft, locale),
  });
  focusSoon(partOf("first", locale));
}

/**
 * Its texts stay, and it can be shown again. One that stood for a missing text of the other language
 * goes on standing there: visitors of that language see what they saw.
 */
function hide(editing: Editing, locale: Locale): void {
  const keyOf = (link_id: string) => editing.rowKey(link_id);
  const [other = locale] = editing.state.draft.locales.filter((each) => each !== locale);
  editing.prepare(locale);
  editWithUndo(editing, TEXTS.hidden(nameOf(locale)), {
    change: (draft) =>
      withoutLocale(
        changedTexts(draft, keyOf, (text) => {
          const words = text[locale];
          return isPresent(text[other]) || words === undefined ? text : { ...text, [other]: words };
        }),
        locale,
      ),
    opposite: (draft) =>
      draft.locales.includes(locale) ? draft : { ...draft, locales: [...draft.locales, locale] },
  });
  focusSoon(partOf("show", locale));
}

function withoutLocale(draft: Draft, locale: Locale): Draft {
  const locales = draft.locales.filter((each) => each !== locale);
  return locales.length === 0 || locales.length === draft.locales.length
    ? draft
    : { ...draft, locales };
}

function deleteTexts(editing: Editing, locale: Locale): void {
  const keyOf = (link_id: string) => editing.rowKey(link_id);
  const former = editing.state.draft;
  editWithUndo(editing, TEXTS.texts_deleted(nameOf(locale)), {
    change: (draft) =>
      changedTexts(draft, keyOf, (text) => {
        const { [locale]: words, ...others } = text;
        return words === undefined ? text : others;
      }),
    opposite: (draft) =>
      changedTexts(
        draft,
        keyOf,
        (text, before) => {
          const words = before[locale];
          return isPresent(text[locale]) || words === undefined
            ? text
            : { ...text, [locale]: words };
        },
        former,
      ),
  });
  editing.unprepare(locale);
  focusSoon(partOf("add", locale));
}

function withKnownNames(draft: Draft, locale: Locale): Draft {
  const links = draft.links.map((link) => withKnownName(link, locale));
  return links.every((link, i) => link === draft.links[i]) ? draft : { ...draft, links };
}

/** A link that is called like the site to which it leads is called so in a new language, too. */
function withKnownName(link: Link, locale: Locale): Link {
  const address = parseLinkAddress(link.url ?? "");
  if (address === null || isPresent(link.label[locale])) return link;
  const { name, icon } = destinationOf(address);
  const is_called_so = LOCALES.some((other) => link.label[other]?.trim() === name[other]);
  if (icon === "web" || !is_called_so) return link;
  return { ...link, label: { ...link.label, [locale]: name[locale] } };
}

function SideBySide(props: {
  editing: Editing;
  languages: readonly Locale[];
  /** Visitors find both. */
  has_both: boolean;
}) {
  const { editing, languages, has_both } = props;
  const draft = useEditing(editing, (state) => state.draft);
  const [is_open, setOpen] = useState(false);
  const [is_all, setAll] = useState(false);
  // A row stays while it is being filled in.
  const begun = useRef(new Set<string>());
  // A new link gets another id when it is saved; its row stays, and the focus in it.
  const rows = rowsOf(draft, (link_id) => editing.rowKey(link_id));
  const missing = rows.filter((row) => missingOf(row) !== null);
  for (const { path } of missing) begun.current?.add(path);
  const shown = is_all ? rows : rows.filter(({ path }) => begun.current?.has(path));
  const offers = useOffers(editing, missing);
  return (
    <div class="text-pairs">
      <h4>{TEXTS.compare}</h4>
      <p class={missing.length > 0 ? "missing-count" : "hint"}>
        {missing.length > 0 ? TEXTS.missing(missing.length) : TEXTS.complete}
      </p>
      {has_both && <p class="hint">{TEXTS.compare_hint}</p>}
      {has_suggestions && missing.length > 0 && (
        <OffersBar offers={offers} onAsked={() => setOpen(true)} />
      )}
      {is_open && <Pairs editing={editing} languages={languages} rows={shown} offers={offers} />}
      <div class="text-pairs-buttons">
        <button
          type="button"
          class="secondary"
          id={TEXTS_BUTTON_ID}
          aria-expanded={is_open ? "true" : "false"}
          onClick={() => setOpen(!is_open)}
        >
          {is_open ? TEXTS.close : TEXTS.open}
        </button>
        {is_open && (
          <button type="button" class="secondary" onClick={() => setAll(!is_all)}>
            {is_all ? TEXTS.show_missing : TEXTS.show_all}
          </button>
        )}
      </div>
    </div>
  );
}

function Pairs(props: {
  editing: Editing;
  languages: readonly Locale[];
  rows: readonly Row[];
  offers: Offers;
}) {
  const { editing, languages, rows, offers } = props;
  const offerFor = (path: string, locale: Locale) =>
    offers.list.find((offer) => offer.path === path && offer.to === locale);
  return (
    <>
      {rows.map((row) => (
        <fieldset class="text-pair" key={row.path}>
          <legend>
            <bdi {...inLanguage(row.label_language)}>{drawn(row.label, row.label_language)}</bdi>
          </legend>
          {languages.map((locale) => {
            const offer = offerFor(row.path, locale);
            return (
              <div
                key={locale}
                class={isPresent(row.text[locale]) ? "text-side" : "text-side lacks-text"}
                data-missing={isPresent(row.text[locale]) ? undefined : TEXTS.is_missing}
              >
                <TextField
                  label={PAGE_TEXTS[locale].own_name}
                  value={row.text[locale] ?? ""}
                  lang={locale}
                  maxlength={row.maxlength}
                  {...(row.is_long ? { rows: 3 } : {})}
                  onInput={(value) =>
                    editing.edit(
                      (draft) => row.change(draft, { ...row.text, [locale]: value }),
                      `${row.path}.${locale}`,
                    )
                  }
                />
                {offer !== undefined && <OfferLine offer={offer} offers={offers} />}
              </div>
            );
          })}
        </fieldset>
      ))}
    </>
  );
}
