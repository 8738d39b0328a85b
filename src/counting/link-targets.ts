/**
 * Where the links of pages lead, remembered per isolate for the redirect, in front of D1. It is a shortcut with an
 * end: for two seconds it is taken without a question, and for a minute where D1 does not answer. A change is
 * announced to the page's object, not to isolates, so the object's answer is preferred to it.
 */
import type { Clock } from "../../objects/platform/ports.ts";
import { type PageTargets, readPageTargets } from "../pages/pages-store.ts";

/** How long what is there is taken without asking D1, in milliseconds (docs/contract.md section 10: 2 s). */
const FRESH_MS = 2_000;
/** How long what is missing or suspended is taken without asking D1, in milliseconds. */
const ABSENT_MS = 5_000;
/** While D1 fails what was known goes on serving until then, in milliseconds (docs/contract.md section 4: 60 s). */
const STALE_MAX_MS = 60_000;
/** Pages remembered, and the characters of all their addresses: 16 MB at the worst. */
const PAGES_MAX = 5_000;
const CHARS_MAX = 8_000_000;
/** Ids of pages that do not exist: they have room of their own, so that made-up ones push out no page. */
const MISSING_MAX = 1_000;

/** What is known of one link: its page, and its address or null where the page has no such link. */
export interface LinkTarget extends Pick<PageTargets, "status" | "locale"> {
  url: string | null;
}

interface Remembered {
  page: PageTargets;
  asked_at: number;
  chars: number;
}

export class LinkTargets {
  readonly #clock: Pick<Clock, "now">;
  /** Asked for longest ago first. */
  readonly #pages = new Map<string, Remembered>();
  readonly #missing = new Map<string, { asked_at: number }>();
  #chars = 0;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** What memory says: null where there is no such page, undefined where D1 must be asked. */
  recall(page_id: string, link_id: string): LinkTarget | null | undefined {
    const missing = this.#missing.get(page_id);
    if (missing !== undefined && this.#isYoung(missing, ABSENT_MS)) return null;
    const remembered = this.#pages.get(page_id);
    if (remembered === undefined) return undefined;
    const target = targetOf(remembered.page, link_id);
    const isThere = target.status === "published" && target.url !== null;
    return this.#isYoung(remembered, isThere ? FRESH_MS : ABSENT_MS) ? target : undefined;
  }

  /** What memory said within the last minute, for when D1 does not answer. */
  recallStale(page_id: string, link_id: string): LinkTarget | undefined {
    const remembered = this.#pages.get(page_id);
    if (remembered === undefined || !this.#isYoung(remembered, STALE_MAX_MS)) return undefined;
    return targetOf(remembered.page, link_id);
  }

  /**
   * The link's target, from memory or from D1, or null where there is no such page. Rejects when D1 fails and
   * nothing from the last minute is remembered.
   */
  async find(db: D1Database, page_id: string, link_id: string): Promise<LinkTarget | null> {
    const known = this.recall(page_id, link_id);
    if (known !== undefined) return known;
    const asked_at = this.#clock.now();
    try {
      const page = await readPageTargets(db, page_id);
      this.#remember(page_id, page, asked_at);
      return page === null ? null : targetOf(page, link_id);
    } catch (error) {
      // Judged by the time of the answer, which may have taken long to fail.
      const old = this.recallStale(page_id, link_id);
      if (old === undefined) throw error;
      return old;
    }
  }

  #remember(page_id: string, page: PageTargets | null, asked_at: number): void {
    const before = this.#pages.get(page_id);
    // A read that began before the one whose answer is here may have seen an older page.
    if (before !== undefined && before.asked_at > asked_at) return;
    this.#forget(page_id);
    if (page === null) {
      keep(this.#missing, page_id, { asked_at }, MISSING_MAX);
      return;
    }
    this.#missing.delete(page_id);
    let chars = 0;
    for (const url of page.urls.values()) chars += url.length;
    this.#pages.set(page_id, { page, asked_at, chars });
    this.#chars += chars;
    while (this.#pages.size > PAGES_MAX || this.#chars > CHARS_MAX) {
      const oldest = this.#pages.keys().next().value;
      if (oldest === undefined) break;
      this.#forget(oldest);
    }
  }

  #forget(page_id: string): void {
    this.#chars -= this.#pages.get(page_id)?.chars ?? 0;
    this.#pages.delete(page_id);
  }

  /** A clock that stepped back makes nothing younger. */
  #isYoung({ asked_at }: { asked_at: number }, max_ms: number): boolean {
    const age_ms = this.#clock.now() - asked_at;
    return age_ms >= 0 && age_ms < max_ms;
  }
}

function targetOf({ status, locale, urls }: PageTargets, link_id: string): LinkTarget {
  return { status, locale, url: urls.get(link_id) ?? null };
}

/** Keeps the newest `max` entries. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value, max: number): void {
  map.delete(key);
  const oldest = map.keys().next().value;
  if (map.size >= max && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}
