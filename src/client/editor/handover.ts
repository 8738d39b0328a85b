/**
 * What a tab hands over to its next document, at once: the browser's database may end with the document before it has
 * stored the last change.
 *
 *   beforeunload ─▶ the browser asks for the page ─▶ the tab may save ─▶ pagehide: what waits is sent
 *
 * What is saved in between is neither in the page that was asked for nor in a draft, and what is sent last is in
 * no draft that is sure to be stored.
 */
import type { SavedPage } from "./draft.ts";
import type { Editing } from "./editing.ts";
import type { LocalDraft } from "./local-drafts.ts";

const KEY = "sila-handover";

interface Handover {
  page_id: string;
  /** The page, where it was saved after the next document had been asked for. */
  saved: SavedPage | null;
  unsaved: LocalDraft | null;
}

export function handOver(editing: Editing): void {
  let asked_version: number | null = null;
  window.addEventListener("beforeunload", () => {
    asked_version = editing.state.saved.version;
  });
  window.addEventListener("pagehide", () => {
    // Without a navigation the tab may be asleep, and go on.
    if (asked_version === null) return;
    editing.flush();
    const { state, unsaved } = editing;
    const saved = state.saved.version === asked_version ? null : state.saved;
    store({ page_id: state.saved.page_id, saved, unsaved });
  });
  // The page is back from the browser's cache of pages.
  window.addEventListener("pageshow", ({ persisted }) => {
    if (persisted) store(null);
  });
}

export function takeHandover(loaded: SavedPage): {
  saved: SavedPage;
  unsaved: LocalDraft | null;
} {
  const left = stored();
  store(null);
  if (left?.page_id !== loaded.page_id) return { saved: loaded, unsaved: null };
  const { saved, unsaved } = left;
  return { saved: saved !== null && saved.version > loaded.version ? saved : loaded, unsaved };
}

function stored(): Handover | null {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "null");
  } catch {
    return null;
  }
}

function store(handover: Handover | null): void {
  try {
    if (handover === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify(handover));
  } catch {
    // Storage is full or switched off: only the draft in the database is left.
  }
}
