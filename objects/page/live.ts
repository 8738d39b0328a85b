/**
 * LiveFeed: the lifetime numbers of one page, for whoever watches them move.
 *
 * The first message to a watcher is the whole state; later ones carry absolute numbers too, so that one
 * that got lost, or came twice, is made good by the next. However hot the page, at most four a second.
 * While nobody watches nothing is kept, and an event costs one question. After an eviction or a sleep
 * the first message is a whole state again.
 */
import type { Clock } from "../platform/ports.ts";
import { type JournalEvent, kindOf } from "../tables/event.ts";
import type { Total } from "../tables/tallies.ts";

/** Shortest time between two messages, in milliseconds. */
export const LIVE_INTERVAL_MS = 250;

/** Lifetime numbers of a page: what people did, and beside it what was not people's. */
export interface LiveTotals {
  views: number;
  clicks: number;
  /** Views and clicks together, as the two below. */
  bots: number;
  owner: number;
  limited: number;
  /** People's clicks, by link; links that were never clicked are absent. */
  links: Record<string, number>;
}

export interface LiveUpdate {
  /** `change` has only those of the links that changed since the last message. */
  type: "state" | "change";
  /** ISO 8601. */
  at: string;
  totals: LiveTotals;
}

export interface LivePorts {
  clock: Clock;
  /** Lifetime totals, with all that was counted until now. */
  totals: () => readonly Total[];
  isWatched: () => boolean;
  /** To all who watch; the platform holds it back until what it tells of is on disk. */
  send: (message: LiveUpdate) => void;
}

type LiveEvent = Pick<JournalEvent, "class" | "link_id" | "n">;

const BESIDE = { bot: "bots", owner: "owner", limited: "limited" } as const;

export class LiveFeed {
  readonly #ports: LivePorts;
  /** Null until somebody watches: then they are summed, and kept up to date from event to event. */
  #totals: LiveTotals | null = null;
  /** Links whose number the watchers do not have; null where they have nothing yet. */
  #changed: Set<string> | null = null;
  #dirty = false;
  #resting = false;

  constructor(ports: LivePorts) {
    this.#ports = ports;
  }

  /** All numbers as they are, for one who begins to watch. */
  state(): LiveUpdate {
    this.#totals ??= liveTotals(this.#ports.totals());
    return this.#message("state", this.#totals);
  }

  /** What was summed is no longer true: the page has ended. */
  forget(): void {
    this.#totals = null;
    this.#changed = null;
  }

  /** To be called with what was just counted. */
  counted(events: readonly LiveEvent[]): void {
    if (!this.#ports.isWatched()) {
      this.#totals = null;
      this.#changed = null;
      return;
    }
    if (this.#totals === null) this.#totals = liveTotals(this.#ports.totals());
    else for (const event of events) this.#add(event, this.#totals);
    this.#dirty = true;
    if (!this.#resting) this.#send(this.#totals);
  }

  #add({ class: eventClass, link_id, n = 1 }: LiveEvent, totals: LiveTotals): void {
    if (eventClass !== "human") totals[BESIDE[eventClass]] += n;
    else if (kindOf(link_id) === "view") totals.views += 1;
    else {
      totals.clicks += 1;
      totals.links[link_id] = (totals.links[link_id] ?? 0) + 1;
      this.#changed?.add(link_id);
    }
  }

  #send(totals: LiveTotals): void {
    const { clock, send } = this.#ports;
    this.#resting = true;
    // It holds a busy object awake for a quarter of a second, which its own traffic does anyway.
    clock.after(LIVE_INTERVAL_MS, () => {
      this.#resting = false;
      if (this.#dirty && this.#totals !== null) this.#send(this.#totals);
    });
    this.#dirty = false;
    const changed = this.#changed;
    this.#changed = new Set();
    if (changed === null) send(this.#message("state", totals));
    else {
      const links = [...changed].map((link_id) => [link_id, totals.links[link_id] ?? 0] as const);
      send(this.#message("change", { ...totals, links: Object.fromEntries(links) }));
    }
  }

  #message(type: LiveUpdate["type"], totals: LiveTotals): LiveUpdate {
    return { type, at: new Date(this.#ports.clock.now()).toISOString(), totals };
  }
}

/** Lifetime totals in the shape in which they are watched; `column` says which of their numbers. */
export function liveTotals(
  totals: readonly Total[],
  column: "accepted" | "flushed" = "accepted",
): LiveTotals {
  // Without a prototype: `__proto__` is an id like any other.
  const links: Record<string, number> = Object.create(null);
  const live: LiveTotals = { views: 0, clicks: 0, bots: 0, owner: 0, limited: 0, links };
  for (const total of totals) {
    const n = total[column];
    if (total.class !== "human") live[BESIDE[total.class]] += n;
    else if (total.kind === "view") live.views += n;
    else {
      live.clicks += n;
      if (n > 0) links[total.link_id] = n;
    }
  }
  return live;
}
