/**
 * Takes up the drafts that other tabs of this page left unsaved. Each tab holds a lock (Web Locks) while it is
 * open, and its draft is taken up under that lock alone: never from an open tab, and by one editor.
 */
import type { Editing } from "./editing.ts";
import type { LocalDraft, LocalDrafts } from "./local-drafts.ts";

/** A tab that is reloaded has its lock again within this time. */
export const RELOAD_MS = 5_000;

type Locks = Pick<LockManager, "request">;

export interface TakeUp {
  editing: Pick<Editing, "state" | "restore" | "refresh">;
  drafts: Pick<LocalDrafts, "tabs" | "read" | "forget">;
  tab: string;
  /** Missing in old browsers: then each tab counts as closed. */
  locks: Locks | undefined;
  pause: (ms: number) => Promise<unknown>;
  onRestored: (draft: LocalDraft) => void;
}

/** This tab's draft from before it was reloaded comes first, then those of closed tabs, the newest first. */
export function takeUpDrafts(ports: TakeUp): void {
  const { editing, drafts, tab, locks } = ports;
  const others = drafts.tabs().filter((other) => other !== tab);
  if (locks === undefined) {
    for (const each of [tab, ...others]) restore(ports, each);
    return;
  }
  const nameOf = (of: string) => `sila-editor:${editing.state.saved.page_id}:${of}`;
  void locks.request(nameOf(tab), () => {
    restore(ports, tab);
    // Held until the tab is closed.
    return new Promise(() => {});
  });
  for (const other of others) void whenClosed(ports, locks, nameOf(other), other);
}

function restore({ editing, drafts, onRestored }: TakeUp, tab: string): void {
  const draft = drafts.read(tab);
  if (draft === null) return;
  const outcome = editing.restore(draft);
  if (outcome === "later") return;
  drafts.forget(tab);
  if (outcome === "restored") onRestored(draft);
}

/** A tab that was closed a moment ago releases its lock a little later; one that is open, when it is closed. */
async function whenClosed(ports: TakeUp, locks: Locks, name: string, tab: string): Promise<void> {
  const isClosed = () =>
    locks.request(name, { ifAvailable: true }, (lock) => {
      if (lock !== null) restore(ports, tab);
      return lock !== null;
    });
  while (!(await isClosed())) {
    await locks.request(name, () => {});
    await ports.pause(RELOAD_MS);
    // The draft may be based on a save of its tab that is not known here.
    await ports.editing.refresh();
  }
}
