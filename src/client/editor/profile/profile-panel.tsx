import { useEffect, useState } from "hono/jsx/dom";
import { BIO_CHARS_MAX, NAME_CHARS_MAX } from "../../../pages/document/limits.ts";
import { mediaPath } from "../../../pages/document/page-address.ts";
import { defaultLocale, textIn } from "../../../pages/document/page-words.ts";
import type { Locale } from "../../../views/locale.ts";
import { initials, isVisible, truncated } from "../../../views/plain-text.ts";
import { BioIdeas } from "../ai/bio-ideas.tsx";
import { has_suggestions } from "../ai/is-on.ts";
import { hasFocusIn, takeInHand } from "../at-hand.ts";
import { editWithUndo } from "../edit-with-undo.ts";
import type { Editing } from "../editing.ts";
import { EDITOR_TEXTS } from "../editor-texts.ts";
import { PictureDialog } from "../pictures/picture-dialog.tsx";
import { TextField, useEditing } from "../ui.tsx";
import { ContactForm } from "./contact-form.tsx";
import { PROFILE_TEXTS } from "./profile-texts.ts";

/** A field shows how much is written from this share of its limit on. */
const NEAR_LIMIT = 0.8;
/** The length of the other language's text, where a text is missing. */
const EXCERPT_CHARACTERS = 40;

const FIELDS = {
  name: { max: NAME_CHARS_MAX, rows: undefined },
  bio: { max: BIO_CHARS_MAX, rows: 4 },
} as const;
type Field = keyof typeof FIELDS;

export function ProfilePanel(props: { editing: Editing }) {
  const { editing } = props;
  const languages = useEditing(editing, (state) => state.languages);
  useEffect(() => () => takeInHand(null), []);
  return (
    <>
      <h2>{EDITOR_TEXTS.panels.profile}</h2>
      <div onFocusIn={() => hasFocusIn({ part: "avatar" })}>
        <Avatar editing={editing} />
      </div>
      {(["name", "bio"] as const).map((field) => (
        <div
          class={languages.length > 1 ? "side-by-side" : ""}
          onFocusIn={() => hasFocusIn({ part: field })}
        >
          {languages.map((locale) => (
            <Words key={locale} editing={editing} field={field} locale={locale} />
          ))}
        </div>
      ))}
      <div onFocusIn={() => hasFocusIn({ part: "contact" })}>
        <ContactForm editing={editing} />
      </div>
    </>
  );
}

function Avatar(props: { editing: Editing }) {
  const { editing } = props;
  const avatar = useEditing(editing, ({ draft }) => draft.avatar);
  const name = useEditing(editing, ({ draft }) => textIn(draft.name, defaultLocale(draft)));
  const [is_open, setOpen] = useState(false);
  const done = (key: string | null) => {
    if (key !== null) {
      editing.edit((draft) => ({ ...draft, avatar: key }));
      return;
    }
    const { avatar: removed } = editing.state.draft;
    editWithUndo(editing, PROFILE_TEXTS.picture_removed, {
      change: (draft) => ({ ...draft, avatar: null }),
      opposite: (draft) => (draft.avatar === null ? { ...draft, avatar: removed } : draft),
    });
  };
  return (
    <div class="avatar-field">
      {avatar === null ? (
        <span class="avatar-now initials" aria-hidden="true">
          {initials(name)}
        </span>
      ) : (
        <img class="avatar-now" src={mediaPath(avatar)} alt={PROFILE_TEXTS.picture} />
      )}
      <button type="button" class="secondary" onClick={() => setOpen(true)}>
        {avatar === null ? PROFILE_TEXTS.add_picture : PROFILE_TEXTS.change_picture}
      </button>
      {is_open && (
        <PictureDialog
          page_id={editing.state.saved.page_id}
          api={editing.api}
          aspect="square"
          current={avatar}
          onDone={done}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
}

function Words(props: { editing: Editing; field: Field; locale: Locale }) {
  const { editing, field, locale } = props;
  const { max, rows } = FIELDS[field];
  const value = useEditing(editing, ({ draft }) => draft[field][locale] ?? "");
  // What is being prepared stands for nothing.
  const substitute = useEditing(editing, ({ draft }) => {
    const others = draft.locales.filter((each) => each !== locale);
    return isVisible(value) ? "" : others.map((each) => draft[field][each] ?? "").join("");
  });
  const is_first = useEditing(editing, ({ draft }) => draft.locales[0] === locale);
  const is_withheld = useEditing(editing, ({ withheld }) => withheld.has(`${field}.${locale}`));
  const is_alone = useEditing(editing, ({ languages }) => languages.length === 1);
  const label = PROFILE_TEXTS[field];
  const hint = () => {
    if (isVisible(substitute)) {
      return PROFILE_TEXTS.missing(truncated(substitute, EXCERPT_CHARACTERS));
    }
    if (value.length >= max * NEAR_LIMIT) return PROFILE_TEXTS.counted(value.length, max);
    return field === "bio" && is_first ? PROFILE_TEXTS.bio_hint : undefined;
  };
  return (
    <div class={isVisible(substitute) ? "is-missing" : ""}>
      <TextField
        id={`profile-${field}-${locale}`}
        label={is_alone ? label : PROFILE_TEXTS.in(label, locale)}
        lang={locale}
        value={value}
        maxlength={max}
        {...(rows === undefined ? {} : { rows })}
        hint={is_withheld ? undefined : hint()}
        error={is_withheld ? PROFILE_TEXTS.no_name : undefined}
        onInput={(text) =>
          editing.edit(
            (draft) => ({ ...draft, [field]: { ...draft[field], [locale]: text } }),
            `${field}.${locale}`,
          )
        }
      />
      {field === "bio" && has_suggestions && (
        <BioIdeas editing={editing} locale={locale} is_alone={is_alone} />
      )}
    </div>
  );
}
