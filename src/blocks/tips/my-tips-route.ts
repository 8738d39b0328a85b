import { ownerAndPage } from "../../accounts/owner-and-page.ts";
import { privateRoute } from "../../accounts/private.ts";
import type { SignedIn } from "../../accounts/require-session.ts";
import { ApiError } from "../../http/api-error.ts";
import { callDependency } from "../../http/dependency.ts";
import { RECEIVED_TIPS_PATH, SENT_TIPS_PATH } from "../../http/endpoints.ts";
import { exactLimit } from "../../http/exact-limit.ts";
import { Hono } from "../../http/hono.ts";
import { onlyMethods } from "../../http/methods.ts";
import { validate } from "../../http/validate.ts";
import { findPage } from "../../pages/document/pages-store.ts";
import { tipJson } from "./tip-json.ts";
import { ReceivedQuery, SentQuery } from "./tips-query.ts";
import { listTips } from "./tips-store.ts";

const FAILED = "tips_failed";

export const myTips = new Hono<SignedIn>();

for (const path of [SENT_TIPS_PATH, RECEIVED_TIPS_PATH]) myTips.use(path, exactLimit);

/**
 * What the user has sent, newest first (docs/contract.md section 11). 200 `{ok, tips:[{id, page_id, link_id,
 * points, message, at, status}], next_cursor}`.
 */
myTips.get(SENT_TIPS_PATH, privateRoute, async (c) => {
  const { limit, cursor } = validate(SentQuery, c.req.query());
  const sender = c.env.TIPS.getByName(c.get("session").user.id);
  // One more than is shown: then there is a next page.
  const found = await callDependency(FAILED, () => sender.list(limit + 1, cursor ?? null));
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1) : undefined;
  return c.json({
    ok: true,
    tips: shown.map(tipJson),
    next_cursor: last === undefined ? null : `${last.at}.${last.id}`,
  });
});
myTips.all(SENT_TIPS_PATH, onlyMethods("GET"));

/**
 * What a page has received, newest first. 200 `{ok, tips:[{seq, link_id, from_name, points, message, at}],
 * totals:{n, points}, next_cursor}`; 404 for a page of another owner.
 */
myTips.get(RECEIVED_TIPS_PATH, privateRoute, async (c) => {
  const { owner_id, page_id } = ownerAndPage(c);
  const { limit, cursor } = validate(ReceivedQuery, c.req.query());
  const page = await callDependency(FAILED, () => findPage(c.env.DB, owner_id, page_id));
  if (page === null) throw new ApiError("PAGE_NOT_FOUND");
  const listing = { limit: limit + 1, before: cursor ?? null };
  const { tips, totals } = await callDependency(FAILED, () => listTips(c.env.DB, page_id, listing));
  const shown = tips.slice(0, limit);
  return c.json({
    ok: true,
    tips: shown.map((tip) => ({ ...tip, at: new Date(tip.at).toISOString() })),
    totals,
    next_cursor: tips.length > limit ? String(shown.at(-1)?.seq) : null,
  });
});
myTips.all(RECEIVED_TIPS_PATH, onlyMethods("GET"));
