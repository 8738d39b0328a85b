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
import type { Link } from "../draft.ts";
import { setWithUndo } from "../edit-with-undo.ts";
import type { Editing } from "../editing.ts";
import { focusSoon } from "../focus-soon.ts";
import { TextField, useEditing } from "../ui.tsx";
import { SETTINGS_TEXTS } from "./settings-texts.ts";
import { isPresent, missingOf, type Row, rowsOf } from "./text-rows.ts";

const TEXTS = SETTINGS_TEXTS.languages;

export function LanguagesSetting(props: { editing: Editing }) {
  const { editing } = props;
  const locales = useEditing(editing, ({ draft }) => draft.locales);
  const slug = useEditing(editing, ({ saved }) => saved.slug);
  const partOf = (part: "first" | "remove" | "add", locale: Locale) => `${part}-${locale}`;
  const makeFirst = (locale: Locale) => {
    setWithUndo(editing, TEXTS.swapped(nameOf(locale)), { locales: locales.toReversed() });
    focusSoon(partOf("remove", locale));
  };
  const remove = (locale: Locale) => {
    const others = locales.filter((other) => other !== locale);
    setWithUndo(editing, TEXTS.removed(nameOf(locale)), { locales: others });
    focusSoon(partOf("add", locale));
  };
  const add = (locale: Locale) => {
    editing.edit((draft) => ({
      ...draft,
      locales: [...draft.locales, locale],
      links: draft.links.map((link) => withKnownName(link, locale)),
    }));
    focusSoon(partOf("first", locale));
  };
  const nameOf = (locale: Locale) => PAGE_TEXTS[locale].own_name;
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
                id={partOf("remove", locale)}
                aria-label={`${TEXTS.remove}: ${nameOf(locale)}`}
                onClick={() => remove(locale)}
              >
                {TEXTS.remove}
              </button>
            )}
          </li>
        ))}
      </ul>
      {LOCALES.filter((locale) => !locales.includes(locale)).map((locale) => (
        <div key={locale}>
          <button
            type="button"
            class="secondary"
            id={partOf("add", locale)}
            onClick={() => add(locale)}
          >
            {TEXTS.add[locale]}
          </button>
          <p class="hint">{TEXTS.add_hint}</p>
        </div>
      ))}
      {locales.length > 1 && <SideBySide editing={editing} locales={locales} />}
    </>
  );
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

function SideBySide(props: { editing: Editing; locales: readonly Locale[] }) {
  const { editing, locales } = props;
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
      <p class="hint">{TEXTS.compare_hint}</p>
      {has_suggestions && missing.length > 0 && (
        <OffersBar offers={offers} onAsked={() => setOpen(true)} />
      )}
      {is_open && <Pairs editing={editing} locales={locales} rows={shown} offers={offers} />}
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
  locales: readonly Locale[];
  rows: readonly Row[];
  offers: Offers;
}) {
  const { editing, locales, rows, offers } = props;
  const offerFor = (path: string, locale: Locale) =>
    offers.list.find((offer) => offer.path === path && offer.to === locale);
  return (
    <>
      {rows.map((row) => (
        <fieldset class="text-pair" key={row.path}>
          <legend>
            <bdi {...inLanguage(row.label_language)}>{drawn(row.label, row.label_language)}</bdi>
          </legend>
          {locales.map((locale) => {
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
