/**
 * The Worker under test: the product's routes and objects, unchanged, and what they are compared with.
 * `X-Bench` chooses one of them:
 *
 *   framed  parses the beacon and answers, with the product's framework, schema and headers; no object
 *   naive   the naive design: `naive-route.ts`, `NaiveLimiter`, `NaivePage`
 *   limit   the product's routes with the edge's rate limit in memory: Miniflare's simulator of that binding is
 *           a Worker of its own, which costs several times as much as a cached page and is not deployed
 *   far     the product's routes, `DISTANCE_MS` away from their objects
 *   control moves the clock, reads the meter and the totals, and calls a page with batches: `control.ts`
 *
 * The bare floor is no part of it, but a Worker of its own: `bare.js`.
 */
import { Hono } from "hono";
import { requestId } from "hono/request-id";
import { RateLimiter as SilaLimiter } from "../../../objects/limiter/rate-limiter.ts";
import { PageObject as SilaPage } from "../../../objects/page/page-object.ts";
import { withEdgeCache } from "../../../src/commands/serve/worker/edge-cache.ts";
import { EdgeLimit } from "../../../src/commands/serve/worker/edge-limit.ts";
import { Beacon } from "../../../src/counting/beacon-schema.ts";
import { BEACON_BYTES_MAX } from "../../../src/counting/limits.ts";
import { readJson } from "../../../src/http/body.ts";
import type { AppEnv } from "../../../src/http/context.ts";
import { securityHeaders } from "../../../src/http/security-headers.ts";
import sila from "../../../src/index.ts";
import { PageRenderer as SilaRenderer } from "../../../src/page-renderer.ts";
import { far, objectsBy, type Way } from "../../server/worker/distance.ts";
import { EVICTED } from "../reading.ts";
import { control } from "./control.ts";
import { type Kind, meter } from "./meter.ts";
import { NaivePage as Naive } from "./naive.ts";
import { NaiveLimiter as NaiveWindows } from "./naive-limiter.ts";
import { naive } from "./naive-route.ts";

export { DownloadUses } from "../../../objects/blocks/downloads/download-uses.ts";
export { Subscribers } from "../../../objects/blocks/newsletter/subscribers.ts";
export { TipSender } from "../../../objects/blocks/tips/tip-sender.ts";
export { WebhookSender } from "../../../objects/blocks/webhooks/webhook-sender.ts";
export { ErrorLog } from "../../../objects/errors/error-log.ts";
export { Monitor } from "../../../objects/monitor/monitor.ts";

export class PageRenderer extends withEdgeCache(SilaRenderer) {}

// biome-ignore lint/suspicious/noExplicitAny: TypeScript wants it of what a mixin extends
type Alarmed = new (...given: any[]) => { alarm(): void | Promise<void> };

function metered<T extends Alarmed>(kind: Kind, Base: T) {
  return class extends Base {
    readonly #ctx: DurableObjectState;

    // biome-ignore lint/suspicious/noExplicitAny: TypeScript wants it of a mixin
    constructor(...given: any[]) {
      const [ctx, env] = given;
      meter.watch(kind, ctx, env);
      super(...given);
      this.#ctx = ctx;
    }
    override alarm(): void | Promise<void> {
      meter.fired(this.#ctx);
      return super.alarm();
    }
    async fireAlarm(): Promise<void> {
      await this.#ctx.storage.deleteAlarm();
      await this.alarm();
    }
    evict(): void {
      this.#ctx.abort(EVICTED);
    }
  };
}

export class PageObject extends metered("page", SilaPage) {}
export class RateLimiter extends metered("limiter", SilaLimiter) {}
export class NaivePage extends metered("naive_page", Naive) {}
export class NaiveLimiter extends metered("naive_limiter", NaiveWindows) {}

const framed = new Hono<AppEnv>();
framed.use(requestId({ limitLength: 64 }), securityHeaders);
framed.post("/api/analytics/view", async (c) => {
  await readJson(c.req.raw, Beacon, BEACON_BYTES_MAX);
  return c.json({ ok: true }, 202);
});

/** Milliseconds from the router to an object and back: an object in another city. */
const DISTANCE_MS = 20;

interface Environments {
  near: Cloudflare.Env;
  far: Cloudflare.Env;
  limit: Cloudflare.Env;
}

let made: Environments | undefined;

/** Made once, because the product caches its settings by environment. */
function environments(env: Cloudflare.Env): Environments {
  const distance: Way = (call) => far(DISTANCE_MS, call);
  made ??= {
    near: env.METER === "1" ? meter.metered(env) : env,
    far: {
      ...env,
      PAGE: objectsBy(distance, env.PAGE),
      LIMITER: objectsBy(distance, env.LIMITER),
    },
    limit: { ...env, EDGE_LIMIT: new EdgeLimit() },
  };
  return made;
}

export default {
  fetch(request, env, ctx) {
    const lane = request.headers.get("X-Bench");
    const { near, far, limit } = environments(env);
    if (lane === null) return sila.fetch(request, near, ctx);
    if (lane === "naive") return naive.fetch(request, near, ctx);
    if (lane === "limit") return sila.fetch(request, limit, ctx);
    if (lane === "far") return sila.fetch(request, far, ctx);
    if (lane === "framed") return framed.fetch(request, env, ctx);
    return control(new URL(request.url), env);
  },
} satisfies ExportedHandler<Cloudflare.Env>;
