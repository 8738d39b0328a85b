/**
 * ScopeWindows: the windows of all senders in one scope, of one length, and the journal that they
 * are read back from.
 *
 * The journal is a few rows of packed admissions. Each group commit writes one row: the newest,
 * with what the group admitted, until it is full; then it is closed and the next one begins. So a
 * group costs one row, and the later deletion one in 170 admissions. On waking the journal is
 * decided again at the recorded times, so a window is the same after a restart as before it, with
 * what a step back of the clock did to it. Entries are dropped in their order, once they are as old
 * as the window is long.
 */
import type { Kv } from "../platform/ports.ts";
import type { Transaction } from "../platform/transaction.ts";
import {
  ENTRY_BYTES,
  EntryWriter,
  keyAt,
  liveIn,
  newestIn,
  replay,
  SENDER_BYTES,
  viewOf,
} from "./packed-admissions.ts";
import { admit, type SlidingWindow, usedIn } from "./sliding-window.ts";
import { WindowTable } from "./window-table.ts";

/** This fits into a page of SQLite. The newest row is written again with each group. */
const ROW_BYTES_MAX = 170 * ENTRY_BYTES;

const NO_ADMISSIONS: SlidingWindow = [];
const NO_ENTRIES = new Uint8Array(0);

interface Row {
  key: string;
  newest_ms: number;
}

interface OpenRow extends Row {
  number: number;
  entries: Uint8Array;
}

export interface Part {
  sender: Uint8Array;
  limit: number;
  /** The request counts as this many; 1 if absent. */
  units?: number;
  /**
   * Replaces `limit`: at most `1 / share` of what the last part has left (dynamic thresholds,
   * Choudhury and Hahne 1998), and always one. What one sender takes makes every share smaller.
   */
  share?: number;
}

export class ScopeChange {
  readonly windows = new Map<string, SlidingWindow>();
  readonly writer = new EntryWriter();
}

export class ScopeWindows {
  readonly window_ms: number;
  readonly #prefix: string;
  readonly #windows = new WindowTable();
  readonly #closed: Row[] = [];
  #open: OpenRow | null = null;

  constructor(prefix: string, window_ms: number) {
    this.#prefix = prefix;
    this.window_ms = window_ms;
  }

  /** Earlier code kept a row for each window. Must run before `loadRow`. */
  loadWindow(key: string, sender: Uint8Array, window: SlidingWindow): void {
    this.#windows.set(keyAt(viewOf(sender), 0), window);
    this.#closed.push({ key, newest_ms: window.at(-1) ?? Number.NEGATIVE_INFINITY });
  }

