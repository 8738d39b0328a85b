/**
 * Table of contents of the Worker.
 *
 *   pages lane   GET /:slug ─ gateway (this app) ─ edge cache ─ PageRenderer ─ D1
 *   counts lane  beacon, /r, /p ─ this app ─ RateLimiter ─ PageObject ─ alarm ─ D1
 *   accounts     /api/auth, /api/me ─ this app ─ RateLimiter ─ KV, D1 ─(not known, or changed)─ hub
 *                /api/webhooks ─ this app ─ RateLimiter ─ D1
 *   errors       /api/log/error ─ this app ─ RateLimiter ─ ErrorLog ─ alarm ─ D1
 */
import { Hono } from "hono";
import { requestId } from "hono/request-id";
import type { AppEnv } from "./context.ts";
import { configured } from "./middleware/configured.ts";
import { answerError, answerNotFound } from "./middleware/error-answer.tsx";
import { exactLimit } from "./middleware/limiter.ts";
import { securityHeaders } from "./middleware/security-headers.ts";
import { auth } from "./routes/auth.ts";
import { beacon } from "./routes/beacon.ts";
import { dashboard } from "./routes/dashboard.tsx";
import { errorLog } from "./routes/error-log.ts";
import { health } from "./routes/health.ts";
import { notifications } from "./routes/notifications.ts";
import { pages } from "./routes/pages.tsx";
import { redirect } from "./routes/redirect.ts";
import { site } from "./routes/site.ts";
import { stats } from "./routes/stats.ts";
import { vcards } from "./routes/vcards.ts";
import { wallet } from "./routes/wallet.ts";
import { webhooks } from "./routes/webhooks.ts";
import { runCron } from "./sweep.ts";

export { ErrorLog } from "../objects/error-log.ts";
export { RateLimiter } from "../objects/limiter.ts";
export { PageObject } from "../objects/page.ts";
export { PageRenderer } from "./renderer.ts";

const app = new Hono<AppEnv>();
app.use(requestId({ limitLength: 64 }), securityHeaders);
app.onError(answerError);
app.notFound(answerNotFound);

// A redirect goes on when its limiter fails, so this must be asked first.
app.use("/r/*", configured("counting"));

app.route("/", beacon);
app.route("/", redirect);
app.route("/", errorLog);
app.route("/", health);
app.route("/", auth);
app.route("/", wallet);
app.route("/", notifications);
app.route("/", stats);
app.route("/", webhooks);
app.all("/api/*", exactLimit, answerNotFound);
app.route("/", dashboard);
app.route("/", site);
app.route("/", vcards);
app.route("/", pages);

export default {
  fetch: app.fetch,
  scheduled: ({ scheduledTime }, env, ctx) => ctx.waitUntil(runCron(env, scheduledTime)),
} satisfies ExportedHandler<Cloudflare.Env>;
