/**
 * SenderWindows: the exact sliding windows of one sender, or of the senders folded into one shard.
 *
 * Owns, per sender and scope, the times of the requests admitted within one length of the window:
 * 60 s, or what the check asks for. Windows are kept by sender too, so the limits stay exact when
 * many senders share one object (LIMITER_SHARDS). Forgets a window once its last admission is as
 * old as the window is long, and everything when no window is left.
 *
 * Each group of admissions writes one row per scope before it is answered (`scope-windows.ts`); a
 * refusal writes none. Memory is only a cache of those rows. The object of a user has
 * `reservations` too, which share the alarm; neither reads the rows of the other.
 */
import { Alarm } from "../platform/alarm.ts";
import { GroupCommit } from "../platform/group-commit.ts";
import type { Ports } from "../platform/ports.ts";
import { Transaction } from "../platform/transaction.ts";
import { bytesOf, isSender, SENDER_BYTES } from "./packed-admissions.ts";
import { Reservations } from "./reservations.ts";
import { type Part, ScopeChange, ScopeWindows } from "./scope-windows.ts";
import { type SlidingWindow, type Verdict, WINDOW_MS } from "./sliding-window.ts";

interface Limit {
  scope: string;
  limit: number;
  /** Length of the window; 60 s if absent. */
  window_ms?: number;
}

export interface Check extends Limit {
  /** The sender's keyed hash, never an address: 32 hexadecimal digits. */
  sender: string;
}

export interface CheckBatch extends Limit {
  /** Each sender has the 16 bytes of its keyed hash, and may come twice. */
  senders: Uint8Array;
}

/** Asks for a request that counts in several windows of one scope, in all or in none. */
export interface CheckTogether extends Pick<Limit, "scope" | "window_ms"> {
  parts: readonly (Omit<Part, "sender"> & { sender: string })[];
}

export interface TogetherVerdict extends Verdict {
  /** The part that refuses, of several the one that will for longest; -1 if none does. */
  refused: number;
}

type Together = Pick<CheckTogether, "scope" | "window_ms"> & { parts: readonly Part[] };
type Decision = CheckBatch | Together;

/** A search for ended windows costs an alarm: one cleans up after a visit of up to a minute. */
const SWEEP_MS = 2 * WINDOW_MS;

/** No sender begins so, and no key of an older row does. */
const JOURNAL = "journal";

export class SenderWindows {
  readonly #ports: Ports;
  readonly #alarm: Alarm;
  readonly #scopes = new Map<string, ScopeWindows>();
  readonly #checks: GroupCommit<Decision, Int32Array>;
  readonly reservations: Reservations;

  constructor(ports: Ports) {
    this.#ports = ports;
    this.#alarm = new Alarm(ports.storage);
    this.reservations = new Reservations(ports, (at_ms, now) => void this.#alarm.armBy(at_ms, now));
    this.#checks = new GroupCommit(
      (group) => this.#decide(group),
      ports.storage,
      (asked) => ("parts" in asked ? asked.parts.length : asked.senders.length / SENDER_BYTES),
    );
  }

