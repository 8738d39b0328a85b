/**
 * The creator's work on the rows of the panel: which one is open, which one the keyboard carries, where the
 * focus goes. Changes of the draft go through `Editing`.
 */
import { isBlock } from "../../../pages/document/block-kinds.ts";
import { destinationOf } from "../../../pages/document/destination.ts";
import { parseLinkAddress } from "../../../pages/document/link-address.ts";
import { textIn } from "../../../pages/document/page-words.ts";
import { truncated } from "../../../views/plain-text.ts";
import { atHand, forgetNewBlock, noteNewBlock, takeInHand } from "../at-hand.ts";
import { type Draft, type Link, withLink } from "../draft.ts";
import { editWithUndo } from "../edit-with-undo.ts";
import type { Editing } from "../editing.ts";
import { locale } from "../locale.ts";
import { announce } from "../ui.tsx";
import { LINKS_TEXTS } from "./links-texts.ts";
import { listOf, movedTo, placeOf } from "./order.ts";

/** A message needs no more of a name. */
const NAME_CHARACTERS_MAX = 40;
export const END = Number.POSITIVE_INFINITY;

export type RowPart = "grip" | "open" | "form" | "name" | "kind";
export const ADD_FIELD = "add-links";

export function rowPartId(row_key: string, part: RowPart): string {
  return `${part}-${row_key}`;
}

export function nameOf(
  { label, url, kind }: Link,
  max_characters: number = NAME_CHARACTERS_MAX,
): string {
  const words = truncated(textIn(label, locale), max_characters);
  if (words !== "") return words;
  const address = parseLinkAddress(url ?? "");
  if (address === null) return LINKS_TEXTS.kinds[kind];
  const { place, name, icon } = destinationOf(address);
  return icon === "web" ? place : name[locale];
}

export class Desk {
  readonly editing: Editing;
  readonly #changed: () => void;
  /** Rows keep their keys when a new link is saved. */
  #open: string | null = null;
  lifted: { row_key: string; from: number } | null = null;
  /** While a pointer drags, its library owns the order of the elements: nothing may render. */
  is_dragging = false;
  /** The dragged handle had the focus, which it loses when its row moves. */
  #has_grip = false;
  #focus: string | null = null;
  #lifts = 0;

  constructor(editing: Editing, changed: () => void) {
    this.editing = editing;
    this.#changed = changed;
  }

  get open(): string | null {
    return this.#open;
  }

