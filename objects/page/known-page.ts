/**
 * What of a page can be counted: its views, its links and its contact card, as long as it is published.
 *
 * A copy of what D1 says, stored in the object, so that events are acknowledged while D1 is down. It is
 * replaced when the router announces a change (`changed`), by every flush, whose transaction reads the page
 * as well, by the sweep, and when an unknown id is asked for. An event that finds the copy a minute old has it
 * read anew, for an announcement that was lost, and goes by the copy where D1 does not answer at once.
 */
import { SECOND_MS, withTimeout } from "../platform/clock.ts";
import type { Database, Ports, Statement } from "../platform/ports.ts";
import { CONTACT_LINK, type Place } from "../tables/event.ts";

/** Longest wait for D1, in milliseconds, before an unknown id is answered with an error. */
const LOOK_UP_TIMEOUT_MS = 5 * SECOND_MS;
/** A copy older than this, in milliseconds, is read anew before it is used: an edit shows within 60 s. */
export const STALE_MS = 55 * SECOND_MS;
/** Longest wait for that, in milliseconds. */
const STALE_WAIT_MS = 250;
/** After D1 did not answer in that time, events go by the copy for so long, in milliseconds. */
const STALE_PAUSE_MS = 10 * SECOND_MS;
/** What D1 did not have this long ago, in milliseconds, is taken to be missing without asking again. */
export const ABSENT_MS = 5 * SECOND_MS;

const STORED_AS = "page";
/** Where older code kept the links, without the page's status. */
const STORED_BEFORE = "links";

/** One row, or none where there is no such page. The contact's id is reserved, so no link may have it. */
const READ_PAGE = `SELECT status, CASE WHEN contact IS NOT NULL THEN slug END AS card,
    (SELECT json_group_object(link_id, url) FROM links
     WHERE page_id = ?1 AND link_id <> '${CONTACT_LINK}') AS links
  FROM pages WHERE page_id = ?1`;

export interface PageRow {
  status: "published" | "suspended";
  /** The slug that the contact card goes by; null without a contact. */
  card: string | null;
  /** JSON `{link_id: url}`. */
  links: string;
}

/** The statement that reads what a page's object has to know; {@link KnownPage.finishRead} takes its row. */
export function selectPage(db: Database, page_id: string): Statement {
  return db.prepare(READ_PAGE).bind(page_id);
}

interface Known {
  status: PageRow["status"];
  /** Address by link id; `''` stands for the page itself. */
  links: ReadonlyMap<string, string>;
}

export class KnownPage {
  readonly #db: Database;
  readonly #ports: Pick<Ports, "storage" | "clock">;
  /** Null where D1 has no such page; undefined until the stored copy is read. */
  #known: Known | null | undefined;
  /** When D1 was asked for what is known, in unix milliseconds. */
  #asked_ms = Number.NEGATIVE_INFINITY;
  /** Number of the newest question to D1, and of the one whose answer is known. */
  #questions = 0;
  #answered = 0;
  #ended = false;
  /** Until then, in unix milliseconds, a stale copy is used without asking D1, which has just failed. */
  #trusted_until = Number.NEGATIVE_INFINITY;
  /** The look-up that has not begun yet and so will see whatever is in D1 now. */
  #next: Promise<void> | null = null;
  /** The look-up that is under way, if any; never rejects. */
  #current: Promise<unknown> = Promise.resolve();

  constructor(db: Database, { storage, clock }: Pick<Ports, "storage" | "clock">) {
    this.#db = db;
    this.#ports = { storage, clock };
  }

  /** Where an event belongs, or undefined where D1 must be asked. No I/O, for the hot path. */
  place(link_id: string): Place | undefined {
    const now = this.#ports.clock.now();
    const age_ms = now - this.#asked_ms;
    const copy = this.#copy(link_id);
    if ("url" in copy) {
      // By a clock that was set back it may be of any age.
      return (age_ms >= 0 && age_ms < STALE_MS) || this.#isTrusted(now) ? copy : undefined;
    }
    // A refusal is taken from memory for a moment only: the page or the link may have been added since.
    return age_ms >= 0 && age_ms < ABSENT_MS ? copy : undefined;
  }

  /**
   * The same after asking D1 anew: a link added a moment ago counts at once. Where the copy has an answer it is
   * taken if D1 does not answer within 250 ms; for an id that the copy does not have, rejects when D1 fails.
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
   * Reads the page from D1. Bounded: one look-up is under way and one waits, which serves all callers that
   * came in the meantime. Rejects when D1 fails or takes over 5 s.
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

  /** To be called when D1 is asked for a page's row elsewhere; `learn` takes its number with the answer. */
  startRead(): { question: number; asked_ms: number } {
    this.#questions += 1;
    return { question: this.#questions, asked_ms: this.#ports.clock.now() };
  }

  /** The page has ended: nothing is learned or stored any more. */
  end(): void {
    this.#ended = true;
  }

  /** Takes over what D1 said. An answer that was overtaken by a later question's changes nothing. */
  finishRead(
    row: PageRow | undefined,
    { question, asked_ms }: ReturnType<KnownPage["startRead"]>,
  ): void {
    if (this.#ended || question < this.#answered) return;
    const before = this.#load();
    const known = row === undefined ? null : parseRow(row);
    if (!isSame(known, before)) this.#store(known);
    this.#known = known;
    this.#answered = question;
    this.#asked_ms = asked_ms;
  }

  async #read(page_id: string): Promise<void> {
    const asked = this.startRead();
    const { results } = await withTimeout(
      selectPage(this.#db, page_id).all<PageRow>(),
      LOOK_UP_TIMEOUT_MS,
      this.#ports.clock,
    );
    this.finishRead(results[0], asked);
  }

  /** What the copy says, however old it is. */
  #copy(link_id: string): Place {
    const known = this.#load();
    if (!known) return { outcome: "unknown_page" };
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
