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

import { auth } from "./accounts/auth-route.ts";
import { identity } from "./accounts/identity-route.ts";
import { notifications } from "./accounts/notifications-route.ts";
import { wallet } from "./accounts/wallet-route.ts";
import { webhooks } from "./accounts/webhook-route.ts";
import { editor } from "./authoring/editor/editor-route.tsx";
import { qr } from "./authoring/editor/qr-route.tsx";
import { authoring } from "./authoring/pages-route.ts";
import { pictures } from "./authoring/pictures/pictures-route.ts";
import { preview } from "./authoring/preview-route.tsx";
import { revisions } from "./authoring/revisions-route.ts";
import { slugs } from "./authoring/slugs-route.ts";
import { totals } from "./authoring/totals-route.ts";
import { exporting } from "./authoring/transfer/export-route.ts";
import { importing } from "./authoring/transfer/import-route.ts";
import { ai } from "./blocks/ai/ai-route.ts";
import { downloadLinks } from "./blocks/files/download-link-route.ts";
import { download } from "./blocks/files/download-route.ts";
import { files } from "./blocks/files/files-route.ts";
import { newsletterPage } from "./blocks/newsletter/newsletter-page-route.tsx";
import { newsletter } from "./blocks/newsletter/newsletter-route.ts";
import { subscribersPage } from "./blocks/newsletter/subscribers-page-route.ts";
import { subscribers } from "./blocks/newsletter/subscribers-route.ts";
import { myTips } from "./blocks/tips/my-tips-route.ts";
import { tipPage } from "./blocks/tips/tip-page-route.tsx";
import { tip } from "./blocks/tips/tip-route.ts";
import { tipsPage } from "./blocks/tips/tips-page-route.ts";
import { walletPage } from "./blocks/tips/wallet-page-route.ts";
import { webhooksPage } from "./blocks/webhooks/webhooks-page-route.ts";
import { pageWebhooks } from "./blocks/webhooks/webhooks-route.ts";
import { beacon } from "./counting/beacon-route.ts";
import { errorLog } from "./counting/errors/error-log-route.ts";
import { redirect } from "./counting/redirect-route.ts";
import { runCron } from "./cron.ts";
import { notificationsPage } from "./dashboard/notifications-route.ts";
import { dashboard } from "./dashboard/stats/dashboard-route.tsx";
import { configured } from "./http/configured.ts";
import type { AppEnv } from "./http/context.ts";
import { BEACON_PATH } from "./http/endpoints.ts";
import { answerError, answerNotFound } from "./http/error-answer.tsx";
import { exactLimit } from "./http/exact-limit.ts";
import { Hono } from "./http/hono.ts";
import { securityHeaders } from "./http/security-headers.ts";
import { operatorActions } from "./operate/actions-route.ts";
import { dump } from "./operate/dump/dump-route.ts";
import { health } from "./operate/health-route.ts";
import { metrics } from "./operate/metrics-route.ts";
import { operate } from "./operate/operate-route.ts";
import { status } from "./operate/status-route.tsx";
import { vcards } from "./pages/cards/vcard-route.ts";
import { pages } from "./pages/page-route.ts";
import { assets } from "./site/assets-route.ts";
import { site } from "./site/site-route.ts";
import { stats } from "./stats/stats-route.ts";

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

const app = lane();
/**
 * Beacons are most requests, and are dispatched among the few routes of an app of their own. The
 * other app has them too, for addresses with a query.
 */
const beacons = lane();

/** An app with what all routes share. */
function lane(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.use(securityHeaders);
  app.onError(answerError);
  app.notFound(answerNotFound);
  return app;
}

beacons.route("/", beacon);

// Before the limiter: redirects work while the limiter fails, but not without settings.
app.use("/r/*", configured("counting"));

app.route("/", beacon);
app.route("/", redirect);
app.route("/", errorLog);
app.route("/", health);
app.route("/", auth);
app.route("/", wallet);
app.route("/", notifications);
app.route("/", stats);
// Before the pages by their ids: `import` is no id.
app.route("/", importing);
app.route("/", exporting);
app.route("/", authoring);
app.route("/", preview);
app.route("/", revisions);
app.route("/", totals);
app.route("/", slugs);
app.route("/", pictures);
app.route("/", webhooks);
app.route("/", dump);
app.route("/", tip);
app.route("/", myTips);
app.route("/", files);
app.route("/", downloadLinks);
app.route("/", download);
app.route("/", newsletter);
app.route("/", subscribers);
app.route("/", pageWebhooks);
app.route("/", ai);
app.route("/", operatorActions);
app.route("/", identity);
app.all("/api/*", exactLimit, answerNotFound);
app.route("/", tipPage);
app.route("/", walletPage);
app.route("/", tipsPage);
app.route("/", newsletterPage);
app.route("/", editor);
app.route("/", qr);
app.route("/", notificationsPage);
app.route("/", subscribersPage);
app.route("/", webhooksPage);
app.route("/", dashboard);
app.route("/", metrics);
app.route("/", operate);
app.route("/", status);
app.route("/", site);
app.route("/", assets);
app.route("/", vcards);
app.route("/", pages);

/** Whether the address has the beacon's path and no query. */
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
