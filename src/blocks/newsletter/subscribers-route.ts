/** A page's subscribers, for its owner alone (docs/contract.md section 11). */
import type { Context } from "hono";
import type { SubscriberList } from "../../../objects/blocks/newsletter/subscription.ts";
import { ownerAndPage } from "../../accounts/owner-and-page.ts";
import { privateRoute } from "../../accounts/private.ts";
import type { SignedIn } from "../../accounts/require-session.ts";
import { ApiError } from "../../http/api-error.ts";
import { callDependency } from "../../http/dependency.ts";
import { SUBSCRIBER_PATH, SUBSCRIBERS_CSV_PATH, SUBSCRIBERS_PATH } from "../../http/endpoints.ts";
import { exactLimit } from "../../http/exact-limit.ts";
import { Hono } from "../../http/hono.ts";
import { Id } from "../../http/ids.ts";
import { onlyMethods } from "../../http/methods.ts";
import { validate } from "../../http/validate.ts";
import { findPage, type Page } from "../../pages/document/pages-store.ts";
import { SUBSCRIBERS_PER_READ } from "./limits.ts";
import { subscribersCsv } from "./subscribers-csv.ts";
import { SubscribersCsvQuery, SubscribersQuery } from "./subscribers-query.ts";
import { unsubscribeLinks } from "./unsubscribe-link.ts";

const FAILED = "newsletter_failed";

export const subscribers = new Hono<SignedIn>();

for (const path of [SUBSCRIBERS_PATH, SUBSCRIBERS_CSV_PATH, SUBSCRIBER_PATH])
  subscribers.use(path, exactLimit);

/**
 * 200 `{ok, subscribers:[{id, email, confirmed_at, source:{link_id, locale}}], total, pending, next_cursor}`,
 * newest first; `?q=` is a part of the address. 404 for a page of somebody else.
 */
subscribers.get(SUBSCRIBERS_PATH, privateRoute, async (c) => {
  const { limit, cursor, q } = validate(SubscribersQuery, c.req.query());
  const { page_id } = await requireOwnPage(c);
  const { next, ...listed } = await list(c, page_id, limit, cursor ?? null, q.trim() || null);
  return c.json({ ok: true, ...listed, next_cursor: next });
});
subscribers.all(SUBSCRIBERS_PATH, onlyMethods("GET"));

/** All subscribers as text/csv, `?lang=ar` or `en`. */
subscribers.get(SUBSCRIBERS_CSV_PATH, privateRoute, async (c) => {
  const { lang } = validate(SubscribersCsvQuery, c.req.query());
  const page = await requireOwnPage(c);
  const read = (after: string | null) => list(c, page.page_id, SUBSCRIBERS_PER_READ, after, null);
  const links = unsubscribeLinks(c.env, page.page_id);
  return c.body(subscribersCsv(page, lang, await read(null), read, links), 200, {
    "Content-Type": "text/csv; charset=utf-8",
    "Content-Disposition": `attachment; filename="subscribers-${page.page_id}.csv"`,
  });
});
subscribers.all(SUBSCRIBERS_CSV_PATH, onlyMethods("GET"));

/** 200 `{ok}`; 404. */
subscribers.delete(SUBSCRIBER_PATH, privateRoute, async (c) => {
  const { page_id } = await requireOwnPage(c);
  const id = Id.safeParse(c.req.param("id"));
  const is_removed =
    id.success &&
    (await callDependency(FAILED, () => c.env.SUBSCRIBERS.getByName(page_id).remove(id.data)));
  if (!is_removed) throw new ApiError("NOT_FOUND");
  return c.json({ ok: true });
});
subscribers.all(SUBSCRIBER_PATH, onlyMethods("DELETE"));

async function requireOwnPage(c: Context<SignedIn>): Promise<Page> {
  const { owner_id, page_id } = ownerAndPage(c);
  const page = await callDependency(FAILED, () => findPage(c.env.DB, owner_id, page_id));
  const has_ended = page !== null && page.ends_at !== null && page.ends_at <= Date.now();
  if (page === null || has_ended) throw new ApiError("PAGE_NOT_FOUND");
  return page;
}

function list(
  c: Context<SignedIn>,
  page_id: string,
  limit: number,
  after: string | null,
  q: string | null,
): Promise<SubscriberList> {
  return callDependency(FAILED, async () =>
    c.env.SUBSCRIBERS.getByName(page_id).list({ limit, after, q }),
  );
}
