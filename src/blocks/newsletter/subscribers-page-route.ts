import * as z from "zod/mini";
import { ownerAndPage } from "../../accounts/owner-and-page.ts";
import { privateRoute } from "../../accounts/private.ts";
import type { SignedIn } from "../../accounts/require-session.ts";
import { drawnPage } from "../../dashboard/drawn-page.ts";
import { frameOf } from "../../dashboard/frame-of.ts";
import { ApiError } from "../../http/api-error.ts";
import { siteOrigin } from "../../http/config.ts";
import { callDependency } from "../../http/dependency.ts";
import { exactLimit } from "../../http/exact-limit.ts";
import { Hono } from "../../http/hono.ts";
import { onlyMethods } from "../../http/methods.ts";
import { validate } from "../../http/validate.ts";
import { defaultLocale, languageIn, textIn } from "../../pages/document/page-words.ts";
import { findPage } from "../../pages/document/pages-store.ts";
import { SUBSCRIBERS_PER_PAGE } from "./limits.ts";
import { SubscribersQuery } from "./subscribers-query.ts";

const PATH = "/dashboard/:page_id/subscribers";

export const subscribersPage = new Hono<SignedIn>();

subscribersPage.use(PATH, exactLimit);

const PageQuery = z.pick(SubscribersQuery, { q: true, cursor: true });

/**
 * The list of a newsletter's subscribers: fifty after `?cursor=`, with `?q=` in their addresses. 200 HTML; 400,
 * 401, 404 for another user's page, 429, 502, 503, 504 as error pages.
 */
subscribersPage.get(PATH, privateRoute, async (c) => {
  const frame = await frameOf(c);
  const { owner_id, page_id } = ownerAndPage(c);
  const { q, cursor } = validate(PageQuery, c.req.query());
  const page = await callDependency("newsletter_failed", () =>
    findPage(c.env.DB, owner_id, page_id),
  );
  if (page === null) throw new ApiError("PAGE_NOT_FOUND");
  const asked = q.trim();
  const query = { limit: SUBSCRIBERS_PER_PAGE, after: cursor ?? null, q: asked || null };
  const { next, ...listed } = await callDependency("newsletter_failed", () =>
    c.env.SUBSCRIBERS.getByName(page_id).list(query),
  );
  const blocks = new Map(
    page.links
      .filter(({ kind }) => kind === "newsletter")
      .map(({ link_id, label }) => [link_id, label]),
  );
  const page_name = textIn(page.name, defaultLocale(page));
  const page_locale = languageIn(page.name, defaultLocale(page));
  const has_links = siteOrigin(c.env) !== "";
  const props = {
    page_id,
    page_name,
    page_locale,
    blocks,
    q: asked,
    next_cursor: next,
    has_links,
    ...listed,
  };
  return c.html(await drawnPage(c, frame, ["subscribers", props]));
});
subscribersPage.all(PATH, onlyMethods("GET"));
