/**
 * KnownPage: what can be counted of a page: its views, its links and its contact card, as long as
 * it is published.
 *
 * Owns a copy of what D1 has, stored in the object, so that events are acknowledged while D1 is
 * down. The copy is replaced when the router reports a change (`changed`), by every flush, whose
 * transaction reads the page too, by the sweep, and when an event has an unknown link. In case such
 * a report was lost, the copy is also read again after a minute, when the next event comes; if D1
 * does not answer at once, the old copy is used.
 */
import { SECOND_MS, withTimeout } from "../platform/clock.ts";
import type { Database, Ports, Statement } from "../platform/ports.ts";
import { CONTACT_LINK, type Place } from "../tables/event.ts";

/** Longest wait for D1, in milliseconds, before an unknown id is answered with an error. */
const LOOK_UP_TIMEOUT_MS = 5 * SECOND_MS;
/**
 * A copy older than this, in milliseconds, is read again before it is used: an edit shows within 60
 * s.
 */
export const STALE_MS = 55 * SECOND_MS;
/** Longest wait for D1, in milliseconds, while there is a copy that is older. */
const STALE_WAIT_MS = 250;
/** If D1 does not answer in that time, the old copy is used for this long, in milliseconds. */
const STALE_PAUSE_MS = 10 * SECOND_MS;
/**
 * An id that D1 did not have is refused for this long, in milliseconds, without asking D1 again.
 */
export const ABSENT_MS = 5 * SECOND_MS;

const STORED_AS = "page";
/** Where older code stored the links, without the page's status (docs/faults.md F16). */
const STORED_BEFORE = "links";

/**
 * One row, or none if there is no such page. The contact's id is reserved, so no link may have it.
 */
const READ_PAGE = `SELECT status, CASE WHEN contact IS NOT NULL THEN slug END AS card,
    (SELECT json_group_object(link_id, url) FROM links
     WHERE page_id = ?1 AND link_id <> '${CONTACT_LINK}') AS links
  FROM pages WHERE page_id = ?1`;

export interface PageRow {
  status: "published" | "suspended";
  /** The slug in the address of the contact card; null without a contact. */
  card: string | null;
  /** JSON `{link_id: url}`. */
  links: string;
}

/** The statement that reads the row for {@link KnownPage.beginRead}. */
export function selectPage(db: Database, page_id: string): Statement {
  return db.prepare(READ_PAGE).bind(page_id);
}

const UNKNOWN = { outcome: "unknown_page" } as const;

interface Known {
  status: PageRow["status"];
  /** Address by link id; `''` stands for the page itself. */
  links: ReadonlyMap<string, string>;
}

export class KnownPage {
  readonly #db: Database;
  readonly #ports: Pick<Ports, "storage" | "clock">;
  /** Null if D1 has no such page; undefined until the stored copy is read. */
  #known: Known | null | undefined;
  /** When D1 was asked for the copy in memory, in unix milliseconds. */
  #read_ms = Number.NEGATIVE_INFINITY;
  /** Number of the last read of D1 that began, and of the one that the copy is from. */
  #reads = 0;
  #newest_read = 0;
  #ended = false;
  /**
   * Until then, in unix milliseconds, an old copy is used without asking D1, which has just failed.
   */
  #trusted_until = Number.NEGATIVE_INFINITY;
  /** A read that is queued behind the current one; callers that arrive now share it. */
  #next: Promise<void> | null = null;
  /** The read that is under way, if any; never rejects. */
  #current: Promise<unknown> = Promise.resolve();

  constructor(db: Database, { storage, clock }: Pick<Ports, "storage" | "clock">) {
    this.#db = db;
    this.#ports = { storage, clock };
  }

