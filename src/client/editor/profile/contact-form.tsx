/** A visitor's phone stores this card when they choose "save contact". */
import { useLayoutEffect, useRef } from "hono/jsx/dom";
import {
  CONTACT_ENTRIES_MAX,
  CONTACT_FIELD_CHARS_MAX,
  CONTACT_TEXT_CHARS_MAX,
} from "../../../pages/document/limits.ts";
import type { Contact } from "../draft.ts";
import { editWithUndo } from "../edit-with-undo.ts";
import type { Editing } from "../editing.ts";
import { ToolIcon } from "../tool-icon.tsx";
import { IconButton, Switch, TextField, useEditing } from "../ui.tsx";
import { PROFILE_TEXTS } from "./profile-texts.ts";

const EMPTY: Contact = {
  name: "",
  organisation: null,
  title: null,
  phones: [],
  emails: [],
  address: null,
  note: null,
};

/** Cards by page. Switched off and on again, also after another panel, a card is as it was. */
const lasts = new Map<string, Contact>();

type Change = (members: Partial<Contact>, step: string | null) => void;

export function ContactForm(props: { editing: Editing }) {
  const { editing } = props;
  const contact = useEditing(editing, ({ draft }) => draft.contact);
  const { page_id } = editing.state.saved;
  if (contact !== null) lasts.set(page_id, contact);
  const turn = (is_on: boolean) => {
    const card = lasts.get(page_id) ?? EMPTY;
    if (is_on) {
      editing.edit((draft) => ({ ...draft, contact: card }));
      return;
    }
    editWithUndo(editing, PROFILE_TEXTS.contact_off, {
      change: (draft) => ({ ...draft, contact: null }),
      opposite: (draft) => (draft.contact === null ? { ...draft, contact: card } : draft),
    });
  };
  const change: Change = (members, step) =>
    editing.edit(
      (draft) => ({ ...draft, contact: { ...(draft.contact ?? EMPTY), ...members } }),
      step && `contact.${step}`,
    );
  return (
    <section class="contact-form" aria-label={PROFILE_TEXTS.contact}>
      <Switch
        label={PROFILE_TEXTS.contact}
        hint={PROFILE_TEXTS.contact_hint}
        is_on={contact !== null}
        onChange={turn}
      />
      {contact !== null && <ContactFields editing={editing} contact={contact} change={change} />}
    </section>
  );
}

function removeEntry(
  editing: Editing,
  contact: Contact,
  { list, at, name }: { list: "phones" | "emails"; at: number; name: string },
): void {
  const entries = contact[list];
  const removed = entries[at] ?? "";
  const countIn = (all: readonly string[]) => all.filter((entry) => entry === removed).length;
  editWithUndo(editing, PROFILE_TEXTS.removed(removed || name), {
    change: (draft) => ({ ...draft, contact: { ...contact, [list]: entries.toSpliced(at, 1) } }),
    opposite: (draft) => {
      const now = draft.contact?.[list];
      if (now === undefined || now.length >= CONTACT_ENTRIES_MAX) return draft;
      if (countIn(now) >= countIn(entries)) return draft;
      const whole = { ...contact, ...draft.contact, [list]: now.toSpliced(at, 0, removed) };
      return { ...draft, contact: whole };
    },
  });
}

function ContactFields(props: { editing: Editing; contact: Contact; change: Change }) {
  const { editing, contact, change } = props;
  return (
    <>
      {(["name", "title", "organisation"] as const).map((field) => (
        <TextField
          label={PROFILE_TEXTS.fields[field]}
          value={contact[field] ?? ""}
          maxlength={CONTACT_FIELD_CHARS_MAX}
          hint={field === "name" ? PROFILE_TEXTS.contact_name_hint : undefined}
          onInput={(text) => change({ [field]: text }, field)}
        />
      ))}
      <Entries
        title={PROFILE_TEXTS.phones}
        type="tel"
        nameOf={PROFILE_TEXTS.phone}
        add={PROFILE_TEXTS.add_phone}
        entries={contact.phones}
        onChange={(phones, step) => change({ phones }, step && `phones.${step}`)}
        onRemove={(at, name) => removeEntry(editing, contact, { list: "phones", at, name })}
      />
      <Entries
        title={PROFILE_TEXTS.emails}
        type="email"
        nameOf={PROFILE_TEXTS.email}
        add={PROFILE_TEXTS.add_email}
        entries={contact.emails}
        onChange={(emails, step) => change({ emails }, step && `emails.${step}`)}
        onRemove={(at, name) => removeEntry(editing, contact, { list: "emails", at, name })}
      />
      {(["address", "note"] as const).map((field) => (
        <TextField
          label={PROFILE_TEXTS[field]}
          value={contact[field] ?? ""}
          maxlength={CONTACT_TEXT_CHARS_MAX}
          rows={2}
          onInput={(text) => change({ [field]: text }, field)}
        />
      ))}
    </>
  );
}

function Entries(props: {
  title: string;
  type: "tel" | "email";
  nameOf: (n: number) => string;
  add: string;
  entries: readonly string[];
  onChange: (entries: string[], step: string | null) => void;
  onRemove: (at: number, name: string) => void;
}) {
  const { title, type, nameOf, entries, onChange, onRemove } = props;
  const list = useRef<HTMLFieldSetElement>(null);
  const next = useRef<"last" | "add" | null>(null);
  useLayoutEffect(() => {
    const targets = list.current?.querySelectorAll<HTMLElement>("input, .secondary") ?? [];
    if (next.current !== null) targets[targets.length - (next.current === "add" ? 1 : 2)]?.focus();
    next.current = null;
  }, [entries.length]);
  const remove = (i: number) => {
    next.current = "add";
    onRemove(i, nameOf(i + 1));
  };
  return (
    <fieldset ref={list} class="axis entries">
      <legend>{title}</legend>
      {entries.map((entry, i) => (
        <div class="entry">
          <TextField
            label={nameOf(i + 1)}
            is_label_hidden
            type={type}
            dir="ltr"
            value={entry}
            maxlength={CONTACT_FIELD_CHARS_MAX}
            hint={type === "email" && isOdd(entry) ? PROFILE_TEXTS.odd_email : undefined}
            onInput={(text) => onChange(entries.with(i, text), String(i))}
          />
          <IconButton
            icon="trash"
            label={PROFILE_TEXTS.remove(nameOf(i + 1))}
            onClick={() => remove(i)}
          />
        </div>
      ))}
      <button
        type="button"
        class="secondary"
        disabled={entries.length >= CONTACT_ENTRIES_MAX}
        onClick={() => {
          next.current = "last";
          onChange([...entries, ""], null);
        }}
      >
        <ToolIcon name="plus" />
        {props.add}
      </button>
    </fieldset>
  );
}

function isOdd(email: string): boolean {
  return email !== "" && !/^\s*\S+@\S+\.\S+\s*$/.test(email);
}