  /** An object that has nothing stored has no alarm, and is ready at once. */
  async ready(): Promise<void> {
    const rows = [...this.#ports.storage.kv.list<never>()];
    if (rows.length === 0) return;
    this.#load(rows.filter(([key]) => !Reservations.isRow(key)));
    this.reservations.load(rows.filter(([key]) => Reservations.isRow(key)));
    await this.#alarm.load();
  }

  /** An admission is durable when this resolves. */
  async check({ sender, ...limit }: Check): Promise<Verdict> {
    const [remaining = -1, reset_ms = 0] = await this.checkAll({
      ...limit,
      senders: bytesOf(sender),
    });
    return { admitted: remaining >= 0, remaining: Math.max(0, remaining), reset_ms };
  }

  async checkTogether({ parts, ...scope }: CheckTogether): Promise<TogetherVerdict> {
    const [refused = -1, remaining = 0, reset_ms = 0] = await this.#checks.submit({
      ...scope,
      parts: parts.map((part) => ({ ...part, sender: bytesOf(part.sender) })),
    });
    return { admitted: refused === -1, refused, remaining, reset_ms };
  }

  /**
   * Two numbers for each sender, in their order: `remaining`, or -1 for a refusal, and `reset_ms`.
   * Admissions are durable when this resolves.
   */
  checkAll(batch: CheckBatch): Promise<Int32Array> {
    return this.#checks.submit(batch);
  }

  used({ sender, scope, window_ms }: Pick<Check, "sender" | "scope" | "window_ms">): number {
    return this.#scope(scope, window_ms).used(bytesOf(sender), this.#ports.clock.now());
  }

  #decide(group: Decision[]): Int32Array[] {
    const now = this.#ports.clock.now();
    const changes = new Map<ScopeWindows, ScopeChange>();
    const answers = group.map((batch) => {
      const windows = this.#scope(batch.scope, batch.window_ms);
      let change = changes.get(windows);
      if (change === undefined) {
        change = new ScopeChange();
        changes.set(windows, change);
      }
      return "parts" in batch
        ? windows.decideTogether(batch.parts, now, change)
        : windows.decide(batch.senders, batch.limit, now, change);
    });
    const changed = [...changes].filter(([, { windows }]) => windows.size > 0);
    if (changed.length > 0) this.#save(changed, now);
    return answers;
  }

  #save(changed: [ScopeWindows, ScopeChange][], now: number): void {
    Transaction.run(this.#ports, (tx) => {
      for (const [windows, change] of changed) {
        windows.save(tx, this.#ports.storage.kv, change, now);
      }
    });
    const shortest_ms = Math.min(...changed.map(([{ window_ms }]) => window_ms));
    this.#alarm.armBy(now + Math.max(SWEEP_MS, shortest_ms), now);
  }

  /** Nothing is awaited between reading and deleting. */
  onAlarm(): void {
    const { storage, clock } = this.#ports;
    this.#alarm.fired();
    const now = clock.now();
    const left = [...this.#scopes.values()].filter((windows) => !windows.isOver(now));
    if (left.length === 0 && this.reservations.isOver(now)) {
      this.#scopes.clear();
      this.reservations.clear();
      void storage.deleteAll();
      return;
    }
    Transaction.run(this.#ports, (tx) => {
      for (const windows of this.#scopes.values()) windows.drop(tx, storage.kv, now);
      this.reservations.drop(tx, now);
    });
    const ends = left.map((windows) => windows.firstEnd(now));
    const first_end = Math.min(...ends, this.reservations.firstEnd(now));
    this.#alarm.arm(Math.max(now + SWEEP_MS, first_end));
  }

  #scope(scope: string, window_ms: number = WINDOW_MS): ScopeWindows {
    const prefix = `${JOURNAL}/${scope}/${window_ms}/`;
    let windows = this.#scopes.get(prefix);
    if (windows === undefined) {
      windows = new ScopeWindows(prefix, window_ms);
      this.#scopes.set(prefix, windows);
    }
    return windows;
  }

  #load(rows: [string, Uint8Array | SlidingWindow][]): void {
    const journal: { windows: ScopeWindows; number: number; entries: Uint8Array }[] = [];
    for (const [key, value] of rows) {
      const [first = "", scope = "", length, number] = key.split("/");
      // Earlier code gave no length if it was 60 s (docs/faults.md F16).
      const windows = this.#scope(scope, Number(length ?? WINDOW_MS));
      if (value instanceof Uint8Array) {
        journal.push({ windows, number: Number(number), entries: value });
      } else if (isSender(first)) {
        windows.loadWindow(key, bytesOf(first), value);
      }
    }
    journal.sort((one, other) => one.number - other.number);
    for (const { windows, number, entries } of journal) windows.loadRow(number, entries);
  }
}
