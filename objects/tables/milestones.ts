/**
 * The milestones of one page: which round numbers of people's views and clicks it has reached, and
 * when. Each is noted once, by the checkpoint that reaches it, and brought into D1 like a tally.
 *
 * Holds the lifetime totals that decide this. They ride in the row that each checkpoint writes
 * anyway: no checkpoint costs a row more, and waking does not read the past. A page has one shard so
 * far, whose totals are the page's; with more of them, it takes one that knows the sum to decide.
 */
import type { Kv, Sql, Storage } from "../platform/ports.ts";
import { kindOf, type PageEvent } from "./event.ts";
import type { Tally } from "./tallies.ts";

/** The first milestone; each next one is ten times as much. */
const FIRST = 100;

export interface Milestone {
  kind: Tally["kind"];
  n: number;
  /** Unix milliseconds of the checkpoint that reached it. */
  reached_at: number;
}

/** People's events of all links together, by kind. */
export type Totals = Readonly<Record<Tally["kind"], number>>;

const NONE: Totals = { view: 0, click: 0 };

/** The milestones that a total has reached, the smallest first: 100, 1,000, 10,000 … */
export function milestonesUpTo(total: number): number[] {
  const reached: number[] = [];
  for (let n = FIRST; n <= total; n *= 10) reached.push(n);
  return reached;
}

/** As it is stored, under a key of its own: most pages never reach one, and a table costs two rows. */
interface Noted extends Milestone {
  flushed: boolean;
}

const PREFIX = "milestone:";

export class Milestones {
  readonly #sql: Sql;
  readonly #kv: Kv;
  /** As of the last checkpoint; null where it did not say, and the next one has to sum them. */
  #totals: Totals | null = null;
  /** Since the last checkpoint. */
  #added = { ...NONE };

  constructor({ sql, kv }: Pick<Storage, "sql" | "kv">) {
    this.#sql = sql;
    this.#kv = kv;
  }

  /** What the object knew when it last wrote a checkpoint; older code kept no totals. */
  load(): void {
    const last = this.#sql
      .exec<{ people: string | null }>("SELECT people FROM checkpoints ORDER BY seq DESC LIMIT 1")
      .toArray()[0];
    if (last?.people != null) this.#totals = JSON.parse(last.people) as Totals;
  }

  add({ class: eventClass, link_id }: Pick<PageEvent, "class" | "link_id">): void {
    if (eventClass === "human") this.#added[kindOf(link_id)] += 1;
  }

  /**
   * Notes what was reached since the last checkpoint, once the tallies have written theirs. Answers
   * the totals for the checkpoint's row; `checkpointed` must follow with them once it holds.
   */
  checkpoint(now: number): Totals {
    const before = this.#totals;
    const after = before === null ? this.#sum() : plus(before, this.#added);
    for (const kind of ["view", "click"] as const) {
      for (const n of milestonesUpTo(after[kind])) {
        if (before === null || n > before[kind]) this.#note({ kind, n, reached_at: now });
      }
    }
    return after;
  }

  checkpointed(totals: Totals): void {
    this.#totals = totals;
    this.#added = { ...NONE };
  }

  /** Those that D1 has not confirmed: a handful in the life of a page. */
  unflushed(): Milestone[] {
    return this.#noted()
      .filter(({ flushed }) => !flushed)
      .map(({ kind, n, reached_at }) => ({ kind, n, reached_at }));
  }

  /** D1 holds these. */
  confirm(milestones: readonly Milestone[]): void {
    for (const milestone of milestones) this.#put({ ...milestone, flushed: true });
  }

  /** D1 may hold none of them any more. */
  unconfirm(): void {
    for (const milestone of this.#noted()) this.#put({ ...milestone, flushed: false });
  }

  /** One that was noted before stays as it was: totals that had to be summed come by it again. */
  #note(milestone: Milestone): void {
    if (this.#kv.get(keyOf(milestone)) === undefined) this.#put({ ...milestone, flushed: false });
  }

  #noted(): Noted[] {
    return [...this.#kv.list<Noted>({ prefix: PREFIX })].map(([, milestone]) => milestone);
  }

  #put(milestone: Noted): void {
    this.#kv.put(keyOf(milestone), milestone);
  }

  /** Reads all tallies of the page: once in its life, or after code that did not keep totals. */
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
