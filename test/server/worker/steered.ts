/**
 * The module around the deployed bundle in tests that decide what happens when: the bundle's own code,
 * unchanged, which reports each step of counting before it goes on, so that the test can end it exactly
 * there; with a clock and timers that the test moves. `/steer` changes the time, and answers what there is.
 *
 * The other side is `test/server/steering.ts`.
 */
import { env as given } from "cloudflare:workers";
import * as sila from "sila";
import type { Receipt } from "../../../objects/events/event.ts";
import { PackedEvents } from "../../../objects/events/packed-events.ts";
import { hexOf } from "../../../objects/keys/key-list.ts";
import type { CheckBatch } from "../../../objects/limiter/sender-windows.ts";
import { databaseBy, type Way } from "./distance.ts";
import type { Seen } from "./setting.ts";
import { setTime, timerCounts } from "./time.ts";

export * from "sila";

interface Added {
  /** Gets each step, and answers what becomes of the caller. Absent: no step is reported. */
  STEPS?: Fetcher;
  /** Unix milliseconds at which the clock stands from the start, through every restart. */
  CLOCK_AT?: string;
}
const { STEPS, CLOCK_AT } = given as Cloudflare.Env & Added;

if (CLOCK_AT !== undefined) setTime({ at: Number(CLOCK_AT) });

let requests = 0;

/**
 * Reports a step and waits for the test, which may have ended this process by then. A call out of an
 * object leaves it only when all that it has written before is on disk.
 *
 * @returns whether the object shall be evicted
 */
async function reach(step: string, carries = ""): Promise<boolean> {
  if (STEPS === undefined) return false;
  const answer = await STEPS.fetch("http://steps/", {
    method: "POST",
    body: JSON.stringify({ step, carries }),
  });
  return (await answer.text()) === "evict";
}

function between(step: string): Way {
  return async (call) => {
    await reach(`${step}, before`);
    const answer = await call();
    await reach(`${step}, after`);
    return answer;
  };
}

/** `ctx.abort` ends an object in the middle of its work: it has nothing but its storage afterwards. */
const EVICTED = "evicted by the test";

export class PageObject extends sila.PageObject {
  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, { ...env, DB: databaseBy(between(`D1 of ${ctx.id.name}`), env.DB) });
  }

  override async recordBatch(bytes: Uint8Array<ArrayBuffer>): Promise<Receipt[]> {
    const events = PackedEvents.read(bytes);
    const keys = Array.from({ length: events.length }, (_, i) => hexOf(events.key(i))).join();
    if (await reach(`page ${this.name}, before`, keys)) this.ctx.abort(EVICTED);
    const receipts = await super.recordBatch(bytes);
    if (await reach(`page ${this.name}, after`, keys)) this.ctx.abort(EVICTED);
    return receipts;
  }
}

export class RateLimiter extends sila.RateLimiter {
  override async checkAll(batch: CheckBatch): Promise<Int32Array> {
    await reach("limiter, before");
    const verdicts = await super.checkAll(batch);
    await reach("limiter, after");
    return verdicts;
  }
}

export default {
  ...sila.default,
  async fetch(request, env, ctx) {
    if (new URL(request.url).pathname === "/steer") {
      setTime(await request.json());
      const seen: Seen = { requests, timers: timerCounts() };
      return Response.json(seen);
    }
    requests += 1;
    return sila.default.fetch(request, env, ctx);
  },
} satisfies ExportedHandler<Cloudflare.Env>;
