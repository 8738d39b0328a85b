import { useEffect, useId, useRef, useState } from "hono/jsx/dom";
import { drawn, inLanguage } from "../../../views/drawn-text.ts";
import type { Locale } from "../../../views/locale.ts";
import { focusSoon } from "../focus-soon.ts";
import { ToolIcon } from "../tool-icon.tsx";
import { announce } from "../ui.tsx";
import { AI_TEXTS } from "./ai-texts.ts";
import { type Asked, useLeft } from "./ask.ts";

type State =
  | { kind: "idle" }
  | { kind: "asking" }
  | { kind: "failed"; why: string }
  | { kind: "found"; texts: readonly string[] };

export function Ideas(props: {
  label: string;
  /** Tells buttons with the same label apart. */
  full_label?: string;
  lang: Locale;
  ask: () => Promise<Asked<readonly string[]>>;
  onUse: (text: string) => void;
  /** Something around the suggestions closes them. */
  has_no_end?: boolean;
}) {
  const { label, full_label, lang, ask, onUse, has_no_end = false } = props;
  const id = useId();
  const [state, setState] = useState<State>({ kind: "idle" });
  const is_gone = useRef(false);
  useEffect(
    () => () => {
      is_gone.current = true;
    },
    [],
  );
  const start = async () => {
    if (state.kind === "asking") return;
    setState({ kind: "asking" });
    announce(AI_TEXTS.asking);
    const asked = await ask();
    if (is_gone.current) return;
    if (!asked.ok) {
      setState({ kind: "failed", why: asked.why });
      return;
    }
    setState({ kind: "found", texts: asked.suggestions });
    announce(AI_TEXTS.found(asked.suggestions.length));
  };
  const end = () => {
    setState({ kind: "idle" });
    focusSoon(id);
  };
  return (
    <div class="ideas">
      <AskButton
        id={id}
        label={label}
        full_label={full_label}
        is_asking={state.kind === "asking"}
        onClick={() => void start()}
      />
      {state.kind === "failed" && <Failure why={state.why} />}
      {state.kind === "found" && (
        <>
          <ul class="ideas-list">
            {state.texts.map((text) => (
              <li key={text}>
                <p {...inLanguage(lang)}>{drawn(text, lang)}</p>
                <button
                  type="button"
                  class="secondary"
                  aria-label={AI_TEXTS.use_this(text)}
                  onClick={() => {
                    onUse(text);
                    end();
                  }}
                >
                  {AI_TEXTS.use}
                </button>
              </li>
            ))}
          </ul>
          {state.texts.length === 0 && <p class="hint">{AI_TEXTS.found(0)}</p>}
          {!has_no_end && (
            <button type="button" class="quiet" onClick={end}>
              {AI_TEXTS.refuse}
            </button>
          )}
          <Fine />
        </>
      )}
    </div>
  );
}

/** Stays pressable while it asks: a disabled button loses the focus. */
export function AskButton(props: {
  id: string;
  label: string;
  full_label?: string | undefined;
  is_asking: boolean;
  onClick: () => void;
}) {
  const { id, label, full_label, is_asking, onClick } = props;
  return (
    <button
      type="button"
      class="secondary ask"
      id={id}
      aria-label={is_asking ? undefined : full_label}
      aria-disabled={is_asking ? "true" : undefined}
      title={AI_TEXTS.notice}
      onClick={() => {
        if (!is_asking) onClick();
      }}
    >
      <ToolIcon name="spark" />
      {is_asking ? AI_TEXTS.asking : label}
    </button>
  );
}

export function Failure(props: { why: string }) {
  return (
    <p class="error" role="alert">
      {props.why}
    </p>
  );
}

export function Fine() {
  const left = useLeft();
  return (
    <p class="hint">
      {AI_TEXTS.notice} {left !== null && <span>{AI_TEXTS.left(left.n, left.of)}</span>}
    </p>
  );
}
