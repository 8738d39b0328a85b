/**
 * The milestones of one page: which round numbers of people's views and clicks it has reached, and
 * when. Each is stored once, by the checkpoint that reaches it, and flushed to D1 like a tally.
 *
 * Owns the lifetime totals that decide this. They are part of the row that each checkpoint writes,
 * so they cost no further row, and waking does not read the past. A page has one shard so far,
 * whose totals are the page's; with several shards, one of them would have to decide by the sum.
 */

import { kindOf, type PageEvent } from "../../events/event.ts";
import type { Kv, Sql, Storage } from "../../platform/ports.ts";
import type { Transaction } from "../../platform/transaction.ts";
import type { CheckpointState } from "./checkpoints.ts";
import type { Tally } from "./tallies.ts";

const FIRST = 100;

export interface Milestone {
  kind: Tally["kind"];
  n: number;
  /** Unix milliseconds of the checkpoint that reached it. */
  reached_at: number;
}

export type Totals = Readonly<Record<Tally["kind"], number>>;

const NONE: Totals = { view: 0, click: 0 };

/** The smallest comes first: 100, 1,000, 10,000 … */
export function milestonesUpTo(total: number): number[] {
  const reached: number[] = [];
  for (let n = FIRST; n <= total; n *= 10) reached.push(n);
  return reached;
}

/** Each has a key of its own: most pages reach none, and a table costs two rows. */
interface StoredMilestone extends Milestone {
  flushed: boolean;
}

const PREFIX = "milestone:";

export class Milestones {
  readonly #sql: Sql;
  readonly #kv: Kv;
  /** Totals at the last checkpoint; null if its row has none: the next one sums the tallies. */
  #totals: Totals | null = null;
  #added = { ...NONE };
  readonly #onReached: (milestone: Milestone) => void;

  /** @param onReached called in the transaction that stores a milestone first */
  constructor({ sql, kv }: Pick<Storage, "sql" | "kv">, onReached: (milestone: Milestone) => void) {
    this.#sql = sql;
    this.#kv = kv;
    this.#onReached = onReached;
  }

  load(last: CheckpointState | undefined): void {
    if (last?.people != null) this.#totals = JSON.parse(last.people) as Totals;
  }

  add({ class: eventClass, link_id }: Pick<PageEvent, "class" | "link_id">): void {
    if (eventClass === "human") this.#added[kindOf(link_id)] += 1;
  }

  get isDue(): boolean {
    const before = this.#totals;
    if (before === null) return true;
    const after = plus(before, this.#added);
    return (["view", "click"] as const).some(
      (kind) => milestonesUpTo(after[kind]).length > milestonesUpTo(before[kind]).length,
    );
  }

  /** Must run after that of the tallies. Answers the totals for the checkpoint's row. */
  checkpoint(tx: Transaction, now: number): Totals {
    const before = this.#totals;
    const after = before === null ? this.#sum() : plus(before, this.#added);
    for (const kind of ["view", "click"] as const) {
      for (const n of milestonesUpTo(after[kind])) {
        if (before === null || n > before[kind]) this.#add({ kind, n, reached_at: now });
      }
    }
    tx.afterCommit(() => this.#startFrom(after));
    return after;
  }

  #startFrom(totals: Totals): void {
    this.#totals = totals;
    this.#added = { ...NONE };
  }

  unflushed(): Milestone[] {
    return this.#stored()
      .filter(({ flushed }) => !flushed)
      .map(({ kind, n, reached_at }) => ({ kind, n, reached_at }));
  }

  get confirmed(): number {
    return this.#stored().filter(({ flushed }) => flushed).length;
  }

  confirm(milestones: readonly Milestone[]): void {
    for (const milestone of milestones) this.#put({ ...milestone, flushed: true });
  }

  unconfirm(): void {
    for (const milestone of this.#stored()) this.#put({ ...milestone, flushed: false });
  }

  /** A stored milestone stays: totals that were summed reach it once more. */
  #add(milestone: Milestone): void {
    if (this.#kv.get(keyOf(milestone)) !== undefined) return;
    this.#put({ ...milestone, flushed: false });
    this.#onReached(milestone);
  }

  #stored(): StoredMilestone[] {
    return [...this.#kv.list<StoredMilestone>({ prefix: PREFIX })].map(
      ([, milestone]) => milestone,
    );
  }

  #put(milestone: StoredMilestone): void {
    this.#kv.put(keyOf(milestone), milestone);
  }

  /** Reads all tallies of the page: once in its life, or after older code, which kept no totals. */
  #sum(): Totals {
    const sums = this.#sql.exec<{ kind: Tally["kind"]; n: number }>(
      "SELECT kind, SUM(n) AS n FROM tallies WHERE class = 'human' GROUP BY kind",
    );
    const totals = { ...NONE };
    for (const { kind, n } of sums) totals[kind] = n;
    return totals;
  }
}

function keyOf({ kind, n }: Milestone): string {
  return `${PREFIX}${kind}:${n}`;
}

function plus(a: Totals, b: Totals): Totals {
  return { view: a.view + b.view, click: a.click + b.click };
}
