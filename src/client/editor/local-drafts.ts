/**
 * Unsaved drafts in the browser's database: they survive a closed tab, a crash, a browser that is
 * killed, and a session that ended. One entry for each tab, because two tabs may edit one page. An
 * entry belongs to the user who typed it, and is deleted when its draft is saved.
 */
import { type DBSchema, type IDBPDatabase, type IDBPObjectStore, openDB } from "idb";
import type { Draft, SavedPage } from "./draft.ts";
import { moveOldDrafts } from "./old-drafts.ts";

const DATABASE = "sila-editor";
/** A draft that nobody came back to is deleted thirty days after its last change. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;

export interface LocalDraft {
  /** The base of a merge: the page when the draft was begun. */
  base: SavedPage;
  draft: Draft;
  /** Drafts that were sent and are not known to be saved: the page may have any of them. */
  unanswered: readonly Draft[];
  /** Unix milliseconds of the last change. */
  at: number;
}

type Key = [user_id: string, page_id: string, tab: string];
interface Stores extends DBSchema {
  drafts: { key: Key; value: LocalDraft };
}
type Database = IDBPDatabase<Stores>;
type Drafts = IDBPObjectStore<Stores, ["drafts"], "drafts", "readwrite">;

export class LocalDrafts {
  readonly #which: { user_id: string; page_id: string; tab: string };
  readonly #now: () => number;
  #opening: Promise<Database> | null = null;
  readonly #begun: Promise<void>;
  /** Lets this tab write: its draft from before a reload has been read by then. */
  readonly begin: () => void;
  /** Stored next; null: nothing any more; undefined: it is being stored. */
  #next: LocalDraft | null | undefined;
  #storing: Promise<boolean> | null = null;

  constructor(
    which: { user_id: string; page_id: string; tab: string },
    now: () => number = Date.now,
  ) {
    this.#which = which;
    this.#now = now;
    let begin = () => {};
    this.#begun = new Promise((resolve) => {
      begin = resolve;
    });
    this.begin = begin;
  }

  /**
   * Stores this tab's draft, as soon as the one before is stored. Resolves when the last one that
   * was written is on the disk, to false where it is not: the browser's storage may be full or
   * switched off.
   */
  write(draft: LocalDraft): Promise<boolean> {
    this.#next = draft;
    this.#storing ??= this.#store();
    return this.#storing;
  }

  async stored(): Promise<boolean> {
    return (await this.#storing) ?? true;
  }

  clear(): void {
    this.#next = null;
    this.#storing ??= this.#store();
  }

  /** Stores at once what waits: a tab that is left may not come back. */
  flush(): void {
    if (this.#next !== undefined) void this.#storeNext();
  }

  async #store(): Promise<boolean> {
    await this.#begun;
    let is_stored = true;
    while (this.#next !== undefined) is_stored = await this.#storeNext();
    this.#storing = null;
    return is_stored;
  }

  async #storeNext(): Promise<boolean> {
    const draft = this.#next;
    this.#next = undefined;
    const { tab } = this.#which;
    try {
      if (draft) await this.#change((drafts) => drafts.put(draft, this.#key(tab)));
      else await this.#change((drafts) => drafts.delete(this.#key(tab)));
      return true;
    } catch {
      return false;
    }
  }

  async tabs(): Promise<string[]> {
    try {
      const database = await this.#open();
      const [keys, drafts] = await Promise.all([
        database.getAllKeys("drafts"),
        database.getAll("drafts"),
      ]);
      const { user_id, page_id } = this.#which;
      const oldest = this.#now() - KEPT_MS;
      const all = keys.map((key, i) => ({ key, at: drafts[i]?.at ?? 0 }));
      // Drafts of every user and page: a shared device would keep them for ever.
      const old = all.filter(({ at }) => at < oldest);
      await Promise.all(old.map(({ key }) => database.delete("drafts", key)));
      return all
        .filter(({ key, at }) => at >= oldest && key[0] === user_id && key[1] === page_id)
        .sort((a, b) => b.at - a.at)
        .map(({ key }) => key[2]);
    } catch {
      return [];
    }
  }

  /** Null where the tab has none, or no more: it was saved, or another editor has taken it up. */
  async read(tab: string): Promise<LocalDraft | null> {
    try {
      return (await (await this.#open()).get("drafts", this.#key(tab))) ?? null;
    } catch {
      return null;
    }
  }

  async forget(tab: string): Promise<void> {
    await this.#change((drafts) => drafts.delete(this.#key(tab))).catch(() => {});
  }

  #key(tab: string): Key {
    return [this.#which.user_id, this.#which.page_id, tab];
  }

  async #change(change: (drafts: Drafts) => Promise<unknown>): Promise<void> {
    await changeDrafts(await this.#open(), change);
  }

  async #open(): Promise<Database> {
    const forget = () => {
      this.#opening = null;
    };
    this.#opening ??= open(forget);
    try {
      return await this.#opening;
    } catch (error) {
      forget();
      throw error;
    }
  }
}

async function open(terminated: () => void): Promise<Database> {
  const database = await openDB<Stores>(DATABASE, 1, {
    upgrade: (made) => void made.createObjectStore("drafts"),
    terminated,
  });
  const put = (key: Key, draft: Omit<LocalDraft, "unanswered">) =>
    changeDrafts(database, (drafts) => drafts.put({ ...draft, unanswered: [] }, key));
  // Storage may be forbidden, or hold something else under our name.
  await moveOldDrafts(put).catch(() => {});
  return database;
}

/** Resolves when the change is on the disk: a browser that is killed has it at its next start. */
async function changeDrafts(
  database: Database,
  change: (drafts: Drafts) => Promise<unknown>,
): Promise<void> {
  const transaction = database.transaction("drafts", "readwrite", { durability: "strict" });
  const changing = change(transaction.store);
  // Otherwise the browser waits for this script before it begins.
  transaction.commit();
  await Promise.all([changing, transaction.done]);
}

/** Stays the same in every load of one tab; a tab that was duplicated gets another one. */
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
