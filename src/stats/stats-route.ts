/** A page's statistics, for its owner and nobody else (docs/contract.md sections 8 and 9). */
import type { Context } from "hono";
import { ownerAndPage } from "../accounts/owner-and-page.ts";
import { privateRoute } from "../accounts/private.ts";
import type { SignedIn } from "../accounts/require-session.ts";
import { ApiError } from "../http/api-error.ts";
import { callDependency } from "../http/dependency.ts";
import { AUDIT_PATH, STATS_CSV_PATH, STATS_PATH } from "../http/endpoints.ts";
import { exactLimit } from "../http/exact-limit.ts";
import { Hono } from "../http/hono.ts";
import { onlyMethods } from "../http/methods.ts";
import { validate } from "../http/validate.ts";
import { pageAudit } from "./page-audit.ts";
import { findOwnedPage, ownedPage } from "./page-columns.ts";
import { pageStats } from "./page-stats.ts";
import { CsvQuery, statsCsv } from "./stats-csv.ts";
import { intervalOf, partOf, periodOf, StatsQuery } from "./stats-query.ts";

const LIVE_PATH = "/api/me/pages/:page_id/live";

export const stats = new Hono<SignedIn>();

for (const path of [STATS_PATH, STATS_CSV_PATH, AUDIT_PATH, LIVE_PATH]) stats.use(path, exactLimit);

/** 200 `{ok, …Stats}` (`stats-shape.ts`). 400 for bad days or zones, 404 for another's page. */
stats.get(STATS_PATH, privateRoute, async (c) => {
  const { stats } = await requestedStats(c);
  return c.json({ ok: true, ...stats });
});
stats.all(STATS_PATH, onlyMethods("GET"));

/** The same as a 200 text/csv download; `lang=ar` for Arabic headings. */
stats.get(STATS_CSV_PATH, privateRoute, async (c) => {
  const { lang } = validate(CsvQuery, c.req.query());
  const { page, stats } = await requestedStats(c);
  return c.body(statsCsv(stats, lang), 200, {
    "Content-Type": "text/csv; charset=utf-8",
    "Content-Disposition": `attachment; filename="sila-${page.page_id}-${stats.from}-${stats.to}.csv"`,
  });
});
stats.all(STATS_CSV_PATH, onlyMethods("GET"));

/**
 * 200 `{ok, exact, accepted, flushed, pending, drift, views, links}`: accepted + drift = flushed + pending for
 * the page and for every link, over all classes.
 */
stats.get(AUDIT_PATH, privateRoute, async (c) => {
  const { owner_id, page_id } = ownerAndPage(c);
  const audit = await pageAudit(c.env, owner_id, page_id);
  if (audit === null) throw new ApiError("PAGE_NOT_FOUND");
  return c.json({ ok: true, ...audit });
});
stats.all(AUDIT_PATH, onlyMethods("GET"));

/**
 * A WebSocket with the page's lifetime numbers: 101, then the messages of `objects/page/live.ts`.
 * 400 without an upgrade, 401, 403 FORBIDDEN from another site, 404, 429, 502, 503, 504. The origin
 * is checked, because browsers let any site open a socket here with our cookie (RFC 6455
 * section 10.2).
 */
stats.get(LIVE_PATH, privateRoute, async (c) => {
  const { owner_id, page_id } = ownerAndPage(c);
  if (c.req.header("Upgrade")?.toLowerCase() !== "websocket") {
    throw new ApiError("VALIDATION_FAILED", {
      details: { issues: [{ path: "Upgrade", message: "must be websocket" }] },
      headers: { Upgrade: "websocket" },
    });
  }
  const origin = c.req.header("Origin");
  if (origin !== undefined && origin !== new URL(c.req.url).origin) throw new ApiError("FORBIDDEN");
  const socket = await callDependency("live_failed", async () => {
    if ((await findOwnedPage(c.env, owner_id, page_id)) === null) return null;
    // A new request, so that the object receives nothing about the viewer.
    const answer = await c.env.PAGE.getByName(page_id).fetch("https://page/live", {
      headers: { Upgrade: "websocket" },
    });
    if (answer.webSocket === null) throw new Error(`no socket but ${answer.status}`);
    return answer.webSocket;
  });
  if (socket === null) throw new ApiError("PAGE_NOT_FOUND");
  return new Response(null, { status: 101, webSocket: socket });
});
stats.all(LIVE_PATH, onlyMethods("GET"));

/** The page's time zone, which is read first, decides which days the query means. */
async function requestedStats(c: Context<SignedIn>) {
  const { owner_id, page_id } = ownerAndPage(c);
  const { fresh, ...query } = validate(StatsQuery, c.req.query());
  const part = partOf(query);
  const page = await ownedPage(c, "stats_failed");
  const now_ms = Date.now();
  const period = periodOf(query, page, now_ms);
  const interval = intervalOf(query, period, now_ms);
  const view = { period, interval, page_zone: page.time_zone, ...part };
  return pageStats(c.env, { owner_id, page_id, fresh, ...view }, now_ms);
}
