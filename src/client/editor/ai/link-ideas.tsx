import { ALT_CHARS_MAX } from "../../../pages/document/limits.ts";
import { parseLinkAddress } from "../../../pages/document/link-address.ts";
import type { Locale } from "../../../views/locale.ts";
import { plainText } from "../../../views/plain-text.ts";
import { type Draft, type Link, withLink } from "../draft.ts";
import { editWithUndo } from "../edit-with-undo.ts";
import type { Desk } from "../links/desk.ts";
import { TextField } from "../ui.tsx";
import { AI_TEXTS } from "./ai-texts.ts";
import { ask } from "./ask.ts";
import { Ideas } from "./ideas.tsx";
import { has_suggestions } from "./is-on.ts";

interface LinkProps {
  link: Link;
  desk: Desk;
  language: Locale;
  /** The page has one language, which need not be said. */
  is_alone: boolean;
}

/** A link without an address has nothing to name. */
export function LabelIdeas({ link, desk, language, is_alone }: LinkProps) {
  const url = parseLinkAddress(link.url ?? "");
  if (url === null) return null;
  const { editing } = desk;
  const label = plainText(link.label[language] ?? "");
  return (
    <Ideas
      label={AI_TEXTS.label}
      {...(is_alone ? {} : { full_label: AI_TEXTS.label_in[language] })}
      lang={language}
      ask={async () => {
        const links = [{ url, ...(label === "" ? {} : { label }) }];
        const asked = await ask(editing, "labels", { locale: language, links });
        return asked.ok ? { ok: true, suggestions: asked.suggestions[0] ?? [] } : asked;
      }}
      onUse={(text) => useText(desk, link, "label", language, text)}
    />
  );
}

export function PictureWords(props: {
  link: Link;
  desk: Desk;
  languages: readonly Locale[];
  row_key: string;
}) {
  const { link, desk, languages, row_key } = props;
  const { image } = link;
  if (image === null) return null;
  const is_alone = languages.length === 1;
  return (
    <div class="row-names">
      {languages.map((language) => (
        <div key={language}>
          <TextField
            id={`alt-${language}-${row_key}`}
            label={is_alone ? AI_TEXTS.alt : AI_TEXTS.alt_in[language]}
            lang={language}
            value={link.alt?.[language] ?? ""}
            maxlength={ALT_CHARS_MAX}
            hint={AI_TEXTS.alt_hint}
            onInput={(text) =>
              desk.change(link, { alt: { ...link.alt, [language]: text } }, `alt-${language}`)
            }
          />
          {has_suggestions && (
            <Ideas
              label={AI_TEXTS.describe}
              {...(is_alone ? {} : { full_label: AI_TEXTS.describe_in[language] })}
              lang={language}
              ask={() => ask(desk.editing, "alt", { locale: language, image })}
              onUse={(text) => useText(desk, link, "alt", language, text)}
            />
          )}
        </div>
      ))}
    </div>
  );
}

/** The link is found by its row: while the service was asked, a save may have given it another id. */
function useText(
  desk: Desk,
  link: Link,
  member: "label" | "alt",
  language: Locale,
  text: string,
): void {
  const row_key = desk.keyOf(link);
  const before = link[member]?.[language] ?? "";
  const now = (draft: Draft) => draft.links.find((each) => desk.keyOf(each) === row_key);
  const withText = (draft: Draft, to: string): Draft => {
    const link_id = now(draft)?.link_id;
    if (link_id === undefined) return draft;
    return withLink(draft, link_id, (each) => ({
      ...each,
      [member]: { ...each[member], [language]: to },
    }));
  };
  editWithUndo(desk.editing, AI_TEXTS.used, {
    change: (draft) => withText(draft, text),
    opposite: (draft) =>
      now(draft)?.[member]?.[language] === text ? withText(draft, before) : draft,
  });
}
