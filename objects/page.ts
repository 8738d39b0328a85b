/**
 * PageObject: the Durable Object of one page. Keyed by `page_id`.
 *
 * The counting is in `counter.ts`; here it gets its storage, clock, D1 and name from the platform.
 */
import { Server } from "partyserver";
import { SECOND_MS } from "./clock.ts";
import { PageCounter } from "./counter.ts";
import type { PageEvent, Receipt } from "./event.ts";
import { systemClock } from "./ports.ts";
import type { Total } from "./tallies.ts";

export class PageObject extends Server<Cloudflare.Env> {
  static override options = { hibernate: true };

  readonly #counter: PageCounter;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.#counter = new PageCounter({
      storage: ctx.storage,
      db: env.DB,
      clock: systemClock,
      random: Math.random,
      pageId: () => this.name,
      flush_interval_ms: Number(env.FLUSH_SECONDS) * SECOND_MS,
      abort: (reason) => ctx.abort(reason),
      flushFailed: (error) =>
        console.error(
          JSON.stringify({ event: "flush_failed", page: this.name, error: String(error) }),
        ),
    });
    void ctx.blockConcurrencyWhile(() => this.#counter.ready());
  }

  /** Counts one event, durably and once; see `PageCounter.record`. */
  record(event: PageEvent): Promise<Receipt> {
    return this.#counter.record(event);
  }

  /** Counts the events that one router gathered; each gets its own receipt, in their order. */
  recordAll(events: readonly PageEvent[]): Promise<Receipt[]> {
    return Promise.all(
      events.map(async (event): Promise<Receipt> => {
        try {
          return await this.record(event);
        } catch (error) {
          return { outcome: "failed", reason: String(error) };
        }
      }),
    );
  }

  /** Lifetime totals by kind, link and class: accepted, of that flushed, of that pending. */
  totals(): Total[] {
    return this.#counter.totals();
  }

  /** Which of these event keys were accepted within the last hour, in their order. */
  remembers(keys: readonly string[]): boolean[] {
    return this.#counter.remembers(keys);
  }

  /** Brings D1 up to date with all that was acknowledged before the call. Rejects if D1 fails. */
  flush(): Promise<void> {
    return this.#counter.flush();
  }

  /** For the cron sweep: mends a lost alarm and a restored D1. Answers whether it had to. */
  sweep(): Promise<boolean> {
    return this.#counter.sweep();
  }

  override onAlarm(): Promise<void> {
    return this.#counter.onAlarm();
  }
}
