/**
 * Table of contents of the Worker.
 *
 *   pages        GET /:slug ─ this app ─ edge cache ─ PageRenderer ─ D1, R2
 *   counts       beacon, /r, /p ─ this app ─ RateLimiter ─ PageObject ─ alarm ─ D1
 *   accounts     /api/auth, /api/me ─ this app ─ RateLimiter ─ KV, D1 ─(not cached, or changed)─ hub, or identity Worker
 *                /api/webhooks ─ this app ─ RateLimiter ─ D1
 *   suggestions  /api/ai ─ this app ─ RateLimiter ─ an OpenAI-compatible endpoint
 *   errors       /api/log/error ─ this app ─ RateLimiter ─ ErrorLog ─ alarm ─ D1
 */

import { accountRoutes } from "./accounts/routes.ts";
import { authoringRoutes } from "./authoring/routes.ts";
import { blockRoutes } from "./blocks/routes.ts";
import { beacon } from "./counting/beacon-route.ts";
import { countingRoutes } from "./counting/routes.ts";
import { runCron } from "./cron.ts";
import { dashboardRoutes } from "./dashboard/routes.ts";
import { configured } from "./http/configured.ts";
import type { AppEnv } from "./http/context.ts";
import { BEACON_PATH } from "./http/endpoints.ts";
import { answerError, answerNotFound } from "./http/error-answer.tsx";
import { exactLimit } from "./http/exact-limit.ts";
import { Hono } from "./http/hono.ts";
import { securityHeaders } from "./http/security-headers.ts";
import { operatorRoutes } from "./operate/routes.ts";
import { pageRoutes } from "./pages/routes.ts";
import { siteRoutes } from "./site/routes.ts";
import { statsRoutes } from "./stats/routes.ts";

export { DownloadUses } from "../objects/blocks/downloads/download-uses.ts";
export { Subscribers } from "../objects/blocks/newsletter/subscribers.ts";
export { TipSender } from "../objects/blocks/tips/tip-sender.ts";
export { WebhookSender } from "../objects/blocks/webhooks/webhook-sender.ts";
export { ErrorLog } from "../objects/errors/error-log.ts";
export { RateLimiter } from "../objects/limiter/rate-limiter.ts";
export { Monitor } from "../objects/monitor/monitor.ts";
export { PageObject } from "../objects/page/page-object.ts";
export { PageRenderer } from "./page-renderer.ts";

/** The shortest origin, `http://a`: no slash of the path comes before its end. */
const ORIGIN_MIN = 8;

/**
 * The hot lane. Beacons are most requests, and are dispatched among the few routes of an app of their own. The other app
 * has them too, for addresses with a query.
 */
const beacons = lane().route("/", beacon);

const app = lane();
// Before the limiter: redirects work while the limiter fails, but not without settings.
app.use("/r/*", configured("counting"));
app.route("/", countingRoutes);
app.route("/", statsRoutes);
app.route("/", accountRoutes);
app.route("/", authoringRoutes);
app.route("/", blockRoutes);
app.route("/", dashboardRoutes);
app.route("/", operatorRoutes);
app.all("/api/*", exactLimit, answerNotFound);
app.route("/", siteRoutes);
app.route("/", pageRoutes);

function lane(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.use(securityHeaders);
  app.onError(answerError);
  app.notFound(answerNotFound);
  return app;
}

function isBeacon(url: string): boolean {
  return (
    url.endsWith(BEACON_PATH) && url.indexOf("/", ORIGIN_MIN) === url.length - BEACON_PATH.length
  );
}

const fetch: typeof app.fetch = (request, ...rest) =>
  (isBeacon(request.url) ? beacons : app).fetch(request, ...rest);

export default {
  fetch,
  scheduled: ({ scheduledTime }, env, ctx) => ctx.waitUntil(runCron(env, scheduledTime)),
} satisfies ExportedHandler<Cloudflare.Env>;
