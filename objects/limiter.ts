/**
 * RateLimiter: the exact sliding windows of one sender, or of the senders folded into one shard.
 *
 * Owns, per sender and scope, the times of the requests it admitted in the last 60 s.
 * Keyed by HMAC(SENDER_KEY, sender): the object never learns an address. Rows are keyed by sender
 * too, so folding many senders into one object (LIMITER_SHARDS) changes nothing in what is exact.
 * Forgets a window once its last admission is 60 s old, and deletes itself when none is left.
 *
 * Each admission writes one row (the packed window) before its answer leaves; a refusal writes
 * none. Memory is only a cache of those rows.
 */
import { DurableObject } from "cloudflare:workers";
import { Alarm } from "./alarm.ts";
import { GroupCommit } from "./group-commit.ts";
import { admit, expired, type Verdict, WINDOW_MS, type Window } from "./sliding-window.ts";

/** What a caller asks: may this sender do one more in this scope? */
export interface Check {
  /** The sender's keyed hash, never an address. */
  sender: string;
  scope: string;
  /** Requests admitted in any 60 s. */
  limit: number;
}

/** Windows are looked at for forgetting no more often than this, in milliseconds. */
const SWEEP_MS = WINDOW_MS;

export class RateLimiter extends DurableObject {
  readonly #storage = this.ctx.storage;
  readonly #alarm = new Alarm(this.#storage);
  readonly #windows = new Map<string, Window>();
  readonly #checks = new GroupCommit<Check, Verdict>(
    (group) => this.#decide(group),
    () => this.#storage.sync(),
  );

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    void ctx.blockConcurrencyWhile(() => this.#alarm.load());
  }

  /** Admits or refuses one request; an admission is durable when this resolves. */
  check(request: Check): Promise<Verdict> {
    return this.#checks.submit(request);
  }

  #decide(group: Check[]): Verdict[] {
    const now = Date.now();
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
      window = this.#storage.kv.get<Window>(key) ?? [];
      this.#windows.set(key, window);
    }
    return window;
  }

  /** All or nothing: memory follows only when every row is written. */
  #save(changed: Map<string, Window>, now: number): void {
    this.#storage.transactionSync(() => {
      for (const [key, window] of changed) this.#storage.kv.put(key, window);
    });
    for (const [key, window] of changed) this.#windows.set(key, window);
    if (!this.#alarm.firesBy(now + SWEEP_MS, now)) this.#alarm.arm(now + SWEEP_MS);
  }

  /** Forgets what has left its window. Nothing is awaited between reading and deleting. */
  override alarm(): void {
    this.#alarm.fired();
    const now = Date.now();
    const windows = [...this.#storage.kv.list<Window>()];
    const over = windows.filter(([, window]) => expired(window, now));
    if (over.length === windows.length) {
      this.#windows.clear();
      void this.#storage.deleteAll();
      return;
    }
    for (const [key] of over) {
      this.#windows.delete(key);
      this.#storage.kv.delete(key);
    }
    this.#alarm.arm(now + SWEEP_MS);
  }
}
