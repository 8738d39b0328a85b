import { useState } from "hono/jsx/dom";
import { pagePath } from "../../pages/document/page-address.ts";
import { defaultLocale, textIn } from "../../pages/document/page-words.ts";
import { Icon } from "../../views/icons.tsx";
import { LOCALES, type Locale } from "../../views/locale.ts";
import { TEXTS } from "../../views/texts.ts";
import { type Place, type ProfilePart, useAtHand } from "./at-hand.ts";
import type { Link } from "./draft.ts";
import type { Editing } from "./editing.ts";
import { EDITOR_TEXTS } from "./editor-texts.ts";
import { locale as own_locale } from "./locale.ts";
import { PageFrame } from "./page-frame.tsx";
import { ToolIcon, type ToolIconName } from "./tool-icon.tsx";
import { useEditing } from "./ui.tsx";

const SCHEMES = [
  ["light", "sun"],
  ["dark", "moon"],
] as const satisfies readonly (readonly ["light" | "dark", ToolIconName])[];

export function Preview(props: { editing: Editing }) {
  const { editing } = props;
  const draft = useEditing(editing, (state) => state.draft);
  const saved = useEditing(editing, (state) => state.saved);
  const [chosen, setChosen] = useState<Locale | null>(null);
  const [scheme, setScheme] = useState<"light" | "dark" | null>(null);
  const languages = useEditing(editing, (state) => state.languages);
  const locale = chosen !== null && languages.includes(chosen) ? chosen : defaultLocale(draft);
  // A language that is being prepared is shown as if visitors found it.
  const is_prepared = !draft.locales.includes(locale);
  const new_blocks = useAtHand("new_blocks");
  const place = useAtHand("place");
  const page = {
    ...draft,
    links: withNewBlocks(editing, draft.links, new_blocks),
    ...(is_prepared ? { locales: [...draft.locales, locale] } : {}),
    page_id: saved.page_id,
  };
  const open_in = saved.locales.includes(locale) ? locale : defaultLocale(saved);
  const usual = draft.look.scheme === "auto" ? deviceScheme() : draft.look.scheme;
  return (
    <div class="preview">
      <div class="preview-tools">
        {languages.length > 1 && (
          <fieldset class="choices">
            <legend class="sr">{EDITOR_TEXTS.languages}</legend>
            {LOCALES.map((each) => (
              <button
                type="button"
                class="choice"
                aria-pressed={each === locale ? "true" : "false"}
                lang={each}
                onClick={() => setChosen(each)}
              >
                {TEXTS[each].own_name}
              </button>
            ))}
          </fieldset>
        )}
        <fieldset class="choices">
          <legend class="sr">{EDITOR_TEXTS.schemes}</legend>
          {SCHEMES.map(([each, icon]) => (
            <button
              type="button"
              class="choice"
              aria-pressed={each === (scheme ?? usual) ? "true" : "false"}
              aria-label={EDITOR_TEXTS[each]}
              title={EDITOR_TEXTS[each]}
              onClick={() => setScheme(each === usual ? null : each)}
            >
              <ToolIcon name={icon} />
            </button>
          ))}
        </fieldset>
        {saved.status === "published" && (
          <a class="quiet" href={pagePath(saved, open_in)} target="_blank" rel="noopener">
            <Icon name="outward" class="outward" />
            {EDITOR_TEXTS.open_page}
          </a>
        )}
      </div>
      {is_prepared && <p class="hint">{EDITOR_TEXTS.is_prepared}</p>}
      <div class="phone">
        <PageFrame
          class="phone-screen"
          title={EDITOR_TEXTS.preview_of(textIn(draft.name, own_locale))}
          view={{ page, locale, scheme }}
          at={place === null ? null : { place, selector: () => selectorOf(editing, place) }}
          onLanguage={setChosen}
        />
      </div>
    </div>
  );
}

/** Visitors do not see them yet: their creator sees what they will be. */
function withNewBlocks(
  editing: Editing,
  links: readonly Link[],
  new_blocks: ReadonlySet<string>,
): Link[] {
  return links.map((link) =>
    !link.enabled && new_blocks.has(editing.rowKey(link.link_id))
      ? { ...link, enabled: true }
      : link,
  );
}

const PARTS: Readonly<Record<ProfilePart, string>> = {
  avatar: ".portrait",
  name: ".profile h1",
  bio: ".profile .bio",
  contact: ".profile .contact",
};

/** Null for a link that has not been made, or is gone. */
function selectorOf(editing: Editing, place: Place): string | null {
  if ("part" in place) return PARTS[place.part];
  const { links } = editing.state.draft;
  const link = links.find(({ link_id }) => editing.rowKey(link_id) === place.row_key);
  return link === undefined ? null : `[data-entry="${CSS.escape(link.link_id)}"]`;
}

function deviceScheme(): "light" | "dark" {
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}
