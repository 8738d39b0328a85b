/**
 * What may be counted, as D1 has it: the versions of each page, and the time from which every part
 * must have applied a change (docs/faults.md F25): 60 s after it, or later if the object could not
 * be called sooner.
 */
import type { World } from "./world.ts";

const MINUTE_MS = 60_000;
/** Time for calls under way. */
const SLACK_MS = 1_000;

interface Version {
  /** When D1 got it, in milliseconds of the run. */
  at_ms: number;
  /** When the page's object had read it; Infinity before. */
  applied_ms: number;
  row: string;
  /** Addresses by link; null if nothing counts. The page itself is `''`. */
  urls: ReadonlyMap<string, string> | null;
}

const PAGE = `SELECT status, (SELECT json_group_object(link_id, url) FROM links
  WHERE links.page_id = pages.page_id) AS links FROM pages WHERE page_id = ?1`;

export class Truth {
  readonly #world: World;
  readonly #versions = new Map<string, Version[]>();
  /** Pages that D1 has deleted, and since when nothing may be stored of them; Infinity before. */
  readonly #ended = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Reads the pages again, after D1 may have changed them. */
  read(): void {
    for (const page_id of this.#world.pages.keys()) this.#read(page_id);
  }

  /** Takes in that D1 was restored: it may have rows of ended pages again. */
  restored(): void {
    for (const page_id of this.#ended.keys()) {
      if (this.#world.d1.has(page_id)) this.#ended.set(page_id, Number.POSITIVE_INFINITY);
    }
    this.read();
  }

  /** The number of the page's newest version. */
  version(page_id: string): number {
    return this.#of(page_id).length;
  }

  /** Whether the page's object has read its newest version, which has this link. */
  hasApplied(page_id: string, link_id: string): boolean {
    const newest = this.#of(page_id).at(-1);
    if (newest === undefined || !newest.urls?.has(link_id)) return false;
    return newest.at_ms === 0 || newest.applied_ms < Number.POSITIVE_INFINITY;
  }

  /** Whether the page's end is in D1, or was there before it was restored. */
  hasEnded(page_id: string): boolean {
    return this.#ended.has(page_id);
  }

  /** Whether nothing may be stored of the page any more. */
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
    return this.#since(page_id, asked_ms).some(({ urls }) => urls?.get(link_id) === url);
  }

  /**
   * Whether an event could count. An object that has ended never counts again, even if D1 is
   * restored.
   */
  counts(page_id: string, link_id: string, asked_ms: number): boolean {
    if (asked_ms >= (this.#ended.get(page_id) ?? Number.POSITIVE_INFINITY)) return false;
    return this.#since(page_id, asked_ms).some(({ urls }) => urls?.has(link_id));
  }

  /** Whether an event could be refused. */
  refuses(page_id: string, link_id: string, asked_ms: number): boolean {
    if (this.hasEnded(page_id)) return true;
    return this.#since(page_id, asked_ms).some(({ urls }) => !urls?.has(link_id));
  }

  /** The versions that may have been in use since then. */
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
      urls:
        found?.status === "published"
          ? new Map([["", ""], ...Object.entries<string>(JSON.parse(String(found.links)))])
          : null,
    });
  }

  #of(page_id: string): Version[] {
    let versions = this.#versions.get(page_id);
    if (versions === undefined) {
      versions = [];
      this.#versions.set(page_id, versions);
    }
    return versions;
  }
}
