/**
 * What may be counted, as D1 has it: the versions of each page, and the time from which every part
 * must have applied a change (docs/faults.md F25): 60 s after it, or later if the object could not
 * be called sooner.
 */
import { localDay } from "../../objects/platform/calendar.ts";
import type { World } from "./world.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** Time for calls under way. */
const SLACK_MS = 1_000;

/** A link of a page's document, as far as it matters to its clicks. Times are unix seconds. */
export interface ModelLink {
  link_id: string;
  url: string;
  enabled: boolean;
  from: number | null;
  until: number | null;
}

export function openLink(link_id: string, url: string): ModelLink {
  return { link_id, url, enabled: true, from: null, until: null };
}

interface Version {
  /** Its number in D1. */
  version: number;
  /** When D1 got it, in milliseconds of the run. */
  at_ms: number;
  /** When the page's object had read it; Infinity before. */
  applied_ms: number;
  row: string;
  time_zone: string;
  /** By id; null if nothing counts. The page itself is `''`. */
  links: ReadonlyMap<string, ModelLink> | null;
}

const PAGE =
  "SELECT status, version, time_zone, document ->> '$.links' AS links FROM pages WHERE page_id = ?1";

export class Truth {
  readonly #world: World;
  readonly #versions = new Map<string, Version[]>();
  /** Pages that D1 has deleted, and since when nothing may be stored of them; Infinity before. */
  readonly #ended = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  read(): void {
    for (const page_id of this.#world.pages.keys()) this.#read(page_id);
  }