  /** The row that was open is closed by it, and a new block in it becomes visible. */
  #setOpen(row_key: string | null): void {
    const closed = this.#open;
    this.#open = row_key;
    if (row_key !== null) takeInHand({ row_key });
    if (closed !== null && closed !== row_key) this.#switchOn(closed);
  }

  /** The panel is left, with a row that may be open. */
  leave(): void {
    this.#setOpen(null);
    takeInHand(null);
  }

  /** One that lacks something stays off, and its row says what. */
  #switchOn(row_key: string): void {
    if (!atHand().new_blocks.has(row_key)) return;
    const { draft, withheld } = this.editing.state;
    const has = (each: Link) => this.keyOf(each) === row_key;
    const link = draft.links.find(has);
    if (link === undefined) return;
    const faults = [...withheld.keys()].filter((path) => path.startsWith(`links.${link.link_id}.`));
    if (faults.length > 0) return;
    forgetNewBlock(row_key);
    if (link.enabled) return;
    const withSwitch = (enabled: boolean) => (now: Draft) => {
      const each = now.links.find(has);
      return each === undefined || each.enabled === enabled
        ? now
        : withLink(now, each.link_id, (before) => ({ ...before, enabled }));
    };
    editWithUndo(this.editing, LINKS_TEXTS.now_shown(nameOf(link)), {
      change: withSwitch(true),
      opposite: withSwitch(false),
    });
  }

  /** A link to what the block offers is given away: it must work, although the row is open. */
  finish(link: Link): void {
    this.#switchOn(this.keyOf(link));
  }

  setEnabled(link: Link, enabled: boolean): void {
    forgetNewBlock(this.keyOf(link));
    this.change(link, { enabled });
  }

  keyOf({ link_id }: Link): string {
    return this.editing.rowKey(link_id);
  }

  /** The focus goes into a form that the keyboard opened. A touch must not open a phone's keys. */
  toggle(link: Link, is_by_keyboard: boolean): void {
    const row_key = this.keyOf(link);
    this.#setOpen(this.open === row_key ? null : row_key);
    if (this.open !== null && is_by_keyboard) this.focusLater(rowPartId(row_key, "name"));
    else this.#changed();
  }

  close(row_key: string): void {
    this.#setOpen(null);
    this.focusLater(rowPartId(row_key, "open"));
  }

  focusLater(id: string): void {
    this.#focus = id;
    this.#changed();
  }

  rendered(): void {
    if (this.#focus === null) return;
    const id = this.#focus;
    this.#focus = null;
    const element = document.getElementById(id);
    element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: "nearest" });
  }

  /** Finds the link by its row: a save during an upload changes its id. `step` names the field. */
  change(link: Link, members: Partial<Link>, step: string | null = null): void {
    const row_key = this.keyOf(link);
    const now = this.editing.state.draft.links.find((each) => this.keyOf(each) === row_key);
    if (now === undefined) return;
    this.editing.edit(
      (draft) => withLink(draft, now.link_id, (before) => ({ ...before, ...members })),
      step && `${step}-${row_key}`,
    );
  }

  /** Adds links at the top. One that still needs a name is opened, which says enough. */
  add(links: readonly Link[]): void {
    const [first, ...others] = links;
    if (first === undefined) return;
    const added = (draft: Draft) => ({ ...draft, links: [...links, ...draft.links] });
    if (others.length > 0 || textIn(first.label, locale) !== "") {
      const keys = new Set(links.map(({ link_id }) => link_id));
      editWithUndo(this.editing, LINKS_TEXTS.added(links.length), {
        change: added,
        opposite: (draft) => {
          const rest = draft.links.filter((link) => !keys.has(this.keyOf(link)));
          return rest.length === draft.links.length ? draft : { ...draft, links: rest };
        },
      });
      return;
    }
    this.editing.edit(added);
    const row_key = this.keyOf(first);
    const is_shown_later = isBlock(first.kind) && !first.enabled;
    if (is_shown_later) noteNewBlock(row_key);
    announce(is_shown_later ? LINKS_TEXTS.shown_when_closed : LINKS_TEXTS.added(1));
    this.#setOpen(row_key);
    this.focusLater(rowPartId(row_key, "name"));
  }

  remove({ link_id }: Link): void {
    const { links } = this.editing.state.draft;
    const row_key = this.editing.rowKey(link_id);
    const has = (each: Link) => this.keyOf(each) === row_key;
    const place = links.findIndex(has);
    const link = links[place];
    if (link === undefined) return;
    const list = listOf(links, link.kind);
    const at = list.indexOf(link);
    const next = list[at + 1] ?? list[at - 1];
    this.#open = null;
    editWithUndo(
      this.editing,
      LINKS_TEXTS.removed(nameOf(link)),
      {
        change: (draft) => ({ ...draft, links: draft.links.filter((each) => !has(each)) }),
        opposite: (draft) =>
          draft.links.some(has)
            ? draft
            : { ...draft, links: draft.links.toSpliced(place, 0, link) },
      },
      () => this.focusLater(rowPartId(row_key, "open")),
    );
    this.focusLater(next === undefined ? ADD_FIELD : rowPartId(this.keyOf(next), "open"));
  }

  move(link: Link, to: number, step: string | null = null, part: RowPart | null = null): void {
    const before = placeOf(this.editing.state.draft.links, link.link_id);
    this.editing.edit((draft) => movedTo(draft, link.link_id, to), step);
    const after = placeOf(this.editing.state.draft.links, link.link_id);
    const words = after?.at === before?.at ? LINKS_TEXTS.stays : LINKS_TEXTS.moved;
    this.#say(link, words);
    if (part !== null) this.focusLater(rowPartId(this.keyOf(link), part));
  }

  onGripKey(link: Link, event: KeyboardEvent): void {
    const place = placeOf(this.editing.state.draft.links, link.link_id);
    if (place === null) return;
    const { lifted } = this;
    if (event.key === " " || event.key === "Enter") {
      event.preventDefault();
      if (lifted === null) this.#lift(link, place.at);
      else this.#drop(link);
      return;
    }
    if (lifted === null) return;
    const to = { ArrowUp: place.at - 1, ArrowDown: place.at + 1, Home: 0, End: END }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      this.move(link, to, this.#liftStep, "grip");
    } else if (event.key === "Escape") {
      event.preventDefault();
      this.editing.edit((draft) => movedTo(draft, link.link_id, lifted.from), this.#liftStep);
      this.lifted = null;
      this.#say(link, LINKS_TEXTS.cancelled);
      this.focusLater(rowPartId(this.keyOf(link), "grip"));
    }
  }

  /** A lifted row is dropped when the focus goes elsewhere. A row that moves loses it for a moment. */
  onGripBlur(link: Link): void {
    const row_key = this.keyOf(link);
    requestAnimationFrame(() => {
      const is_back = document.activeElement?.id === rowPartId(row_key, "grip");
      if (this.lifted?.row_key === row_key && !is_back) this.#drop(link);
    });
  }

  /** All moves from lifting a row to dropping it are one step of undoing. */
  get #liftStep(): string {
    return `lift-${this.#lifts}`;
  }

  #lift(link: Link, from: number): void {
    this.#lifts += 1;
    this.lifted = { row_key: this.keyOf(link), from };
    this.#say(link, LINKS_TEXTS.lifted);
    this.#changed();
  }

  #drop(link: Link): void {
    this.lifted = null;
    this.#say(link, LINKS_TEXTS.dropped);
    this.#changed();
  }

  #say(link: Link, words: (name: string, at: number, of: number) => string): void {
    const place = placeOf(this.editing.state.draft.links, link.link_id);
    if (place !== null) announce(words(nameOf(link), place.at + 1, place.of));
  }

  startDrag(row_key: string): void {
    this.is_dragging = true;
    this.lifted = null;
    this.#has_grip = document.activeElement?.id === rowPartId(row_key, "grip");
  }

  endDrag(row_key: string, to: number | null): void {
    this.is_dragging = false;
    const { links } = this.editing.state.draft;
    const link = links.find((each) => this.keyOf(each) === row_key);
    // A finger gives no focus, and a ring around what it has left says nothing.
    const part = this.#has_grip ? "grip" : null;
    if (link !== undefined && to !== null) this.move(link, to, null, part);
    this.#changed();
  }
}
