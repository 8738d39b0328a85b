/**
 * The Worker under test: the product's routes and objects, unchanged, and what they are compared with.
 * `X-Bench` chooses one of them:
 *
 *   floor   the cheapest possible route: parses the beacon and answers
 *   naive   the naive design: `naive-route.ts`, `NaiveLimiter`, `NaivePage`
 *   page, naive-page   the page object of the product or of the naive design, without a limiter: `page-alone.ts`
 *   limit   the product's routes with the edge's rate limit in memory: Miniflare's simulator of that binding is
 *           a Worker of its own, which costs several times as much as a cached page and is not deployed
 *   far     the product's routes, `DISTANCE_MS` away from their objects
 *   meter   reads, resets and settles the meter
 */
import { Hono } from "hono";
import { requestId } from "hono/request-id";
import { RateLimiter as SilaLimiter } from "../../../objects/limiter/rate-limiter.ts";
import { PageObject as SilaPage } from "../../../objects/page/page-object.ts";
import { Beacon } from "../../../src/counting/beacon-schema.ts";
import { readJson } from "../../../src/http/body.ts";
import type { AppEnv } from "../../../src/http/context.ts";
import { BEACON_BYTES_MAX, EDGE_LIMIT_PER_MINUTE } from "../../../src/http/limits.ts";
import { securityHeaders } from "../../../src/http/security-headers.ts";
import sila from "../../../src/index.ts";
import { far, objectsBy, type Way } from "../../local/worker/distance.ts";
import { DISTANCE_MS } from "../distance.ts";
import { meter } from "./meter.ts";
import { NaivePage as Naive } from "./naive.ts";
import { NaiveLimiter as NaiveWindows } from "./naive-limiter.ts";
import { naive } from "./naive-route.ts";
import { naivePageAlone, pageAlone } from "./page-alone.ts";

export { ErrorLog } from "../../../objects/errors/error-log.ts";
export { PageRenderer } from "../../../src/page-renderer.ts";

export class PageObject extends SilaPage {
  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    meter.watch("page", ctx, env);
    super(ctx, env);
  }
  override record(...args: Parameters<SilaPage["record"]>): ReturnType<SilaPage["record"]> {
    meter.called("page", this.ctx);
    return super.record(...args);
  }
  override alarm(): Promise<void> {
    meter.fired();
    return super.alarm();
  }
  alarmAt(): Promise<number | null> {
    return this.ctx.storage.getAlarm();
  }
  fireAlarm(): Promise<void> {
    return fire(this.ctx.storage, () => this.alarm());
  }
}

export class RateLimiter extends SilaLimiter {
  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    meter.watch("limiter", ctx, env);
    super(ctx, env);
  }
  override check(...args: Parameters<SilaLimiter["check"]>): ReturnType<SilaLimiter["check"]> {
    meter.called("limiter", this.ctx);
    return super.check(...args);
  }
  override alarm(): void | Promise<void> {
    meter.fired();
    return super.alarm();
  }
  alarmAt(): Promise<number | null> {
    return this.ctx.storage.getAlarm();
  }
  fireAlarm(): Promise<void> {
    return fire(this.ctx.storage, () => this.alarm());
  }
}

export class NaivePage extends Naive {
  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    meter.watch("naive_page", ctx, env);
    super(ctx, env);
  }
  override record(...args: Parameters<Naive["record"]>): ReturnType<Naive["record"]> {
    meter.called("naive_page", this.ctx);
    return super.record(...args);
  }
  override alarm(): Promise<void> {
    meter.fired();
    return super.alarm();
  }
  alarmAt(): Promise<number | null> {
    return this.ctx.storage.getAlarm();
  }
  fireAlarm(): Promise<void> {
    return fire(this.ctx.storage, () => this.alarm());
  }
}

export class NaiveLimiter extends NaiveWindows {
  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    meter.watch("naive_limiter", ctx, env);
    super(ctx, env);
  }
  override check(...args: Parameters<NaiveWindows["check"]>): ReturnType<NaiveWindows["check"]> {
    meter.called("naive_limiter", this.ctx);
    return super.check(...args);
  }
  override alarm(): Promise<void> {
    meter.fired();
    return super.alarm();
  }
  alarmAt(): Promise<number | null> {
    return this.ctx.storage.getAlarm();
  }
  fireAlarm(): Promise<void> {
    return fire(this.ctx.storage, () => this.alarm());
  }
}

/** Runs the alarm before its time, as the platform does: it is cleared first. */
async function fire(storage: DurableObjectStorage, alarm: () => unknown): Promise<void> {
  await storage.deleteAlarm();
  await alarm();
}

const bench = new Hono<AppEnv>();
bench.use(requestId({ limitLength: 64 }), securityHeaders);
bench.post("/api/analytics/view", async (c) => {
  await readJson(c.req.raw, Beacon, BEACON_BYTES_MAX);
  return c.json({ ok: true }, 202);
});

let memory_env: Cloudflare.Env | undefined;

/** The product's environment with `EDGE_LIMIT` as a fixed window in memory, as on the platform. */
function limitInMemory(env: Cloudflare.Env): Cloudflare.Env {
  memory_env ??= { ...env, EDGE_LIMIT: new MemoryLimit() };
  return memory_env;
}

let far_env: Cloudflare.Env | undefined;

/** The product's environment with `DISTANCE_MS` added to each call of an object. */
function farFromObjects(env: Cloudflare.Env): Cloudflare.Env {
  const way: Way = (call) => far(DISTANCE_MS, call);
  far_env ??= { ...env, PAGE: objectsBy(way, env.PAGE), LIMITER: objectsBy(way, env.LIMITER) };
  return far_env;
}

class MemoryLimit implements RateLimit {
  readonly #counts = new Map<string, number>();
  #minute = 0;

  async limit({ key }: RateLimitOptions): Promise<RateLimitOutcome> {
    const minute = Math.floor(Date.now() / 60_000);
    if (minute !== this.#minute) this.#counts.clear();
    this.#minute = minute;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return { success: count <= EDGE_LIMIT_PER_MINUTE };
  }
}

export default {
  fetch(request, env, ctx) {
    const lane = request.headers.get("X-Bench");
    if (lane === null) return sila.fetch(request, env, ctx);
    if (lane === "naive") return naive.fetch(request, env, ctx);
    if (lane === "page") return pageAlone.fetch(request, env, ctx);
    if (lane === "naive-page") return naivePageAlone.fetch(request, env, ctx);
    if (lane === "limit") return sila.fetch(request, limitInMemory(env), ctx);
    if (lane === "far") return sila.fetch(request, farFromObjects(env), ctx);
    if (lane === "floor") return bench.fetch(request, env, ctx);
    return meter.answer(new URL(request.url).pathname, env);
  },
} satisfies ExportedHandler<Cloudflare.Env>;
