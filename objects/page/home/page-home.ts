/**
 * PageHome: in which database the rows of one page are, and how they move to another one.
 *
 * To the page's object, a database that the page moves to is one that was restored to a time before
 * the page (docs/faults.md F20): everything is unconfirmed and flushed again. Each step may be
 * repeated, and after a power failure the move goes on from what is stored:
 *
 *   { at: new, from: old, held }      everything is unconfirmed; flushes go to the new one, readers to
 *                                     the old one, which has what is `held`
 *   { at: new, from: old, copied }    all is confirmed there, and the history that no object holds
 *                                     is copied; from now on it is read there
 *   { at: new, from: null }           the rows in the old one are deleted
 */
import { SECOND_MS, withTimeout } from "../../platform/clock.ts";
import { logError } from "../../platform/log.ts";
import type { Database, Ports } from "../../platform/ports.ts";
import { Transaction } from "../../platform/transaction.ts";
import { copyHistory } from "./copy-history.ts";
import { homeOf, MAIN, openStats, type StatsDatabases } from "./databases.ts";
import { endIn, leave } from "./left-pages.ts";

const STORED_AS = "stats_home";
const CALL_TIMEOUT_MS = 10 * SECOND_MS;

/** What a database has of the page, as the object knew it when the page began to leave. */
export interface Held {
  /** Everything acknowledged before this unix millisecond is there. */
  watermark: number;
  /** Events by link and class. */
  flushed: ReadonlyMap<string, number>;
}

interface Stored {
  at: string;
  /** Name of the database that the page is leaving; flushes go to `at`. */
  from: string | null;
  /** The number of the last move that has begun. */
  move: number;
  copied: boolean;
  held?: Held | undefined;
}

export interface RowsHome {
  page_id: string;
  /** Has the page, its milestones and its tips. */
  main: Database;
  /** Has the tallies, days and months. */
  db: Database;
  isMain: boolean;
  /** The number of the page's last move (`left-pages.ts`). */
  move: number;
  isMoving: boolean;
}

/** The home of a page from code that knew one database. */
const BEFORE: Stored = { at: MAIN, from: null, move: 0, copied: false };

export interface HomePorts extends Pick<Ports, "storage" | "clock" | "abort"> {
  db: Database;
  stats: StatsDatabases;
  /** A function, because the platform may not know the object's name until its first call. */
  pageId: () => string;
}

const reported = new Set<string>();

export class PageHome {
  readonly #ports: HomePorts;
  #stored: Stored;
  /** Null until it is needed, and after each change of `#stored`. */
  #current: RowsHome | null = null;
  #target: string | null = null;
  #ended = false;

  constructor(ports: HomePorts) {
    this.#ports = ports;
    this.#stored = ports.storage.kv.get<Stored>(STORED_AS) ?? BEFORE;
  }

  /** Throws if a database is not bound. */
  get current(): RowsHome {
    const { at, move, from } = this.#stored;
    const { db: main, pageId } = this.#ports;
    this.#current ??= {
      ...{ page_id: pageId(), main, db: this.#open(at) },
      ...{ isMain: at === MAIN, move, isMoving: from !== null },
    };
    return this.#current;
  }

  /** This database has everything that it was confirmed to have. */
  get readFrom(): string {
    const { at, from, copied } = this.#stored;
    return from === null || copied ? at : from;
  }

  /** What `readFrom` has while the page leaves it; at other times it has all that is confirmed. */
  get held(): Held | null {
    const { from, copied, held } = this.#stored;
    return from === null || copied ? null : (held ?? null);
  }

  /** The databases that have rows of the page, or may have them in a moment. */
  get names(): string[] {
    const { at, from } = this.#stored;
    return [...new Set([at, from ?? at, this.#home()])];
  }

  get isDue(): boolean {
    return !this.#ended && (this.#stored.from !== null || this.#stored.at !== this.#home());
  }

  /** Calls `held`, which answers what is confirmed, and `unconfirm` in one synchronous step. */
  begin(held: () => Held, unconfirm: () => void): void {
    if (this.#ended) return;
    const { at, from, move } = this.#stored;
    const source = this.#isBound(at) ? at : from;
    if (from !== null && source === at) {
      if (!this.#isBound(from)) this.#store({ at, from: null, move, copied: false });
      return;
    }
    const to = this.#home();
    if (to === at) return;
    const isLeft = source !== null && source !== to && this.#isBound(source);
    const of_source = source === at ? held() : this.#stored.held;
    unconfirm();
    this.#store({
      at: to,
      from: isLeft ? source : null,
      move: move + 1,
      copied: false,
      ...(isLeft && { held: of_source }),
    });
  }

  /** Call it when all is confirmed. Rejects if a database fails. */
  async settle(now: number): Promise<void> {
    const { at, from, move, copied } = this.#stored;
    if (from === null) return;
    const named = (name: string) => ({ name, db: this.#open(name) });
    const inTime = async <T>(call: Promise<T>): Promise<T> => {
      const answer = await withTimeout(call, CALL_TIMEOUT_MS, this.#ports.clock);
      if (this.#ended) throw new Error("the page has ended");
      return answer;
    };
    const page_id = this.#ports.pageId();
    if (!copied) {
      await copyHistory({ from: named(from), to: named(at) }, page_id, move, inTime);
      this.#store({ at, from, move, copied: true });
    }
    await inTime(leave(this.#open(from), page_id, move, now));
    this.#store({ at, from: null, move, copied: false });
  }

  end(): void {
    this.#ended = true;
  }

  /** Asks every database, because it is not stored which had rows. Rejects if one fails. */
  async forget(now: number): Promise<void> {
    const { stats, clock, pageId } = this.#ports;
    const ending = [...stats.bound.values()].map((db) => endIn(db, [pageId()], now));
    await withTimeout(Promise.all(ending), CALL_TIMEOUT_MS, clock);
  }

  #home(): string {
    const { stats, pageId } = this.#ports;
    if (stats.homes.length === 0) return MAIN;
    this.#target ??= homeOf(pageId(), stats.homes);
    return this.#target;
  }

  #open(name: string): Database {
    const { db, stats } = this.#ports;
    return openStats(db, stats, name);
  }

  /** Logs a missing database once. The rows that the object counted are complete without it. */
  #isBound(name: string): boolean {
    if (name === MAIN || this.#ports.stats.bound.has(name)) return true;
    if (!reported.has(name)) logError("stats_database_missing", { database: name });
    reported.add(name);
    return false;
  }

  #store(stored: Stored): void {
    Transaction.run(this.#ports, (tx) => {
      this.#ports.storage.kv.put(STORED_AS, stored);
      tx.afterCommit(() => {
        this.#stored = stored;
        this.#current = null;
      });
    });
  }
}
