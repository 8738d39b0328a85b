/**
 * One creator's work on one page: the draft on the screen, what is saved of it, and how it gets there.
 *
 * A change is stored in the browser at once and sent a second after the last change, with the version
 * that it is based on. Whatever fails (no network, an ended session, another tab that was first, a
 * field that is refused), the draft stays on the screen and in the browser's storage, and the state
 * says what is going on.
 */
import type { Answer, Api, Issue, Refusal } from "./api.ts";
import { type Draft, draftOf, isSame, isUnsaved, type Link, type SavedPage } from "./draft.ts";
import type { LocalDraft, LocalDrafts } from "./local-drafts.ts";
import { arrivedLinks, asTyped, type Conflict, merge, resolved } from "./merge.ts";
import { bodyOf, cleaned, hasProblem, type Reason, type Wire, wireOf } from "./wire.ts";

/** From the last change to its save. */
export const SAVE_AFTER_MS = 1_000;
/** Shortest time between two saves: a sender has 60 requests in a minute, for everything. */
export const SAVE_EVERY_MS = 2_000;
/** Pauses before a save that got no answer is repeated; the last one again and again. */
export const RETRY_PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000] as const;
/** Steps that can be undone. */
const UNDO_MAX = 100;
/** Drafts that were sent and got no answer. They are remembered to know one's own save from another's. */
const UNANSWERED_MAX = 20;
/** New links that were sent and are not known to be saved; twice as many as a page has. */
const SENT_LINKS_MAX = 400;

export type Saving =
  | { kind: "saved" }
  /** Changed; it is sent within a second or two. */
  | { kind: "waiting" }
  | { kind: "sending" }
  /** No answer, or the service is busy; it is sent again. */
  | { kind: "retrying"; is_offline: boolean }
  | { kind: "signed_out" }
  /** Somebody else is signed in, in this browser. */
  | { kind: "other_user" }
  | { kind: "conflict"; conflicts: readonly Conflict[]; theirs: SavedPage }
  /** Sent again after the next change. */
  | { kind: "refused"; message: string; issues: readonly Issue[] }
  /** Deleted or suspended. */
  | { kind: "gone"; message: string };

export interface EditingState {
  draft: Draft;
  saved: SavedPage;
  saving: Saving;
  /** Fields that are not sent as they are. */
  withheld: ReadonlyMap<string, Reason>;
  /** Unix milliseconds of the last save of this visit; null before it. */
  saved_at: number | null;
  can_undo: boolean;
  can_redo: boolean;
}

export interface Ports {
  api: Pick<Api, "call" | "who">;
  drafts: Pick<LocalDrafts, "write" | "clear">;
  user_id: string;
  now: () => number;
  after: (ms: number, work: () => void) => () => void;
  is_online: () => boolean;
}

type PageAnswer = { page: SavedPage };

export class Editing {
  readonly #ports: Ports;
  readonly #listeners = new Set<() => void>();
  /** The ids that new links of this visit had before they were saved: rows keep their place by them. */
  readonly #first_ids = new Map<string, string>();
  #state: EditingState;
  /** What was sent and is saved. Compared with, because the service may spell an answer differently. */
  #settled: Draft;
  #past: Draft[] = [];
  #future: Draft[] = [];
  /** Joins the edits of one field to one step of undoing. */
  #step: string | null = null;
  #cancel_timer: (() => void) | null = null;
  #tries = 0;
  #last_sent_at = Number.NEGATIVE_INFINITY;
  /** Drafts that were sent and got no answer: each may be saved all the same. */
  #unanswered: Draft[] = [];
  /** New links as they were sent since the last known save, of this tab and of those that it restored. */
  #sent_links: readonly Link[] = [];
  /** The links whose addresses are being typed. */
  readonly #typed = new Set<string>();

