/**
 * The obvious limiter: the same exact window as the product's, but one row per admission and one call per
 * request. "No group commit" holds for the whole naive design: a page object that writes for each event
 * alone would be called no faster than its limiter.
 */
import { DurableObject } from "cloudflare:workers";
import type { Check } from "../../../objects/limiter/sender-windows.ts";
import {
  admit,
  expired,
  type SlidingWindow,
  type Verdict,
  WINDOW_MS,
} from "../../../objects/limiter/sliding-window.ts";

/** As seldom as the product's, because each cleanup costs an alarm. */
const SWEEP_MS = 2 * WINDOW_MS;

export class NaiveLimiter extends DurableObject<Cloudflare.Env> {
  readonly #windows = new Map<string, SlidingWindow>();
  #armed = false;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    void ctx.blockConcurrencyWhile(async () => {
      this.#armed = (await ctx.storage.getAlarm()) !== null;
    });
  }

  async check({ sender, scope, limit }: Check): Promise<Verdict> {
    const { storage } = this.ctx;
    const key = `${sender}/${scope}`;
    const before = this.#windows.get(key) ?? storage.kv.get<SlidingWindow>(key) ?? [];
    const now = Date.now();
    const { verdict, window } = admit(before, limit, now);
    this.#windows.set(key, window);
    if (window !== before) storage.kv.put(key, window);
    if (!this.#armed) this.#arm(now + SWEEP_MS);
    return verdict;
  }

  override async alarm(): Promise<void> {
    const { storage } = this.ctx;
    this.#armed = false;
    const now = Date.now();
    const windows = [...storage.kv.list<SlidingWindow>()];
    const over = windows.filter(([, window]) => expired(window, now));
    for (const [key] of over) this.#windows.delete(key);
    if (over.length === windows.length) return storage.deleteAll();
    for (const [key] of over) storage.kv.delete(key);
    this.#arm(now + SWEEP_MS);
  }

  #arm(at: number): void {
    this.#armed = true;
    void this.ctx.storage.setAlarm(at);
  }
}
