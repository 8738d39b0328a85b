/**
 * What of a page can be counted: its views, its links, and its contact card. Learned from D1, kept
 * in the object, so that events are acknowledged while D1 is down.
 */

import { withTimeout } from "./clock.ts";
import { CONTACT_LINK } from "./event.ts";
import type { Clock, Database, Ports, Storage } from "./ports.ts";

/** Longest wait for D1, in milliseconds, before an unknown id is answered with an error. */
const LOOK_UP_TIMEOUT_MS = 5_000;
const STORED_AS = "links";

/**
 * The one statement that reads a page's links. No row at all: no such page. The contact button leads
 * to a card of ours, which goes by the slug; its id is reserved, and no link may take its place.
 */
const READ_LINKS = `
  SELECT '' AS link_id, '' AS url FROM pages WHERE page_id = ?1
  UNION ALL
  SELECT '${CONTACT_LINK}', slug FROM pages WHERE page_id = ?1 AND contact IS NOT NULL
  UNION ALL
  SELECT link_id, url FROM links WHERE page_id = ?1 AND link_id <> '${CONTACT_LINK}'`;

/** As {@link READ_LINKS} has them; `''` is the page itself, so an empty map means: no page. */
type Links = ReadonlyMap<string, string>;

export class KnownLinks {
  readonly #db: Database;
  readonly #storage: Storage;
  readonly #clock: Clock;
  #links: Links | null = null;
  /** The look-up that has not begun yet and so will see whatever is in D1 now. */
  #next: Promise<Links> | null = null;
  /** The look-up that is under way, if any; never rejects. */
  #current: Promise<unknown> = Promise.resolve();

  constructor(db: Database, { storage, clock }: Ports) {
    this.#db = db;
    this.#storage = storage;
    this.#clock = clock;
  }

  /** The link's address, or the contact's slug, if it is known already; no I/O, for the hot path. */
  known(link_id: string): string | undefined {
    this.#links ??= this.#storage.kv.get<Links>(STORED_AS) ?? new Map();
    return this.#links.get(link_id);
  }

  /**
   * Asks D1 anew, because an id is unknown: a link added a moment ago counts at once. Bounded: one
   * look-up is under way and one waits, which serves everybody who came in the meantime. Rejects
   * when D1 fails or takes over 5 s.
   */
  lookUp(page_id: string): Promise<Links> {
    this.#next ??= this.#current.then(() => {
      const reading = this.#read(page_id);
      this.#next = null;
      this.#current = reading.catch(() => undefined);
      return reading;
    });
    return this.#next;
  }

  async #read(page_id: string): Promise<Links> {
    const { results } = await withTimeout(
      this.#db.prepare(READ_LINKS).bind(page_id).all<{ link_id: string; url: string }>(),
      LOOK_UP_TIMEOUT_MS,
      this.#clock,
    );
    const links = new Map(results.map(({ link_id, url }) => [link_id, url]));
    // Asking for a page that does not exist leaves nothing stored (SECURITY S23).
    if (links.size > 0 && !sameLinks(links, this.#links)) this.#storage.kv.put(STORED_AS, links);
    this.#links = links;
    return links;
  }
}

function sameLinks(a: Links, b: Links | null): boolean {
  if (b === null || a.size !== b.size) return false;
  for (const [link_id, url] of a) if (b.get(link_id) !== url) return false;
  return true;
}
