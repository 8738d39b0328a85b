/**
 * Ledger: what the flush scheduler needs of the numbers that it brings into D1. A ledger is a page's
 * tallies, days and milestones (`page/page-ledger.ts`), or the groups of an error log
 * (`errors/error-groups.ts`).
 */

/**
 * The result of a flush. `restored`: nothing was written, because D1 has lost some of what it
 * confirmed. `gone`: nothing was written, because D1 has no such page any more.
 */
export type FlushResult = "written" | "restored" | "gone";

/** Numbers that go to D1: absolute ones that only grow, each beside what D1 has confirmed of it. */
export interface Ledger<Rows> {
  /** Whether the object has tables; it makes them with the first thing that it counts. */
  exists(): boolean;
  /** Runs the checkpoint and deletes expired data. Also called for an object without tables. */
  prepare(now: number): void;
  /** Whether anything acknowledged may be missing in D1, although D1 would take it. */
  isDirty(): boolean;
  /** Whether what waits for D1 is so little that it may wait for the long interval. */
  isQuiet?(): boolean;
  /**
   * The next rows that D1 has not confirmed, as many as one flush takes; null if there are none.
   */
  unflushed(): Rows | null;
  /** Merges rows into D1. */
  send(rows: Rows, now: number): Promise<FlushResult>;
  /**
   * Marks these numbers as confirmed by D1. Events counted after they were sent stay unflushed.
   */
  confirm(rows: Rows): void;
  /** What follows when nothing is unflushed. Rejects if D1 fails. */
  settle?(now: number): Promise<void>;
  /** Whether D1 still holds what it confirmed. Rejects if D1 fails. */
  holdsConfirmed(): Promise<boolean>;
  /** Marks everything as unconfirmed, after D1 was restored. */
  unconfirm(): void;
  /**
   * When the alarm must fire next although nothing waits for D1, in unix milliseconds, or null. Also
   * for an object without tables.
   */
  dueAt(): number | null;
}
