/**
 * Where the links of pages lead, remembered per isolate for the redirect: one read of D1 serves the clicks of
 * half a minute. It is a shortcut with an end. The page's object is told of a change at once, and its answer
 * is preferred; this memory decides only where the object is slow.
 */
import { type PageTargets, readPageTargets } from "./pages.ts";

/** How long what is there is taken from memory, in milliseconds. */
const FRESH_MS = 30_000;
/** How long what is missing or suspended is taken from memory: so that asking for it again costs nothing. */
export const ABSENT_MS = 5_000;
/** While D1 fails what was known goes on serving until then, in milliseconds (CONTRACT section 4: 60 s). */
const END_MS = 60_000;
/** Pages remembered, and the characters of all their addresses: 16 MB at the worst. */
const PAGES_MAX = 5_000;
const CHARS_MAX = 8_000_000;

/** What is known of one link: its page, and its address or null where the page has no such link. */
export interface LinkTarget extends Pick<PageTargets, "status" | "locale"> {
  url: string | null;
}

interface Remembered {
  page: PageTargets | null;
  asked_at: number;
  chars: number;
}

export class LinkTargets {
  /** Asked for longest ago first. */
  readonly #pages = new Map<string, Remembered>();
  #chars = 0;

  /** What memory says: null where there is no such page, undefined where D1 must be asked. */
  recall(page_id: string, link_id: string, now: number): LinkTarget | null | undefined {
    const remembered = this.#pages.get(page_id);
    if (remembered === undefined) return undefined;
    const target = targetOf(remembered.page, link_id);
    const isThere = target?.status === "published" && target.url !== null;
    return isYoung(remembered, isThere ? FRESH_MS : ABSENT_MS, now) ? target : undefined;
  }

  /**
   * The link's target, from memory or from D1, or null where there is no such page. Rejects when D1 fails and
   * nothing from the last minute is remembered.
   */
  async find(
    db: D1Database,
    page_id: string,
    link_id: string,
    now: number,
  ): Promise<LinkTarget | null> {
    const known = this.recall(page_id, link_id, now);
    if (known !== undefined) return known;
    try {
      const page = await readPageTargets(db, page_id);
      this.#remember(page_id, page, now);
      return targetOf(page, link_id);
    } catch (error) {
      const remembered = this.#pages.get(page_id);
      if (remembered === undefined || !isYoung(remembered, END_MS, now)) throw error;
      return targetOf(remembered.page, link_id);
    }
  }

  #remember(page_id: string, page: PageTargets | null, asked_at: number): void {
    const before = this.#pages.get(page_id);
    // A read that began before the one whose answer is here may have seen an older page.
    if (before !== undefined && before.asked_at > asked_at) return;
    this.#forget(page_id);
    let chars = 0;
    for (const url of page?.urls.values() ?? []) chars += url.length;
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
}

function targetOf(page: PageTargets | null, link_id: string): LinkTarget | null {
  if (page === null) return null;
  return { status: page.status, locale: page.locale, url: page.urls.get(link_id) ?? null };
}

/** A clock that stepped back makes nothing younger. */
function isYoung({ asked_at }: Remembered, max_ms: number, now: number): boolean {
  const age_ms = now - asked_at;
  return age_ms >= 0 && age_ms < max_ms;
}
