/** A page's statistics, for its owner and nobody else (docs/contract.md sections 8 and 9). */
import type { Context } from "hono";
import { Hono } from "hono";
import { privateRoute } from "../accounts/private.ts";
import type { SignedIn } from "../accounts/require-session.ts";
import { ApiError } from "../http/api-error.ts";
import { orDown } from "../http/dependency.ts";
import { exactLimit } from "../http/exact-limit.ts";
import { Id } from "../http/ids.ts";
import { onlyMethods } from "../http/methods.ts";
import { parsed } from "../http/validate.ts";
import { auditOf } from "./audit.ts";
import { sideBySide } from "./consistent-read.ts";
import { pageStats } from "./page-stats.ts";
import { statsCsv } from "./stats-csv.ts";
import { periodOf, StatsQuery } from "./stats-query.ts";
import { findOwnedPage, readHeld } from "./stats-store.ts";

const PATH = "/api/me/pages/:page_id/stats";
const CSV_PATH = "/api/me/pages/:page_id/stats.csv";
const AUDIT_PATH = "/api/me/pages/:page_id/audit";
const LIVE_PATH = "/api/me/pages/:page_id/live";

export const stats = new Hono<SignedIn>();

for (const path of [PATH, CSV_PATH, AUDIT_PATH, LIVE_PATH]) stats.use(path, exactLimit);

/**
 * 200 `{ok, …Stats}` (`stats-shape.ts`). 400 for days or a zone that cannot be, 401, 404 for a page that is
 * not theirs, 429, 502, 503, 504.
 */
stats.get(PATH, privateRoute, async (c) => {
  const { stats } = await askedFor(c);
  return c.json({ ok: true, ...stats });
});
stats.all(PATH, onlyMethods("GET"));

/** The same as 200 text/csv, to be saved. */
stats.get(CSV_PATH, privateRoute, async (c) => {
  const { page, stats } = await askedFor(c);
  return c.body(statsCsv(stats), 200, {
    "Content-Type": "text/csv; charset=utf-8",
    "Content-Disposition": `attachment; filename="sila-${page.page_id}-${stats.from}-${stats.to}.csv"`,
  });
});
stats.all(CSV_PATH, onlyMethods("GET"));

/**
 * 200 `{ok, exact, accepted, flushed, pending, drift, views, links}`: accepted + drift = flushed + pending, of the
 * page and of every link, over all classes. 401, 404, 429, 502, 503, 504.
 */
stats.get(AUDIT_PATH, privateRoute, async (c) => {
  const { owner_id, page_id } = whose(c);
  const { standing, found } = await orDown("audit_failed", () =>
    sideBySide(c.env, page_id, () => readHeld(c.env.DB, owner_id, page_id)),
  );
  if (found === null) throw new ApiError("PAGE_NOT_FOUND");
  return c.json({ ok: true, ...auditOf(found, standing) });
});
stats.all(AUDIT_PATH, onlyMethods("GET"));

/**
 * A WebSocket on which the page's lifetime numbers move: 101, then messages as `objects/page/live.ts` has them.
 * 400 without an upgrade, 401, 403 FORBIDDEN for a page of another site, 404, 429, 502, 503, 504. Browsers let every
 * site open a socket here with our cookie, so its origin is looked at (RFC 6455 section 10.2).
 */
stats.get(LIVE_PATH, privateRoute, async (c) => {
  const { owner_id, page_id } = whose(c);
  if (c.req.header("Upgrade")?.toLowerCase() !== "websocket") {
    throw new ApiError("VALIDATION_FAILED", {
      details: { issues: [{ path: "Upgrade", message: "must be websocket" }] },
      headers: { Upgrade: "websocket" },
    });
  }
  const origin = c.req.header("Origin");
  if (origin !== undefined && origin !== new URL(c.req.url).origin) throw new ApiError("FORBIDDEN");
  const socket = await orDown("live_failed", async () => {
    if ((await findOwnedPage(c.env.DB, owner_id, page_id)) === null) return null;
    // A request of our own making: the object learns nothing of who watches.
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

/** Who asks, and about which page. Throws 404 for what no page can be called. */
function whose(c: Context<SignedIn>): { owner_id: string; page_id: string } {
  const page_id = Id.safeParse(c.req.param("page_id"));
  if (!page_id.success) throw new ApiError("PAGE_NOT_FOUND");
  return { owner_id: c.get("session").user.id, page_id: page_id.data };
}

function askedFor(c: Context<SignedIn>) {
  const { owner_id, page_id } = whose(c);
  const query = parsed(StatsQuery, c.req.query());
  const now_ms = Date.now();
  const { interval, fresh } = query;
  const question = { owner_id, page_id, period: periodOf(query, now_ms), interval, fresh };
  return pageStats(c.env, question, now_ms);
}