  /** Takes in that D1 was restored: it may have rows of ended pages again. */
  restored(): void {
    for (const page_id of this.#ended.keys()) {
      if (this.#world.databases.some((db) => db.has(page_id)))
        this.#ended.set(page_id, Number.POSITIVE_INFINITY);
    }
    this.read();
  }

  version(page_id: string): number {
    return this.#of(page_id).length;
  }

  hasApplied(page_id: string, link_id: string): boolean {
    const newest = this.#of(page_id).at(-1);
    if (newest === undefined || !newest.links?.has(link_id)) return false;
    return newest.at_ms === 0 || newest.applied_ms < Number.POSITIVE_INFINITY;
  }

  /** Whether the page's end is in D1, or was there before it was restored. */
  hasEnded(page_id: string): boolean {
    return this.#ended.has(page_id);
  }

  isForgotten(page_id: string): boolean {
    return (this.#ended.get(page_id) ?? Number.POSITIVE_INFINITY) < Number.POSITIVE_INFINITY;
  }

  /** The page's object has answered the announcement of a change that began then. */
  applied(page_id: string, began_ms: number, ended: boolean): void {
    const { now_ms } = this.#world.scheduler;
    for (const version of this.#of(page_id)) {
      if (version.at_ms <= began_ms) version.applied_ms = Math.min(version.applied_ms, now_ms);
    }
    const isGone = this.#of(page_id).at(-1)?.row === "";
    if (ended && isGone && this.hasEnded(page_id)) this.#ended.set(page_id, now_ms);
  }

  /** A run of the cron that began then has delivered everything. */
  delivered(began_ms: number): void {
    for (const page_id of this.#world.pages.keys()) this.applied(page_id, began_ms, false);
  }

  /** Whether a link (a view: `''`) that was asked for then could lead to this address. */
  led(page_id: string, link_id: string, url: string, asked_ms: number): boolean {
    return this.#since(page_id, asked_ms).some(({ links }) => {
      const link = links?.get(link_id);
      return link?.url === url && this.#mayBeOpen(link, asked_ms);
    });
  }

  /** Whether an event could count. An object that has ended never counts again, even if D1 is restored. */
  counts(page_id: string, link_id: string, asked_ms: number): boolean {
    if (asked_ms >= (this.#ended.get(page_id) ?? Number.POSITIVE_INFINITY)) return false;
    return this.#since(page_id, asked_ms).some(({ links }) => {
      const link = links?.get(link_id);
      return link !== undefined && this.#mayBeOpen(link, asked_ms);
    });
  }

  refuses(page_id: string, link_id: string, asked_ms: number): boolean {
    if (this.hasEnded(page_id)) return true;
    return this.#since(page_id, asked_ms).some(({ links }) => {
      const link = links?.get(link_id);
      return link === undefined || this.#mayBeClosed(link, asked_ms);
    });
  }

  /**
   * The versions of a page, with the times that bound when its object took each over: it was in D1
   * by then, and the object had read it, or a later one, before it answered an announcement.
   */
  takenOver(page_id: string): { version: number; from_ms: number; until_ms: number }[] {
    const versions = this.#of(page_id).filter(({ row }) => row !== "");
    return versions.map(({ version, at_ms }, i) => {
      const applied_ms = versions.slice(i).map((later) => later.applied_ms);
      return { version, from_ms: at_ms, until_ms: Math.min(...applied_ms) };
    });
  }

  /** Whether a day of the page may begin at this unix second: at midnight in one of its zones. */
  mayBegin(page_id: string, from_s: number): boolean {
    return this.#of(page_id).some(
      ({ time_zone }) => localDay(from_s * SECOND_MS, time_zone).from_s === from_s,
    );
  }

  #mayBeOpen(link: ModelLink, asked_ms: number): boolean {
    const { begin_ms, end_ms, opens_ms, closes_ms } = this.#times(link, asked_ms);
    return link.enabled && opens_ms <= end_ms && begin_ms < closes_ms;
  }

  #mayBeClosed(link: ModelLink, asked_ms: number): boolean {
    const { begin_ms, end_ms, opens_ms, closes_ms } = this.#times(link, asked_ms);
    return !link.enabled || begin_ms < opens_ms || closes_ms <= end_ms;
  }

  /** When a link opens and closes, and the time since it was asked for, by any of the clocks. */
  #times({ from, until }: ModelLink, asked_ms: number) {
    const { scheduler, steps_ms } = this.#world;
    const end_ms = scheduler.unix_ms;
    const begin_ms = Math.floor(end_ms - (scheduler.now_ms - asked_ms));
    return {
      begin_ms: begin_ms - 1 - steps_ms,
      end_ms: end_ms + 1 + steps_ms,
      opens_ms: (from ?? Number.NEGATIVE_INFINITY) * SECOND_MS,
      closes_ms: (until ?? Number.POSITIVE_INFINITY) * SECOND_MS,
    };
  }

  #since(page_id: string, asked_ms: number): Version[] {
    const versions = this.#of(page_id);
    const newest = versions.findLastIndex((version) => this.#due(version) <= asked_ms);
    return versions.slice(Math.max(0, newest));
  }

  #due({ at_ms, applied_ms }: Version): number {
    if (at_ms === 0) return 0;
    return Math.max(at_ms + MINUTE_MS, applied_ms) + SLACK_MS + this.#world.stepsBack_ms;
  }

  #read(page_id: string): void {
    const versions = this.#of(page_id);
    const found = this.#world.d1.read(PAGE, page_id)[0];
    const row = found === undefined ? "" : JSON.stringify(found);
    if (row === versions.at(-1)?.row) return;
    const { now_ms } = this.#world.scheduler;
    this.#world.trace(
      `${page_id}: ${row === "" ? "gone" : found?.status}, version ${versions.length}`,
    );
    if (found === undefined) this.#ended.set(page_id, Number.POSITIVE_INFINITY);
    versions.push({
      at_ms: versions.length === 0 ? 0 : now_ms,
      applied_ms: Number.POSITIVE_INFINITY,
      row,
      version: Number(found?.version ?? 0),
      time_zone: String(found?.time_zone ?? "UTC"),
      links: found?.status === "published" ? linksOf(String(found.links)) : null,
    });
  }

  #of(page_id: string): Version[] {
    const versions = this.#versions.get(page_id) ?? [];
    this.#versions.set(page_id, versions);
    return versions;
  }
}

function linksOf(json: string): Map<string, ModelLink> {
  const links = [openLink("", ""), ...(JSON.parse(json) as ModelLink[])];
  return new Map(links.map((link) => [link.link_id, link]));
}