  /** Where an event belongs, or undefined if D1 must be asked. No I/O, for the hot path. */
  place(link_id: string): Place | undefined {
    if (this.#ended) return UNKNOWN;
    const now = this.#ports.clock.now();
    const age_ms = now - this.#read_ms;
    const copy = this.#copy(link_id);
    if ("url" in copy) {
      // A negative age means that the clock was set back: the copy may be of any age.
      return (age_ms >= 0 && age_ms < STALE_MS) || this.#isTrusted(now) ? copy : undefined;
    }
    // Refusals are cached for a moment only: the page or the link may have been added since.
    return age_ms >= 0 && age_ms < ABSENT_MS ? copy : undefined;
  }

  /**
   * The same after asking D1: a link added a moment ago counts at once. If D1 does not answer
   * within 250 ms, the copy is used; for an id that the copy does not have, rejects if D1 fails.
   */
  async lookUp(page_id: string, link_id: string): Promise<Place> {
    const copy = this.#copy(link_id);
    const refreshing = this.refresh(page_id);
    if ("url" in copy || copy.outcome === "suspended") {
      try {
        await withTimeout(refreshing, STALE_WAIT_MS, this.#ports.clock);
      } catch {
        this.#trusted_until = this.#ports.clock.now() + STALE_PAUSE_MS;
      }
    } else await refreshing;
    return this.#copy(link_id);
  }

  /**
   * Reads the page from D1. At most one read is under way and one waits, which serves all callers
   * that came meanwhile. Rejects if D1 fails or takes more than 5 s.
   */
  refresh(page_id: string): Promise<void> {
    this.#next ??= this.#current.then(() => {
      const reading = this.#read(page_id);
      this.#next = null;
      this.#current = reading.catch(() => undefined);
      return reading;
    });
    return this.#next;
  }

  /**
   * Begins a read of the page's row in D1 and answers the function that takes the row. A row that
   * arrives after the row of a later read changes nothing.
   */
  beginRead(): (row: PageRow | undefined) => void {
    this.#reads += 1;
    const read = this.#reads;
    const read_ms = this.#ports.clock.now();
    return (row) => {
      if (this.#ended || read < this.#newest_read) return;
      const before = this.#load();
      const known = row === undefined ? null : parseRow(row);
      if (!isSame(known, before)) this.#store(known);
      this.#known = known;
      this.#newest_read = read;
      this.#read_ms = read_ms;
    };
  }

  get hasEnded(): boolean {
    return this.#ended;
  }

  /** The page has ended: nothing can be counted, and nothing is read or stored any more. */
  end(): void {
    this.#ended = true;
  }

  async #read(page_id: string): Promise<void> {
    const finish = this.beginRead();
    const { results } = await withTimeout(
      selectPage(this.#db, page_id).all<PageRow>(),
      LOOK_UP_TIMEOUT_MS,
      this.#ports.clock,
    );
    finish(results[0]);
  }

  /** What the copy has, however old it is. */
  #copy(link_id: string): Place {
    const known = this.#load();
    if (this.#ended || !known) return UNKNOWN;
    if (known.status === "suspended") return { outcome: "suspended" };
    const url = known.links.get(link_id);
    return url === undefined ? { outcome: "unknown_link" } : { url };
  }

  #isTrusted(now: number): boolean {
    return now < this.#trusted_until && this.#trusted_until - now <= STALE_PAUSE_MS;
  }

  #load(): Known | null {
    if (this.#known === undefined) {
      const { kv } = this.#ports.storage;
      const links = kv.get<ReadonlyMap<string, string>>(STORED_BEFORE);
      const before = links && ({ status: "published", links } satisfies Known);
      this.#known = kv.get<Known>(STORED_AS) ?? before ?? null;
    }
    return this.#known;
  }

  /** Asking for a page that does not exist leaves nothing stored (docs/security.md S23). */
  #store(known: Known | null): void {
    const { kv } = this.#ports.storage;
    if (known !== null) kv.put(STORED_AS, known);
    else if (kv.get(STORED_AS) !== undefined) kv.delete(STORED_AS);
    if (kv.get(STORED_BEFORE) !== undefined) kv.delete(STORED_BEFORE);
  }
}

function parseRow({ status, card, links }: PageRow): Known {
  const addresses = Object.entries(JSON.parse(links) as Record<string, string>);
  const contact = card === null ? [] : [[CONTACT_LINK, card] as const];
  return { status, links: new Map([["", ""], ...contact, ...addresses]) };
}

function isSame(a: Known | null, b: Known | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.status !== b.status || a.links.size !== b.links.size) return false;
  for (const [link_id, url] of a.links) if (b.links.get(link_id) !== url) return false;
  return true;
}
