import type { Child } from "hono/jsx";
import {
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "hono/jsx/dom";
import type { Locale } from "../../views/locale.ts";
import { TEXTS } from "../../views/texts.ts";
import type { Editing, EditingState } from "./editing.ts";
import { showFor, watchPresses } from "./notice-place.ts";
import { ToolIcon, type ToolIconName } from "./tool-icon.tsx";
import { UI_TEXTS } from "./ui-texts.ts";

/** Whether files cannot be dragged here and keys are not at hand. */
export const isTouch = () => matchMedia("(pointer: coarse)").matches;

/**
 * Renders again when the selected value is another one. `useSyncExternalStore` of the library
 * renders at every change of the state, that is all panels at every key.
 */
export function useEditing<T>(editing: Editing, select: (state: EditingState) => T): T {
  const [, setVersion] = useState(0);
  const value = select(editing.state);
  const shown = useRef({ select, value });
  shown.current = { select, value };
  useEffect(() => {
    const look = () => {
      const { select, value } = shown.current;
      if (!Object.is(select(editing.state), value)) setVersion((version) => version + 1);
    };
    look();
    return editing.subscribe(look);
  }, [editing]);
  return value;
}

/** Screen readers say the text; the same text twice in a row is said twice. */
export function announce(text: string): void {
  const say = () => {
    const region = document.getElementById("announcer");
    if (region === null) return;
    region.textContent = region.textContent === text ? `${text}\u00a0` : text;
  };
  // What lies behind a modal dialog is hidden from them; most dialogs are closed right after this.
  if (document.querySelector("dialog[open]") === null) say();
  else setTimeout(say);
}

/** A line over the page, with at most one thing to do. A new one replaces the old. */
export interface Notice {
  text: string;
  action?: { label: string; run: () => void };
}

type Listener = (notice: Notice | null) => void;
let notice: Notice | null = null;
const listeners = new Set<Listener>();

export function notify(next: Notice | null): void {
  notice = next;
  if (next !== null) announce(next.text);
  for (const listener of listeners) listener(next);
}

export function Notices() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => notice,
  );
  const ref = useRef<HTMLDivElement>(null);
  useEffect(watchPresses, []);
  useLayoutEffect(() => {
    if (shown !== null && ref.current !== null) return showFor(ref.current, () => notify(null));
  }, [shown]);
  if (shown === null) return null;
  const { text, action } = shown;
  return (
    <div class="notice" ref={ref}>
      <span>{text}</span>
      {action && (
        <button
          type="button"
          class="notice-action"
          onClick={() => {
            action.run();
            notify(null);
            requestAnimationFrame(focusMain);
          }}
        >
          {action.label}
        </button>
      )}
    </div>
  );
}

/** A button that had the focus is gone, and nothing else took it. */
function focusMain(): void {
  if (document.activeElement !== document.body) return;
  document.getElementById("main")?.focus({ preventScroll: true });
}

export function TextField(props: {
  label: string;
  value: string;
  onInput: (value: string) => void;
  onBlur?: () => void;
  onPaste?: (event: ClipboardEvent) => void;
  maxlength?: number;
  rows?: number;
  type?: "text" | "url" | "email" | "tel";
  /** `ltr` for addresses. Else that of `lang`, and `auto` for words of an unknown language. */
  dir?: "ltr";
  lang?: Locale;
  hint?: string | undefined;
  error?: string | undefined;
  placeholder?: string;
  autocomplete?: string;
  is_label_hidden?: boolean;
  id?: string;
}) {
  const own_id = useId();
  const id = props.id ?? own_id;
  const {
    error,
    hint,
    rows,
    lang,
    dir = lang === undefined ? "auto" : TEXTS[lang].direction,
  } = props;
  const about = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`]
    .filter(Boolean)
    .join(" ");
  const shared = {
    id,
    class: "input",
    dir,
    lang,
    value: props.value,
    maxlength: props.maxlength,
    placeholder: props.placeholder,
    autocomplete: props.autocomplete ?? "off",
    "aria-describedby": about || undefined,
    "aria-invalid": error === undefined ? undefined : "true",
    onInput: (event: Event) => props.onInput((event.target as HTMLInputElement).value),
    onBlur: () => props.onBlur?.(),
    onPaste: (event: ClipboardEvent) => props.onPaste?.(event),
  } as const;
  return (
    <div class="field">
      <label for={id} class={props.is_label_hidden ? "sr" : "label"}>
        {props.label}
      </label>
      {rows === undefined ? (
        <input type={props.type ?? "text"} {...shared} />
      ) : (
        <textarea rows={rows} {...shared} />
      )}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

export function Switch(props: {
  label: string;
  is_on: boolean;
  onChange: (is_on: boolean) => void;
  hint?: string;
  is_label_hidden?: boolean;
}) {
  const id = useId();
  return (
    <div class="switch-field">
      <input
        id={id}
        class="switch"
        type="checkbox"
        role="switch"
        checked={props.is_on}
        aria-checked={props.is_on ? "true" : "false"}
        aria-describedby={props.hint === undefined ? undefined : `${id}-hint`}
        onChange={(event: Event) => props.onChange((event.target as HTMLInputElement).checked)}
      />
      <label for={id} class={props.is_label_hidden ? "sr" : "label"}>
        {props.label}
      </label>
      {props.hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {props.hint}
        </p>
      )}
    </div>
  );
}

export function IconButton(props: {
  icon: ToolIconName;
  label: string;
  onClick: (event: MouseEvent) => void;
  is_disabled?: boolean;
  class?: string;
}) {
  return (
    <button
      type="button"
      class={`icon-button ${props.class ?? ""}`.trim()}
      aria-label={props.label}
      title={props.label}
      disabled={props.is_disabled}
      onClick={props.onClick}
    >
      <ToolIcon name={props.icon} />
    </button>
  );
}

/** Modal while it is rendered. Escape, the cross and a click outside call `onClose`. */
export function Dialog(props: {
  title: string;
  onClose: () => void;
  class?: string;
  children?: Child;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const onClose = useRef(props.onClose);
  onClose.current = props.onClose;
  const id = useId();
  useLayoutEffect(() => {
    const { current } = ref;
    if (current === null) return;
    if (!current.open) current.showModal();
    // A selection that is begun in a field and ends outside is a click on the dialog, too.
    let is_begun_outside = false;
    current.addEventListener("pointerdown", ({ target }) => {
      is_begun_outside = target === current;
    });
    current.addEventListener("click", ({ target }) => {
      if (is_begun_outside && target === current) onClose.current();
    });
    return () => current.close();
  }, []);
  return (
    <dialog
      ref={ref}
      class={`dialog ${props.class ?? ""}`.trim()}
      aria-labelledby={id}
      onCancel={(event: Event) => {
        event.preventDefault();
        props.onClose();
      }}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id={id}>{props.title}</h2>
          <IconButton icon="close" label={UI_TEXTS.close} onClick={props.onClose} />
        </header>
        {props.children}
      </div>
    </dialog>
  );
}
