/**
 * RateLimiter: the object that limits one sender, or one shard of senders. Keyed by
 * HMAC(SENDER_KEY, sender), so that it never gets an address; deletes all its storage once its
 * windows are over.
 */
import { DurableObject } from "cloudflare:workers";
import { portsOf } from "../platform/ports.ts";
import type { UnitCall } from "./reservations.ts";
import {
  type Check,
  type CheckBatch,
  type CheckTogether,
  SenderWindows,
  type TogetherVerdict,
} from "./sender-windows.ts";
import type { Verdict } from "./sliding-window.ts";

export class RateLimiter extends DurableObject {
  readonly #windows: SenderWindows;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.#windows = new SenderWindows({
      ...portsOf(ctx),
    });
    void ctx.blockConcurrencyWhile(() => this.#windows.ready());
  }

  check(request: Check): Promise<Verdict> {
    return this.#windows.check(request);
  }

  checkAll(batch: CheckBatch): Promise<Int32Array> {
    return this.#windows.checkAll(batch);
  }

  checkTogether(request: CheckTogether): Promise<TogetherVerdict> {
    return this.#windows.checkTogether(request);
  }

  used(which: Pick<Check, "sender" | "scope" | "window_ms">): number {
    return this.#windows.used(which);
  }

  reserve(unit: UnitCall): Promise<Verdict> {
    return this.#windows.reservations.reserve(unit);
  }

  settle(unit: UnitCall): Promise<Verdict> {
    return this.#windows.reservations.settle(unit);
  }

  giveBack(unit: UnitCall): Promise<Verdict> {
    return this.#windows.reservations.giveBack(unit);
  }

  override alarm(): void {
    this.#windows.onAlarm();
  }
}
