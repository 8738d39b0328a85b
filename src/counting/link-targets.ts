/**
 * A cache of the addresses of links, one per isolate, for the redirect. A change is announced to
 * the page's object and not to isolates, so the redirect prefers the object's answer to this cache.
 */
import { isOpen } from "../../objects/page/open-link.ts";
import type { PageTargets } from "../../objects/page/page-row.ts";
import { BoundedMap } from "../../objects/platform/bounded-map.ts";
import { SECOND_MS } from "../../objects/platform/clock.ts";
import type { Clock } from "../../objects/platform/ports.ts";
import { readPageTargets } from "../pages/document/pages-store.ts";

/** A link of a published page is fresh for this long (docs/contract.md section 10). */
const FRESH_MS = 2_000;
const ABSENT_MS = 1_000;
/** An entry may be used for this long while D1 fails (docs/contract.md section 4). */
const STALE_MAX_MS = 60_000;
/** Bounds of the cache: 16 MB at most, because a character has two bytes. */
const PAGES_MAX = 5_000;
const CHARS_MAX = 8_000_000;
/** Ids of missing pages have a map of their own: invented ids must not displace pages. */
const MISSING_MAX = 1_000;

/** `url` is null where the page has no such link. */
export interface LinkTarget extends Pick<PageTargets, "status" | "locale"> {
  url: string | null;
  /** False where the link is switched off or outside its times. */
  is_open: boolean;
}

interface Remembered {
  page: PageTargets;
  asked_at: number;
  chars: number;
}

export class LinkTargets {
  readonly #clock: Pick<Clock, "now">;
  readonly #pages = new BoundedMap<string, Remembered>(PAGES_MAX, {
    max_weight: CHARS_MAX,
    weigh: ({ chars }) => chars,
  });
  readonly #missing = new BoundedMap<string, { asked_at: number }>(MISSING_MAX);

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** The fresh entry; null where there is no such page, undefined where D1 must be read. */
  recall(page_id: string, link_id: string): LinkTarget | null | undefined {
    const missing = this.#missing.get(page_id);
    if (missing !== undefined && this.#isYoung(missing, ABSENT_MS)) return null;
    const remembered = this.#pages.get(page_id);
    if (remembered === undefined) return undefined;
    const target = this.#targetOf(remembered.page, link_id);
    const isThere = target.status === "published" && target.url !== null;
    return this.#isYoung(remembered, isThere ? FRESH_MS : ABSENT_MS) ? target : undefined;
  }

  /** Undefined unless the entry is younger than a minute. */
  recallStale(page_id: string, link_id: string): LinkTarget | undefined {
    const remembered = this.#pages.get(page_id);
    if (remembered === undefined || !this.#isYoung(remembered, STALE_MAX_MS)) return undefined;
    return this.#targetOf(remembered.page, link_id);
  }

  /** Null without such a page. Rejects when D1 fails and no entry is younger than a minute. */
  async find(db: D1Database, page_id: string, link_id: string): Promise<LinkTarget | null> {
    const known = this.recall(page_id, link_id);
    if (known !== undefined) return known;
    const asked_at = this.#clock.now();
    try {
      const page = await readPageTargets(db, page_id);
      this.#remember(page_id, page, asked_at);
      return page === null ? null : this.#targetOf(page, link_id);
    } catch (error) {
      // The entry's age at the failure counts, which may come long after the read began.
      const old = this.recallStale(page_id, link_id);
      if (old === undefined) throw error;
      return old;
    }
  }

  #remember(page_id: string, page: PageTargets | null, asked_at: number): void {
    const before = this.#pages.get(page_id);
    // A read that began before the cached one may have returned an older version.
    if (before !== undefined && before.asked_at > asked_at) return;
    if (page === null) {
      this.#pages.delete(page_id);
      this.#missing.set(page_id, { asked_at });
      return;
    }
    this.#missing.delete(page_id);
    let chars = 0;
    for (const { url } of page.links.values()) chars += url.length;
    this.#pages.set(page_id, { page, asked_at, chars });
  }

  #targetOf({ status, locale, links }: PageTargets, link_id: string): LinkTarget {
    const target = links.get(link_id);
    const now_s = Math.floor(this.#clock.now() / SECOND_MS);
    return {
      status,
      locale,
      url: target?.url ?? null,
      is_open: target !== undefined && isOpen(target, now_s),
    };
  }

  /** False where the clock has stepped back. */
  #isYoung({ asked_at }: { asked_at: number }, max_ms: number): boolean {
    const age_ms = this.#clock.now() - asked_at;
    return age_ms >= 0 && age_ms < max_ms;
  }
}
