/**
 * SenderWindows: the exact sliding windows of one sender, or of the senders folded into one shard.
 * What a limiter object does, without the platform around it.
 *
 * Owns, per sender and scope, the times of the requests it admitted in the last 60 s. Rows are keyed
 * by sender too, so folding many senders into one object (LIMITER_SHARDS) changes nothing in what is
 * exact. Forgets a window once its last admission is 60 s old, and everything when none is left.
 *
 * Each admission writes one row (the packed window) before its answer leaves; a refusal writes
 * none. Memory is only a cache of those rows.
 */
import { Alarm } from "./alarm.ts";
import { GroupCommit } from "./group-commit.ts";
import type { Ports } from "./ports.ts";
import { admit, expired, type Verdict, WINDOW_MS, type Window } from "./sliding-window.ts";

/** What a caller asks: may this sender do one more in this scope? */
export interface Check {
  /** The sender's keyed hash, never an address. */
  sender: string;
  scope: string;
  /** Requests admitted in any 60 s. */
  limit: number;
}

/**
 * Windows are looked at for forgetting no more often than this, in milliseconds: twice their length,
 * so that one look finds a visit of up to a minute over. Each costs an alarm.
 */
const SWEEP_MS = 2 * WINDOW_MS;

export class SenderWindows {
  readonly #ports: Ports;
  readonly #alarm: Alarm;
  readonly #windows = new Map<string, Window>();
  readonly #checks: GroupCommit<Check, Verdict>;

  constructor(ports: Ports) {
    this.#ports = ports;
    this.#alarm = new Alarm(ports.storage);
    this.#checks = new GroupCommit((group) => this.#decide(group), ports.storage);
  }

  /** To be awaited before the first call. */
  ready(): Promise<void> {
    return this.#alarm.load();
  }

  /** Admits or refuses one request; an admission is durable when this resolves. */
  check(request: Check): Promise<Verdict> {
    return this.#checks.submit(request);
  }

  #decide(group: Check[]): Verdict[] {
    const now = this.#ports.clock.now();
    const changed = new Map<string, Window>();
    const verdicts = group.map(({ sender, scope, limit }) => {
      const key = `${sender}/${scope}`;
      const before = changed.get(key) ?? this.#window(key);
      const { verdict, window } = admit(before, limit, now);
      if (window !== before) changed.set(key, window);
      return verdict;
    });
    if (changed.size > 0) this.#save(changed, now);
    return verdicts;
  }

  #window(key: string): Window {
    let window = this.#windows.get(key);
    if (window === undefined) {
      window = this.#ports.storage.kv.get<Window>(key) ?? [];
      this.#windows.set(key, window);
    }
    return window;
  }

  /** All or nothing: memory follows only when every row is written. */
  #save(changed: Map<string, Window>, now: number): void {
    const { storage } = this.#ports;
    storage.transactionSync(() => {
      for (const [key, window] of changed) storage.kv.put(key, window);
    });
    for (const [key, window] of changed) this.#windows.set(key, window);
    if (!this.#alarm.firesBy(now + SWEEP_MS, now)) this.#alarm.arm(now + SWEEP_MS);
  }

  /** Forgets what has left its window. Nothing is awaited between reading and deleting. */
  onAlarm(): void {
    const { storage, clock } = this.#ports;
    this.#alarm.fired();
    const now = clock.now();
    const windows = [...storage.kv.list<Window>()];
    const over = windows.filter(([, window]) => expired(window, now));
    if (over.length === windows.length) {
      this.#windows.clear();
      void storage.deleteAll();
      return;
    }
    for (const [key] of over) {
      this.#windows.delete(key);
      storage.kv.delete(key);
    }
    this.#alarm.arm(now + SWEEP_MS);
  }
}