  /** Must get the rows in the order of their numbers. */
  loadRow(number: number, entries: Uint8Array): void {
    replay(entries, this.#windows, this.window_ms);
    if (this.#open !== null) this.#closed.push(closed(this.#open));
    this.#open = { key: this.#prefix + number, number, entries, newest_ms: newestIn(entries) };
  }

  /** One request of each sender, which counts as `units`. Answers as `checkAll`. */
  decide(
    senders: Uint8Array,
    limit: number,
    now: number,
    change: ScopeChange,
    units = 1,
  ): Int32Array {
    const count = Math.floor(senders.length / SENDER_BYTES);
    const view = viewOf(senders);
    const answer = new Int32Array(2 * count);
    change.writer.reserve(count * units);
    for (let i = 0; i < count; i += 1) {
      const at = i * SENDER_BYTES;
      const key = keyAt(view, at);
      const before = change.windows.get(key) ?? this.#windows.get(key) ?? NO_ADMISSIONS;
      const { verdict, window } = admit(before, limit, now, this.window_ms, units);
      if (window !== before) {
        change.windows.set(key, window);
        for (let n = 0; n < (verdict.admitted ? units : 1); n += 1) {
          change.writer.add(view, at, now, verdict.admitted);
        }
      }
      answer[2 * i] = verdict.admitted ? verdict.remaining : -1;
      answer[2 * i + 1] = verdict.reset_ms;
    }
    return answer;
  }

  /**
   * The request counts in all windows or in none. Answers the index of the part that refuses, of
   * several the one that will for longest, or -1; and of that part, or else of the last,
   * `remaining` and `reset_ms`.
   */
  decideTogether(parts: readonly Part[], now: number, change: ScopeChange): Int32Array {
    const used = parts.map(({ sender }) => this.#usedWith(change, sender, now));
    const last = parts.length - 1;
    const left = (parts[last]?.limit ?? 0) - (used[last] ?? 0);
    const limits = parts.map(({ limit, share }) =>
      share === undefined ? limit : Math.max(1, Math.floor(left / share)),
    );
    const decide = (i: number, limit = limits[i] ?? 0) => {
      const { sender = NO_ENTRIES, units } = parts[i] ?? {};
      return this.decide(sender, limit, now, change, units);
    };
    const refusals = parts.flatMap(({ units = 1, share }, i) => {
      if ((used[i] ?? 0) + units <= (limits[i] ?? 0)) return [];
      // A share grows when the first of the whole leaves, long before the sender's own does.
      const [, reset_ms = 0] = share === undefined ? decide(i) : decide(last, used[last]);
      return [{ i, reset_ms }];
    });
    const [longest] = refusals.toSorted((one, other) => other.reset_ms - one.reset_ms);
    if (longest !== undefined) return Int32Array.of(longest.i, 0, longest.reset_ms);
    const [remaining = 0, reset_ms = 0] = parts.map((_, i) => decide(i))[last] ?? [];
    return Int32Array.of(-1, remaining, reset_ms);
  }

  used(sender: Uint8Array, now: number): number {
    return this.#usedWith(null, sender, now);
  }

  #usedWith(change: ScopeChange | null, sender: Uint8Array, now: number): number {
    const key = keyAt(viewOf(sender), 0);
    const window = change?.windows.get(key) ?? this.#windows.get(key) ?? NO_ADMISSIONS;
    return usedIn(window, now, this.window_ms);
  }

  /** Writes one row, or several if a group has more entries than a row. */
  save(tx: Transaction, kv: Kv, { windows, writer }: ScopeChange, now: number): void {
    const written = this.#rowsWith(writer.entries, now);
    for (const { key, entries } of written) kv.put(key, entries);
    tx.afterCommit(() => {
      for (const [key, window] of windows) this.#windows.set(key, window);
      for (const row of written) {
        if (this.#open !== null && this.#open.number !== row.number) {
          this.#closed.push(closed(this.#open));
        }
        this.#open = row;
      }
    });
  }

  isOver(now: number): boolean {
    return this.#rows().every((row) => this.#isRowOver(row, now));
  }

  drop(tx: Transaction, kv: Kv, now: number): void {
    const rows = this.#rows();
    const live = rows.findIndex((row) => !this.#isRowOver(row, now));
    const over = live === -1 ? rows : rows.slice(0, live);
    for (const { key } of over) kv.delete(key);
    tx.afterCommit(() => {
      this.#closed.splice(0, over.length);
      if (live === -1) this.#open = null;
      this.#windows.dropExpired(now, this.window_ms);
    });
  }

  firstEnd(now: number): number {
    // After a step back of the clock the newest time may be ahead of `now`.
    return Math.min(this.#rows()[0]?.newest_ms ?? now, now) + this.window_ms;
  }

  #rows(): Row[] {
    return this.#open === null ? this.#closed : [...this.#closed, this.#open];
  }

  #isRowOver({ newest_ms }: Row, now: number): boolean {
    return now - newest_ms >= this.window_ms;
  }

  #rowsWith(entries: Uint8Array, now: number): OpenRow[] {
    const open = this.#open;
    const live = open === null ? NO_ENTRIES : this.#liveIn(open, now);
    if (open !== null && live.length + entries.length <= ROW_BYTES_MAX) {
      const newest_ms = live.length === 0 ? now : Math.max(open.newest_ms, now);
      return [{ ...open, entries: joined(live, entries), newest_ms }];
    }
    const rows: OpenRow[] = [];
    for (let from = 0; from < entries.length; from += ROW_BYTES_MAX) {
      const number = (open === null ? 0 : open.number + 1) + rows.length;
      const part = entries.slice(from, from + ROW_BYTES_MAX);
      rows.push({ key: this.#prefix + number, number, entries: part, newest_ms: now });
    }
    return rows;
  }

  /** Entries go in their order: only if all rows before the newest are over. */
  #liveIn({ entries }: OpenRow, now: number): Uint8Array {
    const isFirst = this.#closed.every((row) => this.#isRowOver(row, now));
    return isFirst ? liveIn(entries, now, this.window_ms) : entries;
  }
}

function closed({ key, newest_ms }: OpenRow): Row {
  return { key, newest_ms };
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
