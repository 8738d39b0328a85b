/**
 * One creator's work on one page: the draft on the screen, what is saved of it, and how it gets
 * there.
 *
 * A change is stored in the browser at once and sent a second after the last change, with the
 * version that it is based on. Whatever fails (no network, an ended session, another tab that was
 * first, a field that is refused, a browser that stores nothing), the draft stays on the screen,
 * and the state says what is going on.
 */
import type { Locale } from "../../views/locale.ts";
import { type Answer, type Api, type Issue, NO_ANSWER, type Refusal } from "../api.ts";
import { type Draft, draftOf, isSame, isUnsaved, type SavedPage, withIds } from "./draft.ts";
import { languagesOf } from "./languages.ts";
import type { LocalDraft, LocalDrafts } from "./local-drafts.ts";
import { arrived, asTyped, type Conflict, merge, resolved } from "./merge.ts";
import { bodyOf, cleaned, type Reason, type Wire, wireOf } from "./wire.ts";

/** A save waits for a pause in typing: each makes a version of the page. */
export const SAVE_AFTER_MS = 1_000;
/** A sender has 60 requests in a minute, for everything. */
export const SAVE_EVERY_MS = 2_000;
/** A save that got no answer is repeated after these, the last one again and again. */
export const RETRY_PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000] as const;
const UNDO_MAX = 100;
/** Drafts that were sent and are not known to be saved: those of an hour, at the longest pause. */
const UNANSWERED_MAX = 120;
/** A change that the browser has not stored by then is said to be not kept. */
export const KEPT_WITHIN_MS = 2_000;

export type Saving =
  | { kind: "saved" }
  | { kind: "waiting" }
  | { kind: "sending" }
  /** Sent again, because there was no answer or the service is busy. */
  | { kind: "retrying"; is_offline: boolean }
  | { kind: "signed_out" }
  | { kind: "other_user" }
  | { kind: "conflict"; conflicts: readonly Conflict[]; theirs: SavedPage }
  /** Sent again after the next change. */
  | { kind: "refused"; message: string; issues: readonly Issue[] }
  /** The page was deleted or suspended. */
  | { kind: "gone"; message: string };

/** The browser has the draft on its disk, as it stands on the screen. */
export type Kept = "keeping" | "kept" | "not_kept";

export interface EditingState {
  draft: Draft;
  /** The fields are in these: those of visitors first, then one that is being prepared. */
  languages: readonly Locale[];
  saved: SavedPage;
  saving: Saving;
  /** It is not known yet whether this tab left something unsaved before it was reloaded. */
  is_opening: boolean;
  kept: Kept;
  /** Other values are sent for these fields. */
  withheld: ReadonlyMap<string, Reason>;
  /** Unix milliseconds; null before the first save of this visit. */
  saved_at: number | null;
  can_undo: boolean;
  can_redo: boolean;
}

export interface Ports {
  api: Pick<Api, "call" | "who">;
  drafts: Pick<LocalDrafts, "write" | "clear" | "flush">;
  user_id: string;
  now: () => number;
  after: (ms: number, work: () => void) => () => void;
  is_online: () => boolean;
  report: (error: unknown) => void;
}

type PageAnswer = { page: SavedPage };

export class Editing {
  readonly #ports: Ports;
  readonly #listeners = new Set<() => void>();
  /** New links had these ids before they were saved: rows keep their place by them. */
  readonly #first_ids = new Map<string, string>();
  #state: EditingState;
  /** Sent and saved; comparisons use it, because the service may spell an answer differently. */
  #settled: Draft;
  #past: Draft[] = [];
  #future: Draft[] = [];
  /** Joins the edits of one field to one step of undoing. */
  #step: string | null = null;
  #cancel_timer: (() => void) | null = null;
  #tries = 0;
  #last_sent_at = Number.NEGATIVE_INFINITY;
  /**
   * Drafts that were sent for this version, by this tab and by those that it restored, and that the
   * service has not refused. Each may be saved, also later: what is found of them elsewhere is
   * one's own change. Only a newer version keeps them out.
   */
  #unanswered: readonly Draft[] = [];
  #cancel_keeping: (() => void) | null = null;
  readonly #typed = new Set<string>();

