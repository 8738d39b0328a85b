/** The slug is no part of what is saved by itself: a change takes effect at once for visitors. */
import { useEffect, useRef, useState } from "hono/jsx/dom";
import type { SavedPage } from "../draft.ts";
import type { Editing } from "../editing.ts";
import { focusSoon } from "../focus-soon.ts";
import { sendChange } from "../send-change.ts";
import { announce, notify, TextField, useEditing } from "../ui.tsx";
import { failureOf } from "./failure.ts";
import { SETTINGS_TEXTS } from "./settings-texts.ts";

const TEXTS = SETTINGS_TEXTS.address;
/** Longer than most pauses between keys, as a sender has 60 requests a minute for everything. */
const CHECK_AFTER_MS = 700;
/** Other people take slugs meanwhile. */
const CHECKED_FOR_MS = 60_000;

type Check =
  | { kind: "same" | "checking" }
  | { kind: "impossible"; reason: string }
  | { kind: "free"; slug: string }
  | { kind: "taken"; suggestions: readonly string[] }
  /** The check failed: whoever changes the slug all the same learns. */
  | { kind: "failed"; slug: string; message: string };

/** Gets the focus of buttons that vanish: in the field, a phone would open its keyboard. */
const SHOWN = "address-shown";
const CHANGE = "address-change";
/** Typed slugs by page: the panel may be left and opened again. */
const typed = new Map<string, string>();

interface SlugAnswer {
  slug: string;
  free: boolean;
  suggestions?: readonly string[];
}

/** Asks when nothing was typed for a moment. An answer to an older text is dropped. */
function useCheck(editing: Editing, text: string): [Check, (check: Check) => void] {
  const { page_id, slug: current } = useEditing(editing, (state) => state.saved);
  const [check, setCheck] = useState<Check>({ kind: "same" });
  const known = useRef(new Map<string, { check: Check; until_ms: number }>());
  useEffect(() => known.current?.clear(), [current]);
  useEffect(() => {
    // No slug has spaces, and people type names.
    const wanted = text.trim().replace(/\s+/g, "-");
    if (wanted === current || wanted === "") {
      setCheck({ kind: "same" });
      return;
    }
    const before = known.current?.get(wanted);
    if (before !== undefined && Date.now() < before.until_ms) {
      setCheck(before.check);
      return;
    }
    setCheck({ kind: "checking" });
    const dropped = new AbortController();
    const timer = setTimeout(async () => {
      const query = new URLSearchParams({ page_id });
      const path = `/api/me/slugs/${encodeURIComponent(wanted)}?${query}`;
      const answer = await editing.api.call<SlugAnswer>(path, { signal: dropped.signal });
      if (dropped.signal.aborted) return;
      const found = checkOf(answer, wanted, current);
      if (found.kind !== "failed") {
        known.current?.set(wanted, { check: found, until_ms: Date.now() + CHECKED_FOR_MS });
      }
      setCheck(found);
    }, CHECK_AFTER_MS);
    return () => {
      clearTimeout(timer);
      dropped.abort();
    };
  }, [text, current, page_id]);
  return [check, setCheck];
}

function checkOf(
  answer: Awaited<ReturnType<typeof Editing.prototype.api.call<SlugAnswer>>>,
  wanted: string,
  current: string,
): Check {
  if (!answer.ok) {
    const { reason = "ends" } = answer.details as { reason?: string };
    // A path like `/api/me/slugs/..` is another one.
    if (answer.status === 400 || answer.status === 404) return { kind: "impossible", reason };
    return { kind: "failed", slug: wanted, message: failureOf(answer) };
  }
  const { slug, free, suggestions = [] } = answer.body;
  if (slug === current) return { kind: "same" };
  return free ? { kind: "free", slug } : { kind: "taken", suggestions };
}

export function AddressSetting(props: { editing: Editing }) {
  const { editing } = props;
  const current = useEditing(editing, (state) => state.saved.slug);
  const status = useEditing(editing, (state) => state.draft.status);
  const { page_id } = editing.state.saved;
  const [text, showText] = useState(typed.get(page_id) ?? current);
  const setText = (next: string) => {
    typed.set(page_id, next);
    showText(next);
  };
  const [is_sending, setSending] = useState(false);
  const [check, setCheck] = useCheck(editing, text);
  const shown = useRef(current);
  useEffect(() => {
    if (shown.current === current) return;
    shown.current = current;
    typed.delete(page_id);
    showText(current);
  }, [current]);
  useEffect(() => {
    if (check.kind === "free") announce(`${TEXTS.free}: ${check.slug}`);
  }, [check]);
  const change = async (slug: string) => {
    setSending(true);
    const failed = await changeSlug(editing, slug, (back) => void change(back));
    setSending(false);
    if (failed !== null) setCheck(failed);
    // The button has lost the focus: it could not be pressed.
    focusSoon(failed?.kind === "failed" ? CHANGE : SHOWN);
  };
  const choose = (slug: string) => {
    setText(slug);
    focusSoon(SHOWN);
  };
  const next = check.kind === "free" || check.kind === "failed" ? check.slug : null;
  return (
    <>
      <TextField
        id="slug"
        label={TEXTS.label}
        value={text}
        onInput={setText}
        hint={TEXTS.hint}
        error={errorOf(check)}
        maxlength={200}
      />
      {check.kind === "taken" && check.suggestions.length > 0 && (
        <ul class="suggestions">
          {check.suggestions.map((slug) => (
            <li key={slug}>
              <button type="button" class="secondary" onClick={() => choose(slug)}>
                <bdi>{slug}</bdi>
              </button>
            </li>
          ))}
        </ul>
      )}
      {check.kind !== "failed" && (
        <p class="address-shown" id={SHOWN} tabindex={-1}>
          {check.kind === "free" ? TEXTS.will_be : TEXTS.is_now}{" "}
          <bdi dir="ltr">{`${location.host}/${check.kind === "free" ? check.slug : current}`}</bdi>
          {check.kind === "free" && <span class="is-free">{TEXTS.free}</span>}
          {check.kind === "checking" && <span class="is-checking">{TEXTS.checking}</span>}
        </p>
      )}
      <p class="hint">{status === "draft" ? TEXTS.after_draft : TEXTS.after_published}</p>
      <button
        type="button"
        id={CHANGE}
        class="primary"
        disabled={next === null || is_sending}
        onClick={() => next !== null && void change(next)}
      >
        {TEXTS.change}
      </button>
    </>
  );
}

function errorOf(check: Check): string | undefined {
  switch (check.kind) {
    case "impossible":
      return TEXTS.impossible[check.reason] ?? TEXTS.impossible.characters;
    case "taken":
      return check.suggestions.length > 0 ? TEXTS.taken : TEXTS.taken_alone;
    case "failed":
      return check.message;
    default:
      return undefined;
  }
}

async function changeSlug(
  editing: Editing,
  slug: string,
  changeBack: (slug: string) => void,
): Promise<Check | null> {
  const former = editing.state.saved.slug;
  const answer = await sendChange<{ page: SavedPage }>(editing, "PATCH", "", { slug });
  if (answer.ok) {
    const action = { label: SETTINGS_TEXTS.undo, run: () => changeBack(former) };
    notify({ text: TEXTS.changed(slug), action });
    return null;
  }
  if (answer.code === "SLUG_TAKEN") return { kind: "taken", suggestions: [] };
  return { kind: "failed", slug, message: failureOf(answer) };
}
