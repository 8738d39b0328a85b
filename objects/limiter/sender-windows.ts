/**
 * SenderWindows: the exact sliding windows of one sender, or of the senders folded into one shard.
 * What a limiter object does, without the platform around it.
 *
 * Owns, per sender and scope, the times of the requests admitted within one length of the window:
 * 60 s, or what the check asks for. Rows are keyed by sender too, so the limits stay exact when
 * many senders share one object (LIMITER_SHARDS). Forgets a window once its last admission is as
 * old as the window is long, and everything when no window is left.
 *
 * Each admission writes one row (the packed window) before it is answered; a refusal writes none.
 * Memory is only a cache of those rows.
 */
import { Alarm } from "../platform/alarm.ts";
import { GroupCommit } from "../platform/group-commit.ts";
import type { Ports } from "../platform/ports.ts";
import { Transaction } from "../platform/transaction.ts";
import { admit, expired, type SlidingWindow, type Verdict, WINDOW_MS } from "./sliding-window.ts";

/** A question of the router: may this sender make one more request in this scope? */
export interface Check {
  /** The sender's keyed hash, never an address. */
  sender: string;
  scope: string;
  /** Requests admitted in any `window_ms`. */
  limit: number;
  /** Length of the window, in milliseconds; 60 s if absent. */
  window_ms?: number;
}

/**
 * Shortest time between two searches for windows that are over, in milliseconds. Each costs an
 * alarm. Twice the usual length, so that a visit of up to a minute is cleaned up by one alarm.
 */
const SWEEP_MS = 2 * WINDOW_MS;

export class SenderWindows {
  readonly #ports: Ports;
  readonly #alarm: Alarm;
  readonly #windows = new Map<string, SlidingWindow>();
  readonly #checks: GroupCommit<Check, Verdict>;

  constructor(ports: Ports) {
    this.#ports = ports;
    this.#alarm = new Alarm(ports.storage);
    this.#checks = new GroupCommit((group) => this.#decide(group), ports.storage);
  }

  ready(): Promise<void> {
    return this.#alarm.load();
  }

  /** Admits or refuses one request; an admission is durable when this resolves. */
  check(request: Check): Promise<Verdict> {
    return this.#checks.submit(request);
  }

  #decide(group: Check[]): Verdict[] {
    const now = this.#ports.clock.now();
    const changed = new Map<string, SlidingWindow>();
    const verdicts = group.map(({ sender, scope, limit, window_ms = WINDOW_MS }) => {
      const key = keyOf(sender, scope, window_ms);
      const before = changed.get(key) ?? this.#window(key);
      const { verdict, window } = admit(before, limit, now, window_ms);
      if (window !== before) changed.set(key, window);
      return verdict;
    });
    if (changed.size > 0) this.#save(changed, now);
    return verdicts;
  }

  #window(key: string): SlidingWindow {
    let window = this.#windows.get(key);
    if (window === undefined) {
      window = this.#ports.storage.kv.get<SlidingWindow>(key) ?? [];
      this.#windows.set(key, window);
    }
    return window;
  }

  #save(changed: Map<string, SlidingWindow>, now: number): void {
    const { storage } = this.#ports;
    Transaction.run(this.#ports, (tx) => {
      for (const [key, window] of changed) storage.kv.put(key, window);
      tx.afterCommit(() => {
        for (const [key, window] of changed) this.#windows.set(key, window);
      });
    });
    const sweep_at = sweepAt(changed, now);
    if (!this.#alarm.firesBy(sweep_at, now)) this.#alarm.arm(sweep_at);
  }

  /** Deletes the windows that are over. Nothing is awaited between reading and deleting. */
  onAlarm(): void {
    const { storage, clock } = this.#ports;
    this.#alarm.fired();
    const now = clock.now();
    const left = new Map(storage.kv.list<SlidingWindow>());
    const over = [...left].filter(([key, window]) => expired(window, now, lengthOf(key)));
    for (const [key] of over) left.delete(key);
    if (left.size === 0) {
      this.#windows.clear();
      void storage.deleteAll();
      return;
    }
    for (const [key] of over) {
      this.#windows.delete(key);
      storage.kv.delete(key);
    }
    this.#alarm.arm(sweepAt(left, now));
  }
}

/**
 * Where a window is stored. Its length is part of the key, because the value is only a list of
 * times. The key of a window of 60 s has no length, because older code stored no others
 * (docs/faults.md F16).
 */
function keyOf(sender: string, scope: string, window_ms: number): string {
  const key = `${sender}/${scope}`;
  return window_ms === WINDOW_MS ? key : `${key}/${window_ms}`;
}

/** The length of the window under a key of {@link keyOf}, in milliseconds. */
function lengthOf(key: string): number {
  return Number(key.split("/")[2] ?? WINDOW_MS);
}

/**
 * When the first of these windows is over, in unix milliseconds, but not before `SWEEP_MS` from
 * now.
 */
function sweepAt(windows: ReadonlyMap<string, SlidingWindow>, now: number): number {
  let first_end = Number.POSITIVE_INFINITY;
  for (const [key, window] of windows) {
    // After a step back of the clock the newest time may be ahead of `now`.
    const newest = Math.min(window.at(-1) ?? now, now);
    first_end = Math.min(first_end, newest + lengthOf(key));
  }
  return Math.max(now + SWEEP_MS, first_end);
}
