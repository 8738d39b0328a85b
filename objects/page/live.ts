/**
 * LiveFeed: the lifetime numbers of one page, sent to its watchers.
 *
 * The first update for a watcher has all numbers; later ones are absolute too, so the next update
 * corrects one that was lost or arrived twice. However hot the page, there are at most four a
 * second. Without watchers the feed holds nothing, and an event costs one check. After an eviction
 * or hibernation the first update has all numbers again.
 */

import type { AnnouncedNumbers, LinkDownloads } from "../events/announced.ts";
import { type JournalEvent, kindOf } from "../events/event.ts";
import type { Clock } from "../platform/ports.ts";
import type { TipTotals } from "./tables/conversions.ts";
import type { DayVisitors } from "./tables/days.ts";
import type { Total } from "./tables/tallies.ts";

export const LIVE_INTERVAL_MS = 250;

/** `views` and `clicks` are those of people. */
export interface LiveTotals {
  views: number;
  clicks: number;
  /** Each other class has its views and clicks together. */
  bots: number;
  owner: number;
  limited: number;
  /** Links that were never clicked are absent. */
  links: Record<string, number>;
}

export interface LiveUpdate {
  /** `state` has all links, `change` only those that changed since the last update. */
  type: "state" | "change";
  at: string;
  totals: LiveTotals;
  /** The visitors of the present day; null before the first. */
  visitors: DayVisitors | null;
  /**
   * How many people were seen last within ten seconds of `at`, within the ten before, and so on: no
   * update comes when somebody's five minutes are over.
   */
  present: number[];
  tips: TipTotals;
  subscribers: number;
  /** A `change` has them only if one of them has changed. */
  downloads?: readonly LinkDownloads[];
}

interface LivePorts {
  clock: Clock;
  totals: () => readonly Total[];
  visitors: (at_ms: number) => DayVisitors | null;
  present: (at_ms: number) => number[];
  tips: () => TipTotals;
  subscribers: () => number;
  /** Undefined before the first use. */
  downloads: () => AnnouncedNumbers["downloads"] | undefined;
  isWatched: () => boolean;
  /** The platform holds it back until what was counted is on disk. */
  send: (update: LiveUpdate) => void;
}

type LiveEvent = Pick<JournalEvent, "class" | "link_id" | "n">;

const OTHER_CLASSES = { bot: "bots", owner: "owner", limited: "limited" } as const;

export class LiveFeed {
  readonly #ports: LivePorts;
  /** Null without watchers; summed for the first one and then updated with every event. */
  #totals: LiveTotals | null = null;
  /** Null before the first update. */
  #changed: Set<string> | null = null;
  /** Version of the downloads that all watchers have; null before the first update. */
  #downloads_sent: number | null = null;
  #dirty = false;
  #resting = false;

  constructor(ports: LivePorts) {
    this.#ports = ports;
  }

  state(): LiveUpdate {
    this.#totals ??= liveTotals(this.#ports.totals());
    return this.#update("state", this.#totals);
  }

  forget(): void {
    this.#totals = null;
    this.#changed = null;
  }

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
    if (eventClass !== "human") totals[OTHER_CLASSES[eventClass]] += n;
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
    // It keeps a busy object awake for a quarter of a second, as its own traffic does anyway.
    clock.after(LIVE_INTERVAL_MS, () => {
      this.#resting = false;
      if (this.#dirty && this.#totals !== null) this.#send(this.#totals);
    });
    this.#dirty = false;
    const changed = this.#changed;
    this.#changed = new Set();
    const version = this.#ports.downloads()?.version ?? 0;
    const hasDownloads = changed === null || version !== this.#downloads_sent;
    this.#downloads_sent = version;
    if (changed === null) send(this.#update("state", totals));
    else {
      const links = [...changed].map((link_id) => [link_id, totals.links[link_id] ?? 0] as const);
      const change = { ...totals, links: Object.fromEntries(links) };
      send(this.#update("change", change, hasDownloads));
    }
  }

  #update(type: LiveUpdate["type"], totals: LiveTotals, hasDownloads = true): LiveUpdate {
    const { clock, visitors, present, tips, subscribers, downloads } = this.#ports;
    const now = clock.now();
    const at = new Date(now).toISOString();
    return {
      type,
      at,
      totals,
      visitors: visitors(now),
      present: present(now),
      tips: tips(),
      subscribers: subscribers(),
      ...(hasDownloads && { downloads: downloads()?.links ?? [] }),
    };
  }
}

export function liveTotals(
  totals: readonly Total[],
  column: "accepted" | "flushed" = "accepted",
): LiveTotals {
  // Without a prototype, `__proto__` is an id like any other.
  const links: Record<string, number> = Object.create(null);
  const live: LiveTotals = { views: 0, clicks: 0, bots: 0, owner: 0, limited: 0, links };
  for (const total of totals) {
    const n = total[column];
    if (total.class !== "human") live[OTHER_CLASSES[total.class]] += n;
    else if (total.kind === "view") live.views += n;
    else {
      live.clicks += n;
      if (n > 0) links[total.link_id] = n;
    }
  }
  return live;
}
