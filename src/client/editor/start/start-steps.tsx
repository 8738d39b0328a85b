/**
 * The steps from a new page to a published one: a photo, links, a look, then the share sheet. The
 * panels are the editor's own; the page is a draft that is saved like any other.
 */
import { useRef, useState } from "hono/jsx/dom";
import { formatNumber } from "../../../views/numbers.ts";
import type { Editing } from "../editing.ts";
import { EDITOR_TEXTS } from "../editor-texts.ts";
import { ADD_FIELD } from "../links/desk.ts";
import { LinksPanel } from "../links/links-panel.tsx";
import { isBegun } from "../links/suggestions.tsx";
import { unadded } from "../links/unadded.ts";
import { loadFor } from "../links/use-reading.ts";
import { reader } from "../locale.ts";
import { LookPanel, PhotoStep } from "../parts.ts";
import { publish } from "../share/publish.ts";
import { announce, notify, useEditing } from "../ui.tsx";
import { START_TEXTS } from "./start-texts.ts";

const STEPS = ["photo", "links", "look"] as const;
/** The first step, name and address, is a page of its own (`src/client/start.ts`). */
const STEPS_BEFORE = 1;

export function StartSteps(props: { editing: Editing; onDone: () => void; onLeave: () => void }) {
  const { editing, onDone, onLeave } = props;
  const [at, setAt] = useState(0);
  const step = STEPS[at] ?? "photo";
  const has_photo = useEditing(editing, ({ draft }) => draft.avatar !== null);
  const [has_chosen, setChosen] = useState(false);
  const is_skipping = step === "photo" && !has_photo && !has_chosen;
  const isLast = at === STEPS.length - 1;
  const go = (to: number) => {
    setAt(to);
    // What it says is about the step before.
    notify(null);
    announce(START_TEXTS.steps[STEPS[to] ?? "photo"]);
    window.scrollTo(0, 0);
  };
  /** The creator was asked about it and has left it as it is. */
  const asked = useRef("");
  /** Adds what is typed and clear. True if the rest needs a choice not asked for yet. */
  const asksAboutTyped = (): boolean => {
    const { page_id } = editing.state.saved;
    const typed = unadded(page_id);
    if (typed.trim() === "" || isBegun(typed)) return false;
    document.getElementById(ADD_FIELD)?.closest("form")?.requestSubmit();
    const rest = unadded(page_id).trim();
    const is_new = rest !== "" && rest !== asked.current;
    asked.current = rest;
    return is_new;
  };
  const next = async () => {
    if (step === "links") await loadFor(unadded(editing.state.saved.page_id));
    if (step === "links" && asksAboutTyped()) return;
    if (!isLast) {
      go(at + 1);
      return;
    }
    void publish(editing).then((is_published) => {
      if (is_published) onDone();
      else notify({ text: EDITOR_TEXTS.publish_waits });
    });
  };
  const number = (n: number) => formatNumber(reader, n);
  return (
    <section class="panel steps" aria-label={START_TEXTS.steps[step]}>
      <header class="steps-head">
        <h2>{START_TEXTS.steps[step]}</h2>
        <span class="steps-count">
          {START_TEXTS.of(number(at + 1 + STEPS_BEFORE), number(STEPS.length + STEPS_BEFORE))}
        </span>
      </header>
      {step === "photo" && <PhotoStep editing={editing} onChoose={() => setChosen(true)} />}
      {step === "links" && <LinksPanel editing={editing} />}
      {step === "look" && <LookPanel editing={editing} has_only_presets />}
      <footer class="steps-foot">
        {at > 0 && (
          <button type="button" class="secondary" onClick={() => go(at - 1)}>
            {START_TEXTS.back}
          </button>
        )}
        <button
          type="button"
          class={is_skipping ? "secondary" : "primary"}
          onClick={() => void next()}
        >
          {is_skipping ? START_TEXTS.photo.skip : START_TEXTS.next[step]}
        </button>
      </footer>
      <button type="button" class="quiet" onClick={onLeave}>
        {START_TEXTS.later}
      </button>
    </section>
  );
}