  constructor(saved: SavedPage, ports: Ports) {
    this.#ports = ports;
    this.#settled = wireOf(draftOf(saved), draftOf(saved)).draft;
    this.#state = {
      draft: draftOf(saved),
      languages: languagesOf(draftOf(saved)),
      saved,
      saving: { kind: "saved" },
      is_opening: true,
      kept: "kept",
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

  /** This tab's draft from before a reload has been read: from now on "saved" is true. */
  draftWasRead(): void {
    this.#set({ is_opening: false });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Leaving the page now would lose something. An empty field is not something. */
  get has_unsaved(): boolean {
    const { saving, withheld } = this.#state;
    const is_withheld = [...withheld.values()].some((reason) => reason !== "empty");
    return saving.kind === "sending" || this.#is_unsaved || is_withheld;
  }

  get unsaved(): LocalDraft | null {
    return this.#is_kept ? this.#local : null;
  }

  /** Sends now what waits: a phone may end a tab that is left, before the second is over. */
  flush(): void {
    this.#typed.clear();
    this.#show(this.#state.draft);
    this.#ports.drafts.flush();
    if (this.#state.saving.kind === "waiting") void this.#send();
  }

  /** Also true if the draft is the saved page again: what was sent between may have arrived. */
  get #is_unsaved(): boolean {
    return this.#is_changed || this.#unanswered.length > 0;
  }

  get #is_changed(): boolean {
    return !isSame(this.#wire.draft, this.#settled);
  }

  /** Also true where a field is not sent yet, or not as it is. */
  get #is_kept(): boolean {
    return this.#is_unsaved || this.#state.withheld.size > 0 || this.#typed.size > 0;
  }

  get #local(): LocalDraft {
    const { saved: base, draft } = this.#state;
    return { base, draft, unanswered: this.#unanswered, at: this.#ports.now() };
  }

  get #wire(): Wire {
    const { draft, saved } = this.#state;
    return wireOf(draft, draftOf(saved), this.#typed);
  }

  /**
   * The address of a link is being typed. On the way it may be an address already,
   * `https://example.co`, and visitors must not get that one: it is saved when the creator leaves
   * the field. The preview and the browser's storage have it at once.
   */
  setTyping(link_id: string, is_typing: boolean): void {
    if (is_typing) this.#typed.add(link_id);
    else if (this.#typed.delete(link_id)) this.#show(this.#state.draft);
  }

  /** @param step joins edits in a row with the same name to one step: the typing in one field */
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

  /** Offers fields in a language that visitors do not find. Its first text makes that last. */
  prepare(locale: Locale): void {
    this.#set({ languages: languagesOf(this.#state.draft, [...this.#state.languages, locale]) });
  }

  /** Ends that where no text is left. */
  unprepare(locale: Locale): void {
    const others = this.#state.languages.filter((each) => each !== locale);
    this.#set({ languages: languagesOf(this.#state.draft, others) });
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
    return withIds(draft, new Map([...this.#first_ids].map(([id, first]) => [first, id])));
  }

  /** Stays the same while the editor is open, although a save gives the link its id. */
  rowKey(link_id: string): string {
    return this.#first_ids.get(link_id) ?? link_id;
  }

  /**
   * Puts what a closed tab left unsaved into the draft, as one step that can be undone. What is
   * unsaved here already stays, too.
   *
   * @returns `saved` where the tab's save has arrived after all; `later` while the creator has
   * another conflict to decide: then what the tab left must be kept
   */
  restore({ base, draft, unanswered = [] }: LocalDraft): "restored" | "saved" | "later" {
    const { draft: here, saving, saved } = this.#state;
    if (saving.kind === "conflict") return "later";
    const clean = cleaned(here);
    const { base: before, ids } = arrived(draftOf(base), unanswered, draftOf(saved));
    const left = cleaned(withIds(draft, ids));
    const { draft: merged, conflicts } = merge(before, left, clean);
    // A save on its way may still arrive, unless there is a newer version than it was based on.
    if (base.version === saved.version) this.#noteSent(unanswered);
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

  resolve(theirs: ReadonlySet<Conflict>): void {
    const { saving } = this.#state;
    if (saving.kind !== "conflict") return;
    const draft = [...theirs].reduce(
      (chosen, conflict) => resolved(chosen, conflict, conflict.theirs),
      this.#state.draft,
    );
    this.#rebase(this.#arrived(draftOf(saving.theirs)).base, draftOf(saving.theirs));
    this.#past = [...this.#past, this.#state.draft].slice(-UNDO_MAX);
    this.#step = null;
    this.#settle(saving.theirs);
    this.#set({ saving: { kind: "waiting" } });
    this.#show(draft);
  }

  adopt(page: SavedPage): void {
    const { saved } = this.#state;
    if (page.version <= saved.version) return;
    const theirs = draftOf(page);
    const { base, ids } = this.#arrived(theirs);
    for (const [first, id] of ids) this.#first_ids.set(id, first);
    const draft = withIds(this.#state.draft, ids);
    const clean = cleaned(draft);
    const { draft: merged, conflicts } = merge(base, clean, theirs);
    const shown = asTyped(merged, clean, draft);
    if (conflicts.length > 0) {
      this.#set({ draft: shown });
      this.#conflict(conflicts, page);
      return;
    }
    this.#rebase(base, theirs);
    this.#settle(page);
    this.#show(shown);
  }

  #noteAnswered(sent: Draft): void {
    this.#unanswered = this.#unanswered.filter((draft) => !isSame(draft, sent));
  }

  #noteSent(drafts: readonly Draft[]): void {
    const news = drafts.filter((draft) => !this.#unanswered.some((each) => isSame(each, draft)));
    this.#unanswered = [...this.#unanswered, ...news].slice(-UNANSWERED_MAX);
  }

  #arrived(page: Draft) {
    return arrived(draftOf(this.#state.saved), this.#unanswered, page);
  }

  /** Puts what was saved elsewhere into the steps of undoing: an undo must not undo it. */
  #rebase(base: Draft, theirs: Draft): void {
    const rebased = (mine: Draft) => merge(base, this.#withLastingIds(cleaned(mine)), theirs).draft;
    this.#past = this.#past.map(rebased);
    this.#future = this.#future.map(rebased);
  }

  /** The page may have been saved elsewhere: a tab that comes to the front may be hours old. */
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
    this.#settled = wireOf(draftOf(page), draftOf(page)).draft;
    this.#set({ saved: page });
  }

  #show(draft: Draft): void {
    const { saved } = this.#state;
    const { withheld } = wireOf(draft, draftOf(saved), this.#typed);
    this.#set({ draft, withheld });
    if (this.#is_kept) this.#keep();
    else this.#forget();
    const { kind } = this.#state.saving;
    if (kind !== "saved" && kind !== "waiting" && kind !== "refused") return;
    if (this.#is_unsaved) {
      this.#set({ saving: { kind: "waiting" } });
      this.#schedule(this.#pause());
    } else {
      this.#stopTimer();
      this.#set({ saving: { kind: "saved" } });
    }
  }

  #keep(): void {
    const { draft } = this.#state;
    const local = this.#local;
    if (this.#state.kept === "kept") {
      this.#set({ kept: "keeping" });
      const late = () => this.#set({ kept: "not_kept" });
      this.#cancel_keeping = this.#ports.after(KEPT_WITHIN_MS, late);
    }
    void this.#ports.drafts.write(local).then((is_kept) => {
      if (this.#state.draft === draft) this.#wasKept(is_kept ? "kept" : "not_kept");
    });
  }

  #forget(): void {
    this.#ports.drafts.clear();
    this.#wasKept("kept");
  }

  #wasKept(kept: Kept): void {
    this.#cancel_keeping?.();
    this.#set({ kept });
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
    if (!this.#is_unsaved) {
      this.#set({ saving: { kind: "saved" } });
      return;
    }
    const { saved } = this.#state;
    // Without a change there is an earlier one that may still arrive. Saved now, it makes the
    // version after which it cannot, and what it was changed back to follows.
    const last = this.#is_changed ? undefined : this.#unanswered.at(-1);
    const sent = last ?? this.#wire.draft;
    this.#noteSent([sent]);
    this.#keep();
    this.#set({ saving: { kind: "sending" } });
    this.#last_sent_at = this.#ports.now();
    try {
      const answer = await this.#ports.api.call<PageAnswer>(this.#path, {
        method: "PUT",
        json: bodyOf(sent),
        headers: { "If-Match": `"v${saved.version}"` },
      });
      this.#answered(answer, sent);
    } catch (error) {
      // Whatever it was, the draft is not known to be saved.
      this.#again(NO_ANSWER);
      this.#ports.report(error);
    }
  }

  #answered(answer: Answer<PageAnswer>, sent: Draft): void {
    if (answer.ok) {
      this.#wasSaved(answer.body.page, sent);
      return;
    }
    const { status, code, message, issues, details } = answer;
    const { page } = answer.details as { page?: SavedPage };
    if (code === "VERSION_CONFLICT" && page !== undefined) this.#wasChanged(page);
    else if (code === "OTHER_USER") this.#set({ saving: { kind: "other_user" } });
    else if (status === 401) this.#set({ saving: { kind: "signed_out" } });
    else if (status === 404 || status === 410) {
      const { takedown_reason: why } = details;
      const told = typeof why === "string" ? `${message} ${why}` : message;
      this.#set({ saving: { kind: "gone", message: told } });
    } else if (status === 0 || status === 429 || status >= 500) this.#again(answer);
    else {
      this.#noteAnswered(sent);
      this.#set({ saving: { kind: "refused", message, issues } });
      // The draft was changed back meanwhile.
      if (!this.#is_unsaved) this.#show(this.#state.draft);
    }
  }

  /** The draft may have changed since it was sent: the screen keeps what was typed. */
  #wasSaved(page: SavedPage, sent: Draft): void {
    const lasting = new Map<string, string>();
    for (const [i, { link_id }] of sent.links.entries()) {
      const saved = page.links[i]?.link_id;
      if (saved !== undefined && isUnsaved(link_id)) lasting.set(link_id, saved);
    }
    for (const [first, id] of lasting) this.#first_ids.set(id, first);
    this.#tries = 0;
    this.#noteAnswered(sent);
    if (page.version > this.#state.saved.version) this.#unanswered = [];
    this.#settled = withIds(sent, lasting);
    this.#set({ saved: page, saved_at: this.#ports.now(), saving: { kind: "saved" } });
    this.draftWasRead();
    this.#show(withIds(this.#state.draft, lasting));
  }

  /** Another editor was first, or an earlier save of this tab whose answer was lost. */
  #wasChanged(page: SavedPage): void {
    this.#tries = 0;
    this.#set({ saving: { kind: "waiting" } });
    this.adopt(page);
    if (this.#state.saving.kind === "waiting") this.#schedule(this.#pause());
  }

  #conflict(conflicts: readonly Conflict[], theirs: SavedPage): void {
    this.#stopTimer();
    this.#set({ saving: { kind: "conflict", conflicts, theirs } });
    this.#keep();
  }

  #again({ status, retry_after_s }: Refusal): void {
    const pause = RETRY_PAUSES_MS[Math.min(this.#tries, RETRY_PAUSES_MS.length - 1)] ?? 0;
    this.#tries += 1;
    const is_offline = status === 0 && !this.#ports.is_online();
    this.#set({ saving: { kind: "retrying", is_offline } });
    this.#schedule(Math.max(pause, (retry_after_s ?? 0) * 1_000));
  }

  #set(members: Partial<EditingState>): void {
    const { draft = this.#state.draft, languages = this.#state.languages } = members;
    this.#state = {
      ...this.#state,
      ...members,
      languages: languagesOf(draft, languages),
      can_undo: this.#past.length > 0,
      can_redo: this.#future.length > 0,
    };
    for (const listener of this.#listeners) listener();
  }
}
