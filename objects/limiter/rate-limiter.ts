/**
 * RateLimiter: the Durable Object that limits one sender, or one shard of senders. Keyed by
 * HMAC(SENDER_KEY, sender), so that it never gets an address; deletes all its storage once its
 * windows are over. The limiting is in `sender-windows.ts`; here it gets its storage and clock from
 * the platform.
 */
import { DurableObject } from "cloudflare:workers";
import { systemClock } from "../platform/ports.ts";
import { type Check, type CheckBatch, SenderWindows } from "./sender-windows.ts";
import type { Verdict } from "./sliding-window.ts";

export class RateLimiter extends DurableObject {
  readonly #windows: SenderWindows;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.#windows = new SenderWindows({
      storage: ctx.storage,
      clock: systemClock,
      random: Math.random,
      abort: (reason) => ctx.abort(reason),
    });
    void ctx.blockConcurrencyWhile(() => this.#windows.ready());
  }

  check(request: Check): Promise<Verdict> {
    return this.#windows.check(request);
  }

  checkAll(batch: CheckBatch): Promise<Int32Array> {
    return this.#windows.checkAll(batch);
  }

  override alarm(): void {
    this.#windows.onAlarm();
  }
}
