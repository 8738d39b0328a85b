/** PageLedger: a page's tallies and days, as the flusher sees them. */
import type { Day, Days } from "./days.ts";
import { FLUSH_DAYS_MAX, FLUSH_TALLIES_MAX, flush, holds } from "./flush.ts";
import type { Ledger } from "./flusher.ts";
import type { Database, Storage } from "./ports.ts";
import { hasTables } from "./schema.ts";
import type { Tallies, Tally } from "./tallies.ts";

/** A page has one shard so far; its number is part of the key of its rows in D1. */
const SHARD = 0;

export interface PageRows {
  tallies: Tally[];
  days: Day[];
}

export interface PageLedgerPorts {
  storage: Storage;
  db: Database;
  /** A function, because the platform may not know the object's name until its first call. */
  pageId: () => string;
}

export class PageLedger implements Ledger<PageRows> {
  readonly #ports: PageLedgerPorts;
  readonly #tallies: Tallies;
  readonly #days: Days;
  readonly #checkpoint: () => void;

  /** @param checkpoint brings the tables up to what was acknowledged */
  constructor(ports: PageLedgerPorts, tallies: Tallies, days: Days, checkpoint: () => void) {
    this.#ports = ports;
    this.#tallies = tallies;
    this.#days = days;
    this.#checkpoint = checkpoint;
  }

  exists(): boolean {
    return hasTables(this.#ports.storage);
  }

  settle(now: number): void {
    this.#checkpoint();
    // Visitors die with their day, whether or not D1 is there to hear how many they were.
    this.#days.forget(now);
  }

  isDirty(): boolean {
    return this.#tallies.unflushedFrom !== Number.POSITIVE_INFINITY;
  }

  unflushed(): PageRows | null {
    const tallies = this.#tallies.unflushed(FLUSH_TALLIES_MAX);
    const days = this.#days.unflushed(FLUSH_DAYS_MAX);
    return tallies.length === 0 && days.length === 0 ? null : { tallies, days };
  }

  send(rows: PageRows, now: number): Promise<boolean> {
    const sent = { ...rows, page_id: this.#ports.pageId(), shard: SHARD };
    return flush(this.#ports.db, sent, this.#tallies.confirmed(), now);
  }

  confirm({ tallies, days }: PageRows): void {
    this.#tallies.confirm(tallies);
    this.#days.confirm(days);
  }

  isHeld(): Promise<boolean> {
    return holds(this.#ports.db, this.#ports.pageId(), SHARD, this.#tallies.confirmed());
  }

  unconfirm(): void {
    this.#ports.storage.transactionSync(() => {
      this.#tallies.unconfirm();
      this.#days.unconfirm();
    });
    this.#tallies.unconfirmed();
  }

  forgetAt(): number | null {
    return this.#days.forgetAt;
  }
}