  constructor(saved: SavedPage, ports: Ports) {
    this.#ports = ports;
    this.#settled = wireOf(draftOf(saved), draftOf(saved)).draft;
    this.#state = {
      draft: draftOf(saved),
      saved,
      saving: { kind: "saved" },
      withheld: new Map(),
      saved_at: null,
      can_undo: false,
      can_redo: false,
    };
  }

  get state(): EditingState {
    return this.#state;
  }

  get api(): Ports["api"] {
    return this.#ports.api;
  }

  /** Calls `listener` after each change of the state. Returns what ends that. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Whether leaving the page now would leave something unsaved. An empty field is not something. */
  get has_unsaved(): boolean {
    const { saving, withheld } = this.#state;
    if (saving.kind === "sending" || this.#is_changed || hasProblem(withheld)) return true;
    const { draft, saved } = this.#state;
    return this.#typed.size > 0 && !isSame(wireOf(draft, draftOf(saved)).draft, this.#settled);
  }

  /** Sends now what waits: a phone may end a tab that is left, before the second is over. */
  flush(): void {
    this.#typed.clear();
    this.#show(this.#state.draft);
    if (this.#state.saving.kind === "waiting") void this.#send();
  }

  get #is_changed(): boolean {
    return !isSame(this.#wire.draft, this.#settled);
  }

  get #wire(): Wire {
    const { draft, saved } = this.#state;
    return wireOf(draft, draftOf(saved), this.#typed);
  }

  /**
   * Says whether the creator is typing the address of a link. On the way it may be an address already,
   * `https://example.co`, and visitors must not get that one: it is saved when the creator leaves the
   * field. The preview and the browser's storage have it at once.
   */
  setTyping(link_id: string, is_typing: boolean): void {
    if (is_typing) this.#typed.add(link_id);
    else if (this.#typed.delete(link_id)) this.#show(this.#state.draft);
  }

  /**
   * Changes the draft.
   *
   * @param step edits in a row with the same name are one step of undoing: the typing in one field
   */
  edit(change: (draft: Draft) => Draft, step: string | null = null): void {
    const draft = change(this.#state.draft);
    if (draft === this.#state.draft) return;
    if (step === null || step !== this.#step) {
      this.#past = [...this.#past, this.#state.draft].slice(-UNDO_MAX);
    }
    this.#step = step;
    this.#future = [];
    this.#show(draft);
  }

  undo(): void {
    this.#travel(this.#past, this.#future);
  }

  redo(): void {
    this.#travel(this.#future, this.#past);
  }

  #travel(from: Draft[], to: Draft[]): void {
    const draft = from.pop();
    if (draft === undefined) return;
    to.push(this.#state.draft);
    this.#step = null;
    this.#show(this.#withLastingIds(draft));
  }

  /** Drafts of the past may name links by the ids that they had before they were saved. */
  #withLastingIds(draft: Draft): Draft {
    return renamed(draft, new Map([...this.#first_ids].map(([id, first]) => [first, id])));
  }

  /** The same for one row as long as the editor is open, although a save gives the link its id. */
  rowKey(link_id: string): string {
    return this.#first_ids.get(link_id) ?? link_id;
  }

  /**
   * Puts what a closed tab left unsaved into the draft, as one step that can be undone. What is unsaved
   * here already stays, too.
   *
   * @returns `saved` where the tab's save has arrived after all; `later` while the creator has another
   *   conflict to decide: then what the tab left must be kept
   */
  restore({ base, draft, sent = [] }: LocalDraft): "restored" | "saved" | "later" {
    const { saved, draft: here, saving } = this.#state;
    if (saving.kind === "conflict") return "later";
    const clean = cleaned(here);
    const before = draftOf(base);
    this.#noteSent(sent);
    const { ids, own } = arrivedLinks(sent, before, draftOf(saved));
    const { draft: merged, conflicts } = merge(before, cleaned(renamed(draft, ids)), clean, own);
    if (isSame(merged, clean)) {
      // Deletes the stored draft of this tab.
      this.#show(here);
      return "saved";
    }
    this.edit(() => asTyped(merged, clean, here));
    if (conflicts.length > 0) this.#conflict(conflicts, saved);
    return "restored";
  }

  /** Sends now what is not saved: after an ended session, or because the creator asks for it. */
  async retry(): Promise<void> {
    const { kind } = this.#state.saving;
    if (kind === "signed_out" || kind === "other_user") {
      const who = await this.#ports.api.who();
      if (who === null) return;
      if (who.user_id !== this.#ports.user_id) {
        this.#set({ saving: { kind: "other_user" } });
        return;
      }
    }
    // A page that is gone may be back: its deletion can be undone.
    if (kind === "conflict" || kind === "sending") return;
    await this.#send();
  }

  /** Applies the creator's choice for every conflict, and saves. */
  resolve(theirs: ReadonlySet<Conflict>): void {
    const { saving } = this.#state;
    if (saving.kind !== "conflict") return;
    const draft = [...theirs].reduce(
      (chosen, conflict) => resolved(chosen, conflict, conflict.theirs),
      this.#state.draft,
    );
    this.#rebase(draftOf(saving.theirs), this.#arrived(draftOf(saving.theirs)).own);
    this.#past = [...this.#past, this.#state.draft].slice(-UNDO_MAX);
    this.#step = null;
    this.#settle(saving.theirs);
    this.#set({ saving: { kind: "waiting" } });
    this.#show(draft);
  }

  /**
   * The page as somebody else has just saved it: another tab, a restored revision, an import. What is
   * not saved here is merged into it.
   */
  adopt(page: SavedPage): void {
    const { saved } = this.#state;
    if (page.version <= saved.version) return;
    const [base, theirs] = [draftOf(saved), draftOf(page)];
    const { ids, own } = this.#arrived(theirs);
    for (const [first, id] of ids) this.#first_ids.set(id, first);
    const draft = renamed(this.#state.draft, ids);
    const clean = cleaned(draft);
    const { draft: merged, conflicts } = merge(base, clean, theirs, own);
    const shown = asTyped(merged, clean, draft);
    if (conflicts.length > 0) {
      this.#set({ draft: shown });
      this.#conflict(conflicts, page);
      return;
    }
    this.#rebase(theirs, own);
    this.#settle(page);
    this.#show(shown);
  }

  #noteSent(links: readonly Link[]): void {
    const isNoted = (link: Link) =>
      this.#sent_links.some((each) => each.link_id === link.link_id && isSame(each, link));
    const news = links.filter((link) => !isNoted(link));
    this.#sent_links = [...this.#sent_links, ...news].slice(-SENT_LINKS_MAX);
  }

  /** Which of the links that were sent are in a version of the page that this tab meets now. */
  #arrived(page: Draft) {
    return arrivedLinks(this.#sent_links, draftOf(this.#state.saved), page);
  }

  /** Puts what was saved elsewhere into the steps of undoing: an undo must not undo it. */
  #rebase(theirs: Draft, own: readonly Link[]): void {
    const base = draftOf(this.#state.saved);
    const rebased = (mine: Draft) =>
      merge(base, this.#withLastingIds(cleaned(mine)), theirs, own).draft;
    this.#past = this.#past.map(rebased);
    this.#future = this.#future.map(rebased);
  }

  /** Looks whether the page was saved elsewhere: a tab that comes to the front may be hours old. */
  async refresh(): Promise<void> {
    if (this.#state.saving.kind !== "saved") return;
    const answer = await this.#ports.api.call<PageAnswer>(this.#path);
    if (answer.ok && this.#state.saving.kind === "saved") this.adopt(answer.body.page);
  }

  get #path(): string {
    return `/api/me/pages/${this.#state.saved.page_id}`;
  }

  #settle(page: SavedPage): void {
    this.#unanswered = [];
    this.#sent_links = [];
    this.#settled = wireOf(draftOf(page), draftOf(page)).draft;
    this.#set({ saved: page });
  }

  #show(draft: Draft): void {
    const { saved } = this.#state;
    const { withheld } = wireOf(draft, draftOf(saved), this.#typed);
    this.#set({ draft, withheld });
    if (this.#is_changed || withheld.size > 0 || this.#typed.size > 0) {
      this.#ports.drafts.write(this.#local);
    } else {
      this.#ports.drafts.clear();
    }
    const { kind } = this.#state.saving;
    if (kind !== "saved" && kind !== "waiting" && kind !== "refused") return;
    if (this.#is_changed) {
      this.#set({ saving: { kind: "waiting" } });
      this.#schedule(this.#pause());
    } else {
      this.#stopTimer();
      this.#set({ saving: { kind: "saved" } });
    }
  }

  get #local(): LocalDraft {
    const { saved, draft } = this.#state;
    return { base: saved, draft, sent: this.#sent_links, at: this.#ports.now() };
  }

  #pause(): number {
    const since = this.#ports.now() - this.#last_sent_at;
    return Math.max(SAVE_AFTER_MS, SAVE_EVERY_MS - since);
  }

  #stopTimer(): void {
    this.#cancel_timer?.();
    this.#cancel_timer = null;
  }

  #schedule(ms: number): void {
    this.#stopTimer();
    this.#cancel_timer = this.#ports.after(ms, () => {
      this.#cancel_timer = null;
      void this.#send();
    });
  }

  async #send(): Promise<void> {
    if (this.#state.saving.kind === "sending") return;
    this.#stopTimer();
    if (!this.#is_changed) {
      this.#set({ saving: { kind: "saved" } });
      return;
    }
    const { saved } = this.#state;
    const sent = this.#wire.draft;
    this.#noteSent(sent.links.filter(({ link_id }) => isUnsaved(link_id)));
    this.#set({ saving: { kind: "sending" } });
    this.#last_sent_at = this.#ports.now();
    const answer = await this.#ports.api.call<PageAnswer>(this.#path, {
      method: "PUT",
      json: bodyOf(sent),
      headers: { "If-Match": `"v${saved.version}"` },
    });
    this.#answered(answer, sent);
  }

  #answered(answer: Answer<PageAnswer>, sent: Draft): void {
    if (answer.ok) {
      this.#wasSaved(answer.body.page, sent);
      return;
    }
    const { status, code, message, issues, details } = answer;
    const { page } = answer.details as { page?: SavedPage };
    if (status === 0 || status >= 500)
      this.#unanswered = [...this.#unanswered, sent].slice(-UNANSWERED_MAX);
    if (code === "VERSION_CONFLICT" && page !== undefined) this.#wasChanged(page);
    else if (code === "OTHER_USER") this.#set({ saving: { kind: "other_user" } });
    else if (status === 401) this.#set({ saving: { kind: "signed_out" } });
    else if (status === 404 || status === 410) {
      const { takedown_reason: why } = details;
      const told = typeof why === "string" ? `${message} ${why}` : message;
      this.#set({ saving: { kind: "gone", message: told } });
    } else if (status === 0 || status === 429 || status >= 500) this.#again(answer);
    else this.#set({ saving: { kind: "refused", message, issues } });
  }

  /** The creator may have gone on since the draft was sent: what is on the screen stays as it is typed. */
  #wasSaved(page: SavedPage, sent: Draft): void {
    this.#tries = 0;
    this.#unanswered = [];
    this.#sent_links = [];
    const lasting = new Map<string, string>();
    for (const [i, { link_id }] of sent.links.entries()) {
      const saved = page.links[i]?.link_id;
      if (saved === undefined || !isUnsaved(link_id)) continue;
      lasting.set(link_id, saved);
      this.#first_ids.set(saved, link_id);
    }
    this.#settled = renamed(sent, lasting);
    this.#set({ saved: page, saved_at: this.#ports.now(), saving: { kind: "saved" } });
    this.#show(renamed(this.#state.draft, lasting));
  }

  /** Somebody else was first, or an earlier save of this tab whose answer was lost. */
  #wasChanged(page: SavedPage): void {
    const own = this.#unanswered.find((sent) => isSaveOf(page, sent));
    if (own !== undefined) {
      this.#wasSaved(page, own);
      return;
    }
    this.#set({ saving: { kind: "waiting" } });
    this.adopt(page);
    if (this.#state.saving.kind === "waiting") this.#schedule(this.#pause());
  }

  #conflict(conflicts: readonly Conflict[], theirs: SavedPage): void {
    this.#stopTimer();
    this.#set({ saving: { kind: "conflict", conflicts, theirs } });
    this.#ports.drafts.write(this.#local);
  }

  #again({ status, retry_after_s }: Refusal): void {
    const pause = RETRY_PAUSES_MS[Math.min(this.#tries, RETRY_PAUSES_MS.length - 1)] ?? 0;
    this.#tries += 1;
    const is_offline = status === 0 && !this.#ports.is_online();
    this.#set({ saving: { kind: "retrying", is_offline } });
    this.#schedule(Math.max(pause, (retry_after_s ?? 0) * 1_000));
  }

  #set(members: Partial<EditingState>): void {
    this.#state = {
      ...this.#state,
      ...members,
      can_undo: this.#past.length > 0,
      can_redo: this.#future.length > 0,
    };
    for (const listener of this.#listeners) listener();
  }
}

/** Whether a save of this draft made the page as it is. New links have got their ids. */
function isSaveOf(page: SavedPage, sent: Draft): boolean {
  const { links, ...fields } = draftOf(page);
  const { links: sent_links, ...sent_fields } = sent;
  return (
    isSame(fields, sent_fields) &&
    links.length === sent_links.length &&
    sent_links.every((link, i) => {
      const saved = links[i];
      return (
        saved !== undefined &&
        isSame(isUnsaved(link.link_id) ? { ...link, link_id: saved.link_id } : link, saved)
      );
    })
  );
}

function renamed(draft: Draft, ids: ReadonlyMap<string, string>): Draft {
  if (ids.size === 0) return draft;
  const links = draft.links.map((link) => {
    const link_id = ids.get(link.link_id);
    return link_id === undefined ? link : { ...link, link_id };
  });
  return { ...draft, links };
}
