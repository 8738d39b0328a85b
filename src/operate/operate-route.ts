/** Operators' pages. For all others they do not exist (docs/security.md S36). */
import type { Context } from "hono";
import { MONITOR } from "../../objects/flush/flush-reports.ts";
import { mailSettings } from "../../objects/mail/mail-settings.ts";
import { SECOND_MS, withTimeout } from "../../objects/platform/clock.ts";
import { askIdentity } from "../accounts/ask-identity.ts";
import type { SignedIn } from "../accounts/require-session.ts";
import { adminAddress } from "../dashboard/addresses.ts";
import { drawnPage } from "../dashboard/drawn-page.ts";
import { frameOf } from "../dashboard/frame-of.ts";
import { ApiError } from "../http/api-error.ts";
import { eventsPerDay, hasOwnAccounts } from "../http/config.ts";
import { callDependency } from "../http/dependency.ts";
import { USERS_PAGE } from "../http/endpoints.ts";
import { Hono } from "../http/hono.ts";
import { canonicalSlug, Id } from "../http/ids.ts";
import { decodeSegment } from "../http/path-segment.ts";
import { findPageBySlug, type Page, readPage } from "../pages/document/pages-store.ts";
import { findTakedown, listActions } from "../pages/document/takedowns-store.ts";
import { tallyDatabases } from "./databases.ts";
import { findError, listErrors } from "./errors-store.ts";
import { readWentBack } from "./lacking.ts";
import { forOperators } from "./operators.ts";
import { readTraffic } from "./traffic-store.ts";

const FAILED = "operator_failed";
/** Longest wait for what D1 lacks: the rest of the page does not need it. */
const WENT_BACK_TIMEOUT_MS = 3 * SECOND_MS;

export const operate = new Hono<SignedIn>();

/** 200 HTML, also while D1 or R2 fails; 400, 429, 503 as error pages. */
operate.get(
  "/admin",
  forOperators(async (c) => {
    const { env } = c;
    const frame = await frameOf(c, { asks_unread: false });
    const [overview, went_back] = await Promise.all([
      callDependency("monitor_failed", async () => env.MONITOR.getByName(MONITOR).overview()),
      withTimeout(readWentBack(env), WENT_BACK_TIMEOUT_MS).catch(() => undefined),
    ]);
    const { mail_from, per_day } = mailSettings(env);
    const mail_per_day = mail_from === "" ? null : per_day;
    const props = { overview, went_back, mail_per_day, events_per_day: eventsPerDay(env) };
    return c.html(await drawnPage(c, frame, ["overview", props]));
  }),
);

/** Groups of error reports. 200 HTML; 400, 429, 503. */
operate.get(
  "/admin/errors",
  forOperators(async (c) => {
    const frame = await frameOf(c, { asks_unread: false });
    const groups = await callDependency(FAILED, () => listErrors(c.env.DB));
    return c.html(await drawnPage(c, frame, ["errors", { groups }]));
  }),
);

/** One group. 200 HTML; 400, 404, 429, 503. */
operate.get(
  "/admin/errors/:fingerprint",
  forOperators(async (c) => {
    const frame = await frameOf(c, { asks_unread: false });
    const fingerprint = c.req.param("fingerprint") ?? "";
    const group = await callDependency(FAILED, () => findError(c.env.DB, fingerprint));
    if (group === null) throw new ApiError("NOT_FOUND");
    return c.html(await drawnPage(c, frame, ["error", { group }]));
  }),
);

/** Pages by traffic; `?q=` leads to the page with this address or id. 200 HTML, 302; 400, 429, 503. */
operate.get(
  "/admin/pages",
  forOperators(async (c) => {
    const frame = await frameOf(c, { asks_unread: false });
    const q = (c.req.query("q") ?? "").trim();
    const found = q === "" ? null : await callDependency(FAILED, () => findByText(c.env.DB, q));
    if (found !== null) {
      return c.redirect(adminAddress(frame, `/admin/pages/${encodeURIComponent(found.page_id)}`));
    }
    const busy = await callDependency("monitor_failed", async () =>
      c.env.MONITOR.getByName(MONITOR).busiest(),
    );
    const pages = await traffic(
      c,
      busy.map(({ page_id }) => page_id),
    );
    const props = { pages, missing: q === "" ? null : q };
    return c.html(await drawnPage(c, frame, ["pages", props]));
  }),
);

/** One page, with its takedown. 200 HTML; 400, 404, 429, 503. */
operate.get(
  "/admin/pages/:page_id",
  forOperators(async (c) => {
    const frame = await frameOf(c, { asks_unread: false });
    const { DB } = c.env;
    const id = Id.safeParse(c.req.param("page_id"));
    const page = id.success ? await callDependency(FAILED, () => readPage(DB, id.data)) : null;
    if (page === null) throw new ApiError("PAGE_NOT_FOUND");
    const { page_id } = page;
    const [[shown = null], takedown, actions] = await Promise.all([
      traffic(c, [page_id]),
      callDependency(FAILED, () => findTakedown(DB, page_id)),
      callDependency(FAILED, () => listActions(DB, page_id)),
    ]);
    const props = { page, traffic: shown, takedown, actions };
    return c.html(await drawnPage(c, frame, ["page", props]));
  }),
);

function traffic({ env }: Context<SignedIn>, page_ids: readonly string[]) {
  return callDependency(FAILED, () =>
    readTraffic(env.DB, tallyDatabases(env), page_ids, Date.now()),
  );
}

async function findByText(db: D1Database, text: string): Promise<Page | null> {
  const id = Id.safeParse(text);
  const by_id = id.success ? await readPage(db, id.data) : null;
  if (by_id !== null) return by_id;
  const segment = (URL.parse(text)?.pathname ?? text).split("/").find((part) => part !== "") ?? "";
  const slug = canonicalSlug(decodeSegment(segment) ?? segment);
  return slug === null ? null : findPageBySlug(db, slug);
}

/** The identity Worker draws the users' pages. 200 HTML; 400, 404, 429, 503. */
for (const path of [USERS_PAGE, `${USERS_PAGE}/:user_id`]) {
  const answer = forOperators((c) => askIdentity(c));
  operate.get(path, (c, next) => (hasOwnAccounts(c.env) ? answer(c, next) : next()));
}
