/**
 * Takes up the drafts that other tabs of this page left unsaved. Each tab holds a lock (Web Locks)
 * while it is open, and its draft is taken up under that lock alone: never from an open tab, and by
 * one editor.
 */
import type { Editing } from "./editing.ts";
import type { LocalDraft, LocalDrafts } from "./local-drafts.ts";

/** A tab that is reloaded has its lock again within this time. */
export const RELOAD_MS = 5_000;

type Locks = Pick<LockManager, "request" | "query">;

export interface TakeUp {
  editing: Pick<Editing, "state" | "draftWasRead" | "restore" | "refresh" | "subscribe">;
  drafts: Pick<LocalDrafts, "tabs" | "read" | "forget" | "begin" | "stored">;
  tab: string;
  /** This tab handed it over when it was left; it is newer than what the tab stored. */
  own: LocalDraft | null;
  /** Old browsers and http have none: then each tab counts as closed. */
  locks: Locks | undefined;
  /** Each editor of this page says here which tab it is when it is opened. */
  channel: Pick<BroadcastChannel, "onmessage" | "postMessage">;
  pause: (ms: number) => Promise<unknown>;
  onRestored: (draft: LocalDraft) => void;
}

/**
 * This tab's draft from before it was reloaded comes first, then those of closed tabs, and those of
 * open ones when they are closed, whether they were opened before this tab or later.
 */
export async function takeUpDrafts(ports: TakeUp): Promise<void> {
  const { editing, drafts, tab, locks, channel } = ports;
  if (locks === undefined) {
    await restoreOwn(ports);
    for (const each of await drafts.tabs()) if (each !== tab) await restore(ports, each);
    return;
  }
  const nameOf = (of: string) => `sila-editor:${editing.state.saved.page_id}:${of}`;
  void locks.request(nameOf(tab), async () => {
    await restoreOwn(ports);
    // Held until the tab is closed.
    return new Promise(() => {});
  });
  const awaited = new Set([tab]);
  const takeUp = async (other: string) => {
    if (awaited.has(other)) return;
    awaited.add(other);
    await whenClosed(ports, locks, nameOf(other), other);
    awaited.delete(other);
  };
  channel.onmessage = ({ data }) => void takeUp(String(data));
  channel.postMessage(tab);
  const { held = [] } = await locks.query();
  const open = held.map(({ name = "" }) => name).filter((name) => name.startsWith(nameOf("")));
  for (const name of open) void takeUp(name.slice(nameOf("").length));
  for (const other of await drafts.tabs()) void takeUp(other);
}

async function restoreOwn(ports: TakeUp): Promise<void> {
  await restore(ports, ports.tab);
  ports.editing.draftWasRead();
  ports.drafts.begin();
}

async function restore(ports: TakeUp, tab: string): Promise<void> {
  const { editing, drafts, onRestored } = ports;
  const draft = (tab === ports.tab ? ports.own : null) ?? (await drafts.read(tab));
  if (draft === null) return;
  let outcome = editing.restore(draft);
  while (outcome === "later") {
    await decided(editing);
    outcome = editing.restore(draft);
  }
  if (outcome === "restored") onRestored(draft);
  // Until this tab has stored it, a browser that is killed has it in the other's draft alone.
  if (tab !== ports.tab && (await drafts.stored())) await drafts.forget(tab);
}

/** Resolves when the creator has no conflict to decide. */
function decided(editing: TakeUp["editing"]): Promise<void> {
  return new Promise((resolve) => {
    const stop = editing.subscribe(() => {
      if (editing.state.saving.kind === "conflict") return;
      stop();
      resolve();
    });
  });
}

/** A closed tab releases its lock a little later, an open one when it is closed. */
async function whenClosed(ports: TakeUp, locks: Locks, name: string, tab: string): Promise<void> {
  const isClosed = () =>
    locks.request(name, { ifAvailable: true }, async (lock) => {
      if (lock !== null) await restore(ports, tab);
      return lock !== null;
    });
  while (!(await isClosed())) {
    await locks.request(name, () => {});
    await ports.pause(RELOAD_MS);
    // The draft may be based on a save of its tab that is not known here.
    await ports.editing.refresh();
  }
}
