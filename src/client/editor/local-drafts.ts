/**
 * Unsaved drafts in the browser's storage: what was typed survives a closed tab, a crash and a session
 * that ended. One entry for each tab, because two tabs may edit one page. An entry belongs to the user
 * who typed it, and is deleted when its draft is saved.
 */
import type { Draft, Link, SavedPage } from "./draft.ts";

const PREFIX = "sila-draft";
/** Thirty days after its last change, a draft that nobody came back to is deleted. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;

export interface LocalDraft {
  /** The page as it was when the draft was begun: the base of a merge. */
  base: SavedPage;
  draft: Draft;
  /**
   * New links as they were sent in saves whose answer was not seen: the page may have them, under other ids.
   * Missing in drafts that an older editor stored.
   */
  sent?: readonly Link[];
  /** Unix milliseconds of the last change. */
  at: number;
}

export class LocalDrafts {
  readonly #storage: () => Storage;
  readonly #prefix: string;
  readonly #own: string;
  readonly #now: () => number;

  /** @param storage throws where the browser's settings forbid it */
  constructor(
    storage: () => Storage,
    which: { user_id: string; page_id: string; tab: string },
    now: () => number = Date.now,
  ) {
    this.#storage = storage;
    this.#now = now;
    this.#prefix = `${PREFIX}:${which.user_id}:${which.page_id}:`;
    this.#own = this.#prefix + which.tab;
  }

  /** Returns whether the browser stored it: its storage may be full or switched off. */
  write(draft: LocalDraft): boolean {
    try {
      this.#storage().setItem(this.#own, JSON.stringify(draft));
      return true;
    } catch {
      return false;
    }
  }

  clear(): void {
    try {
      this.#storage().removeItem(this.#own);
    } catch {
      // A storage that is switched off has no draft.
    }
  }

  /** The tabs that left a draft: this one first, where it was reloaded, then the one with the newest. */
  tabs(): string[] {
    try {
      const storage = this.#storage();
      this.#deleteOld(storage);
      const keys = Array.from({ length: storage.length }, (_, i) => storage.key(i) ?? "");
      return keys
        .filter((key) => key.startsWith(this.#prefix))
        .map((key) => ({ key, at: parse(storage.getItem(key))?.at ?? 0 }))
        .sort((a, b) => Number(b.key === this.#own) - Number(a.key === this.#own) || b.at - a.at)
        .map(({ key }) => key.slice(this.#prefix.length));
    } catch {
      return [];
    }
  }

  /** Null where the tab has none, or no more: it was saved, or another editor has taken it up. */
  read(tab: string): LocalDraft | null {
    try {
      return parse(this.#storage().getItem(this.#prefix + tab));
    } catch {
      return null;
    }
  }

  /** Of every user and page: a shared device would keep them for ever. */
  #deleteOld(storage: Storage): void {
    const keys = Array.from({ length: storage.length }, (_, i) => storage.key(i) ?? "");
    for (const key of keys.filter((each) => each.startsWith(`${PREFIX}:`))) {
      const draft = parse(storage.getItem(key));
      if (draft === null || draft.at < this.#now() - KEPT_MS) storage.removeItem(key);
    }
  }

  /** Deletes what a closed tab left, when the editor has it. This tab's own goes with {@link clear}. */
  forget(tab: string): void {
    const key = this.#prefix + tab;
    if (key === this.#own) return;
    try {
      this.#storage().removeItem(key);
    } catch {
      // See clear().
    }
  }
}

function parse(text: string | null): LocalDraft | null {
  if (text === null) return null;
  try {
    const draft = JSON.parse(text) as Partial<LocalDraft> | null;
    const isWhole = draft?.base?.links !== undefined && draft.draft?.links !== undefined;
    return isWhole ? (draft as LocalDraft) : null;
  } catch {
    return null;
  }
}

/** The same in every load of one tab; a tab that was duplicated gets another one. */
export function tabId(storage: () => Storage): string {
  const key = "sila-tab";
  const navigation = performance.getEntriesByType("navigation")[0] as
    | PerformanceNavigationTiming
    | undefined;
  try {
    const known = navigation?.type === "reload" ? storage().getItem(key) : null;
    const tab = known ?? crypto.randomUUID();
    storage().setItem(key, tab);
    return tab;
  } catch {
    return crypto.randomUUID();
  }
}
