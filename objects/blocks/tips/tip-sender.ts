/** TipSender: the object of one user's tips, keyed by the user's id at the account hub. */
import { logError } from "../../platform/log.ts";
import { MovableObject } from "../../platform/movable-object.ts";
import { portsOf } from "../../platform/ports.ts";
import { HubTransfers } from "./hub-transfers.ts";
import type { RecentTip, SentTip, TipAnswer, TipCursor, TipOrder } from "./tip.ts";
import { Tips } from "./tips.ts";

export class TipSender extends MovableObject {
  readonly #tips: Tips;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    const onFailed = (error: unknown) => logError("tip_failed", {}, error);
    this.#tips = new Tips({
      ...portsOf(ctx),
      hub: new HubTransfers(env, onFailed),
      convert: (page_id, conversions) => env.PAGE.getByName(page_id).convert(conversions),
      newId: () => `tip_${crypto.randomUUID().replaceAll("-", "")}`,
      onFailed,
    });
    void ctx.blockConcurrencyWhile(() => this.#tips.ready());
  }

  send(order: TipOrder, cookie: string): Promise<TipAnswer> {
    return this.#tips.send(order, cookie);
  }

  recall(key: string, hash: string): Promise<TipAnswer | null> {
    return this.#tips.recall(key, hash);
  }

  recent(page_id: string): RecentTip | null {
    return this.#tips.recent(page_id);
  }

  hasTipped(page_id: string): boolean {
    return this.#tips.hasTipped(page_id);
  }

  list(limit: number, after: TipCursor | null): SentTip[] {
    return this.#tips.list(limit, after);
  }

  end(): Promise<void> {
    return this.#tips.end();
  }

  override alarm(): Promise<void> {
    return this.#tips.onAlarm();
  }
}
