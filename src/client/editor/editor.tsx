/**
 * The server's page holds the document in `#editor[data-page]` (docs/architecture.md). From there on the
 * panels change the draft, `Editing` saves it, and the preview shows it.
 */
import "../report-errors.ts";
import type { Child } from "hono/jsx";
import { useEffect, useRef, useState } from "hono/jsx/dom";
import { createRoot } from "hono/jsx/dom/client";
import { languageIn, textIn } from "../../pages/document/page-words.ts";
import { drawn, inLanguage } from "../../views/drawn-text.ts";
import { isVisible } from "../../views/plain-text.ts";
import { Api } from "../api.ts";
import type { SavedPage } from "./draft.ts";
import { Editing } from "./editing.ts";
import { EDITOR_TEXTS } from "./editor-texts.ts";
import { handOver, takeHandover } from "./handover.ts";
import { loadAll } from "./lazy.tsx";
import { LinksPanel } from "./links/links-panel.tsx";
import { type LocalDraft, LocalDrafts, tabId } from "./local-drafts.ts";
import { locale, reader } from "./locale.ts";
import {
  DeletedDialog,
  HistoryPanel,
  LookPanel,
  ProfilePanel,
  SettingsPanel,
  ShareSheet,
} from "./parts.ts";
import { Preview } from "./preview.tsx";
import { SaveState } from "./save-state.tsx";
import { publish } from "./share/publish.ts";
import { StartSteps } from "./start/start-steps.tsx";
import { takeUpDrafts } from "./take-up.ts";
import { ToolIcon } from "./tool-icon.tsx";
import { IconButton, Notices, notify, useEditing } from "./ui.tsx";
import { watchHeight } from "./window-height.ts";

/** Panels by the fragment of the address, `#look`; their icons have the same names. */
const PANELS = {
  links: LinksPanel,
  look: LookPanel,
  profile: ProfilePanel,
  settings: SettingsPanel,
  history: HistoryPanel,
} as const;
type Panel = keyof typeof PANELS;
const NAMES = Object.keys(PANELS) as Panel[];

/** Enough for the first paint and what it needs: the preview's styles and fonts. */
const LOAD_REST_AFTER_MS = 1_000;

/** Null for a fragment that names no panel, as that of the skip link. */
function panelOf(hash: string): Panel | null {
  if (hash === "") return "links";
  // The dashboard's chart names what the panel lists.
  if (hash === "#revisions") return "history";
  return NAMES.find((name) => hash === `#${name}`) ?? null;
}

function App(props: { editing: Editing }) {
  const { editing } = props;
  const [panel, setPanel] = useState<Panel>(panelOf(location.hash) ?? "links");
  // The dialog is a part that is loaded later, so it is not rendered before.
  const is_deleted = useEditing(editing, ({ saved }) => saved.ends_at !== null);
  const [is_previewing, setPreviewing] = usePreviewing();
  const [sharing, setSharing] = useState<"share" | "published" | null>(null);
  const [is_starting, setStarting] = useState(location.hash === "#start");
  useEffect(watchHeight, []);
  const leaveStart = (hash: string) => {
    setStarting(false);
    history.replaceState(null, "", hash);
  };
  useEffect(() => {
    const moved = () => {
      if (location.hash === "#share") setSharing("share");
      else setPanel((shown) => panelOf(location.hash) ?? shown);
    };
    // A dialog cannot be opened before the first rendering is in the document.
    moved();
    window.addEventListener("hashchange", moved);
    return () => window.removeEventListener("hashchange", moved);
  }, []);
  const Shown = PANELS[panel];
  const columns = ["editor-columns"];
  if (is_previewing) columns.push("is-previewing");
  if (is_starting) columns.push("is-starting");
  return (
    <>
      <Toolbar editing={editing} is_starting={is_starting} onShare={setSharing}>
        {is_starting && <PreviewToggle {...{ is_previewing, setPreviewing }} />}
      </Toolbar>
      <div class={columns.join(" ")}>
        {is_starting ? (
          <StartSteps
            editing={editing}
            onDone={() => {
              leaveStart("#links");
              setSharing("published");
            }}
            onLeave={() => leaveStart("#links")}
          />
        ) : (
          <>
            <nav class="panels" aria-label={EDITOR_TEXTS.parts}>
              {NAMES.map((name) => (
                <a href={`#${name}`} aria-current={name === panel ? "page" : undefined}>
                  <ToolIcon name={name} />
                  <span>{EDITOR_TEXTS.panels[name]}</span>
                </a>
              ))}
              <PreviewToggle {...{ is_previewing, setPreviewing }} />
            </nav>
            <section class="panel" aria-label={EDITOR_TEXTS.panels[panel]}>
              <Shown editing={editing} />
            </section>
          </>
        )}
        <aside class="preview-side" aria-label={EDITOR_TEXTS.preview}>
          <Preview editing={editing} />
        </aside>
      </div>
      {sharing !== null && (
        <ShareSheet
          editing={editing}
          is_just_published={sharing === "published"}
          onClose={() => setSharing(null)}
        />
      )}
      {is_deleted && <DeletedDialog editing={editing} />}
      <Notices />
    </>
  );
}

/** On phones, in a bar: what floats covers the row that is edited. */
function PreviewToggle(props: {
  is_previewing: boolean;
  setPreviewing: (is_previewing: boolean) => void;
}) {
  const { is_previewing, setPreviewing } = props;
  return (
    <button type="button" class="preview-toggle" onClick={() => setPreviewing(!is_previewing)}>
      <ToolIcon name={is_previewing ? "close" : "eye"} />
      <span>{is_previewing ? EDITOR_TEXTS.close_preview : EDITOR_TEXTS.preview}</span>
    </button>
  );
}

