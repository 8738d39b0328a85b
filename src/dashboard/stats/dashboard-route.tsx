/** The HTML has the same numbers as the API's answers; the script draws and updates them. */

import { MONITOR } from "../../../objects/flush/flush-reports.ts";
import { PAGES_LISTED_MAX } from "../../accounts/limits.ts";
import { ownerAndPage } from "../../accounts/owner-and-page.ts";
import { setOwnerCookie } from "../../accounts/owner-cookie.ts";
import { privateRoute } from "../../accounts/private.ts";
import type { SignedIn } from "../../accounts/require-session.ts";
import { eventsPerDay } from "../../http/config.ts";
import { callDependency } from "../../http/dependency.ts";
import { exactLimit } from "../../http/exact-limit.ts";
import { Hono } from "../../http/hono.ts";
import { onlyMethods } from "../../http/methods.ts";
import { PAGES_PER_PLAN } from "../../pages/document/limits.ts";
import { listPageNames } from "../../pages/document/pages-store.ts";
import { readDownloads } from "../../stats/downloads-store.ts";
import { lookAtPages } from "../../stats/look-at-pages.ts";
import { listOwnedPages } from "../../stats/owned-pages-store.ts";
import { pageAudit } from "../../stats/page-audit.ts";
import { ownedPage } from "../../stats/page-columns.ts";
import { pageStats } from "../../stats/page-stats.ts";
import { publicAddress } from "../addresses.ts";
import { frameOf } from "../frame-of.ts";
import { PagesPage } from "../pages-page.tsx";
import { QrCode } from "../qr-code.tsx";
import { readReceivedTips } from "../received-tips.ts";
import { viewOf } from "./dashboard-query.ts";
import { StatsPage } from "./stats-page.tsx";
import { TIPS_SHOWN } from "./tips-part.tsx";

const LIST_PATH = "/dashboard";
const PAGE_PATH = "/dashboard/:page_id";
const QR_PATH = "/dashboard/:page_id/qr.svg";

export const dashboard = new Hono<SignedIn>();

for (const path of [LIST_PATH, PAGE_PATH, QR_PATH]) dashboard.use(path, exactLimit);

/** The list of the creator's pages. 200 HTML; 400, 401, 429, 502, 503, 504 as error pages. */
dashboard.get(LIST_PATH, privateRoute, async (c) => {
  const frame = await frameOf(c);
  const { user } = c.get("session");
  const pages = await callDependency("dashboard_failed", () =>
    listOwnedPages(c.env, user.id, frame.now_ms, PAGES_LISTED_MAX, (page_ids) =>
      lookAtPages(c.env, page_ids),
    ),
  );
  await setOwnerCookie(
    c,
    pages.filter(({ ends_at }) => ends_at === null).map(({ page_id }) => page_id),
  );
  const pages_max = PAGES_PER_PLAN[user.plan];
  return c.html(`<!DOCTYPE html>${<PagesPage {...frame} {...{ pages, pages_max }} />}`);
});
dashboard.all(LIST_PATH, onlyMethods("GET"));

/** One page's statistics, flushed if D1 takes it. 200 HTML; 400, 401, 404, 429, 502, 503, 504. */
dashboard.get(PAGE_PATH, privateRoute, async (c) => {
  const frame = await frameOf(c);
  const { owner_id, page_id } = ownerAndPage(c);
  const owned = await ownedPage(c, "dashboard_failed");
  const { range, notice, ...view } = viewOf(c.req.query(), owned, frame.now_ms);
  const [{ page, stats }, audit, pages, downloads, used_up_at] = await Promise.all([
    pageStats(c.env, { owner_id, page_id, fresh: "tried", ...view }, frame.now_ms),
    // The page is complete without the audit, whose failure is in the log.
    pageAudit(c.env, owner_id, page_id).catch(() => null),
    callDependency("dashboard_failed", () => listPageNames(c.env.DB, owner_id, PAGES_LISTED_MAX)),
    callDependency("dashboard_failed", () => readDownloads(c.env, owner_id, page_id)),
    readUsedUpAt(c.env),
  ]);
  // After the flush, so that every tip acknowledged before is there. The page is complete without.
  const received = await callDependency("dashboard_failed", () =>
    readReceivedTips(c.env.DB, { owner_id, page_id }, { before: null, limit: TIPS_SHOWN }),
  ).catch(() => null);
  await setOwnerCookie(c, [
    page_id,
    ...pages.map((each) => each.page_id).filter((id) => id !== page_id),
  ]);
  const { origin } = frame.url;
  const address = new URL(publicAddress(page.slug), origin).href;
  // The page is complete without.
  const qr = await callDependency("qr_code_failed", () => c.env.WORKSHOP.qrCode(address)).catch(
    () => null,
  );
  const props = {
    ...{ page, pages, range, notice, stats, used_up_at },
    ...{ downloads, received, audit, origin, qr },
  };
  return c.html(`<!DOCTYPE html>${<StatsPage {...frame} {...props} />}`);
});
dashboard.all(PAGE_PATH, onlyMethods("GET"));

/** The page's address as a QR code. 200 image/svg+xml; 401, 404, 429, 502, 503, 504. */
dashboard.get(QR_PATH, privateRoute, async (c) => {
  const { slug } = await ownedPage(c, "dashboard_failed");
  const address = new URL(`/${encodeURIComponent(slug)}`, c.req.url).href;
  const drawing = await callDependency("qr_code_failed", () => c.env.WORKSHOP.qrCode(address));
  const svg = <QrCode drawing={drawing} title={address} />;
  return c.body(`${svg}`, 200, { "Content-Type": "image/svg+xml" });
});
dashboard.all(QR_PATH, onlyMethods("GET"));

/** Null also where the monitor does not answer: the page is complete without. */
async function readUsedUpAt(env: Cloudflare.Env): Promise<number | null> {
  if (eventsPerDay(env) === 0) return null;
  const asking = callDependency("dashboard_failed", async () =>
    env.MONITOR.getByName(MONITOR).usedUpAt(),
  );
  return asking.catch(() => null);
}
