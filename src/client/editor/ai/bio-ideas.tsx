import { useState } from "hono/jsx/dom";
import { AI_ABOUT_CHARS_MAX } from "../../../blocks/ai/limits.ts";
import { textIn } from "../../../pages/document/page-words.ts";
import type { Locale } from "../../../views/locale.ts";
import { isVisible, plainText } from "../../../views/plain-text.ts";
import type { Draft } from "../draft.ts";
import { editWithUndo } from "../edit-with-undo.ts";
import type { Editing } from "../editing.ts";
import { focusSoon } from "../focus-soon.ts";
import { TextField } from "../ui.tsx";
import { AI_TEXTS } from "./ai-texts.ts";
import { ask } from "./ask.ts";
import { AskButton, Ideas } from "./ideas.tsx";

export function BioIdeas(props: { editing: Editing; locale: Locale; is_alone: boolean }) {
  const { editing, locale, is_alone } = props;
  const [about, setAbout] = useState<string | null>(null);
  const [opener, field] = [`ideas-bio-${locale}`, `ideas-about-${locale}`];
  if (about === null) {
    return (
      <div class="ideas">
        <AskButton
          id={opener}
          label={AI_TEXTS.bio}
          full_label={is_alone ? undefined : AI_TEXTS.bio_in[locale]}
          is_asking={false}
          onClick={() => {
            const { bio } = editing.state.draft;
            setAbout(textIn(bio, locale));
            focusSoon(field);
          }}
        />
      </div>
    );
  }
  const close = () => {
    setAbout(null);
    focusSoon(opener);
  };
  return (
    <div class="ideas-about">
      <TextField
        id={field}
        label={AI_TEXTS.bio_about}
        hint={AI_TEXTS.bio_about_hint}
        value={about}
        maxlength={AI_ABOUT_CHARS_MAX}
        rows={2}
        onInput={setAbout}
      />
      {isVisible(about) && (
        <Ideas
          label={AI_TEXTS.bio_ask}
          lang={locale}
          has_no_end
          ask={() => ask(editing, "bio", { locale, about: plainText(about) })}
          onUse={(text) => {
            useBio(editing, locale, text);
            close();
          }}
        />
      )}
      <button type="button" class="quiet" onClick={close}>
        {AI_TEXTS.bio_close}
      </button>
    </div>
  );
}

function useBio(editing: Editing, locale: Locale, text: string): void {
  const before = editing.state.draft.bio[locale] ?? "";
  const withBio = (draft: Draft, bio: string) => ({
    ...draft,
    bio: { ...draft.bio, [locale]: bio },
  });
  editWithUndo(editing, AI_TEXTS.used, {
    change: (draft) => withBio(draft, text),
    opposite: (draft) => (draft.bio[locale] === text ? withBio(draft, before) : draft),
  });
}