/** A phone shows the preview in the place of the panels: from its top, and until Escape. */
function usePreviewing(): [boolean, (is_previewing: boolean) => void] {
  const [is_previewing, set] = useState(false);
  const left_at = useRef<number | null>(null);
  const setPreviewing = (next: boolean) => {
    if (next) left_at.current = window.scrollY;
    set(next);
  };
  useEffect(() => {
    if (left_at.current === null) return;
    window.scrollTo(0, is_previewing ? 0 : left_at.current);
    if (!is_previewing) return;
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === "Escape" && document.querySelector("dialog[open]") === null) set(false);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [is_previewing]);
  return [is_previewing, setPreviewing];
}

function Toolbar(props: {
  editing: Editing;
  /** The steps have a button of their own for publishing. */
  is_starting: boolean;
  onShare: (why: "share" | "published") => void;
  children?: Child;
}) {
  const { editing, is_starting, onShare } = props;
  // A heading is never empty: a missing name is the one that stays saved.
  const names = useEditing(editing, ({ draft, saved }) =>
    isVisible(textIn(draft.name, locale)) ? draft.name : saved.name,
  );
  const language = languageIn(names, locale);
  const status = useEditing(editing, ({ draft }) => draft.status);
  const { page_id } = useEditing(editing, ({ saved }) => saved);
  const can_undo = useEditing(editing, (state) => state.can_undo);
  const can_redo = useEditing(editing, (state) => state.can_redo);
  const publishAndShare = async () => {
    if (await publish(editing)) onShare("published");
    else notify({ text: EDITOR_TEXTS.publish_waits });
  };
  return (
    <div class="editor-toolbar">
      <h1>
        <bdi {...inLanguage(language)}>{drawn(textIn(names, locale), language)}</bdi>
      </h1>
      <SaveState editing={editing} />
      <div class="editor-tools">
        <a class="quiet" href={`/dashboard/${page_id}`}>
          {EDITOR_TEXTS.statistics}
        </a>
        <IconButton
          icon="undo"
          label={EDITOR_TEXTS.undo}
          is_disabled={!can_undo}
          onClick={() => editing.undo()}
        />
        <IconButton
          icon="redo"
          label={EDITOR_TEXTS.redo}
          is_disabled={!can_redo}
          onClick={() => editing.redo()}
        />
        {props.children}
        {!is_starting && status === "draft" && (
          <button type="button" class="primary" onClick={() => void publishAndShare()}>
            {EDITOR_TEXTS.publish}
          </button>
        )}
        {!is_starting && status !== "draft" && (
          <button type="button" class="primary" onClick={() => onShare("share")}>
            <ToolIcon name="share" />
            {EDITOR_TEXTS.share}
          </button>
        )}
      </div>
    </div>
  );
}

/** Ctrl or ⌘ with Z; a text field has the browser's own undo. */
function onUndoKey(editing: Editing, event: KeyboardEvent): void {
  const key = event.key.toLowerCase();
  // On an Arabic keyboard the key is «ئ»; on a French one, the key that is called KeyZ is W.
  const is_z = key === "z" || (event.code === "KeyZ" && !/^[a-z]$/.test(key));
  if (!(event.ctrlKey || event.metaKey) || event.altKey || !is_z) return;
  const fields = "textarea, select, input:not([type=checkbox], [type=radio])";
  if ((event.target as Element).closest(fields) !== null) return;
  event.preventDefault();
  if (event.shiftKey) editing.redo();
  else editing.undo();
}

function restoreDrafts(
  editing: Editing,
  drafts: LocalDrafts,
  tab: string,
  own: LocalDraft | null,
): void {
  const today = new Date().toDateString();
  const whenOf = (at: number) =>
    new Intl.DateTimeFormat(reader, {
      ...(new Date(at).toDateString() !== today && { dateStyle: "short" }),
      timeStyle: "short",
    }).format(at);
  void takeUpDrafts({
    editing,
    drafts,
    tab,
    own,
    locks: navigator.locks,
    channel: new BroadcastChannel(`sila-editor:${editing.state.saved.page_id}`),
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    onRestored: ({ at }) =>
      notify({
        text: EDITOR_TEXTS.restored(whenOf(at)),
        action: { label: EDITOR_TEXTS.undo, run: () => editing.undo() },
      }),
  });
}

function start(root: HTMLElement): void {
  const loaded = JSON.parse(root.dataset.page ?? "") as SavedPage;
  const { saved, unsaved } = takeHandover(loaded);
  const user_id = root.dataset.user ?? "";
  const token = document.querySelector<HTMLMetaElement>("meta[name=csrf-token]")?.content ?? "";
  const tab = tabId(() => sessionStorage);
  const drafts = new LocalDrafts({ user_id, page_id: saved.page_id, tab });
  const editing = new Editing(saved, {
    api: new Api(locale, token, user_id),
    drafts,
    user_id,
    now: () => Date.now(),
    after: (ms, work) => {
      const timer = setTimeout(work, ms);
      return () => clearTimeout(timer);
    },
    is_online: () => navigator.onLine,
    report: reportError,
  });
  createRoot(root).render(<App editing={editing} />);
  restoreDrafts(editing, drafts, tab, unsaved);
  setTimeout(loadAll, LOAD_REST_AFTER_MS);
  window.addEventListener("beforeunload", (event) => {
    if (editing.has_unsaved) event.preventDefault();
  });
  window.addEventListener("online", () => void editing.retry());
  document.addEventListener("keydown", (event) => onUndoKey(editing, event));
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") void editing.retry().then(() => editing.refresh());
    else editing.flush();
  });
  handOver(editing);
}

const root = document.getElementById("editor");
if (root !== null) start(root);
