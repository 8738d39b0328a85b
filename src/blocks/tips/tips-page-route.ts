import * as z from "zod/mini";
import { ownerAndPage } from "../../accounts/owner-and-page.ts";
import { privateRoute } from "../../accounts/private.ts";
import type { SignedIn } from "../../accounts/require-session.ts";
import { drawnPage } from "../../dashboard/drawn-page.ts";
import { frameOf } from "../../dashboard/frame-of.ts";
import { readReceivedTips } from "../../dashboard/received-tips.ts";
import { ApiError } from "../../http/api-error.ts";
import { callDependency } from "../../http/dependency.ts";
import { exactLimit } from "../../http/exact-limit.ts";
import { Hono } from "../../http/hono.ts";
import { onlyMethods } from "../../http/methods.ts";
import { validate } from "../../http/validate.ts";
import { defaultLocale, languageIn, textIn } from "../../pages/document/page-words.ts";
import { findPage } from "../../pages/document/pages-store.ts";
import { TIPS_PER_PAGE } from "./limits.ts";
import { ReceivedQuery } from "./tips-query.ts";

const PATH = "/dashboard/:page_id/tips";

export const tipsPage = new Hono<SignedIn>();

tipsPage.use(PATH, exactLimit);

const TipsQuery = z.pick(ReceivedQuery, { cursor: true });

/**
 * The tips that a page has received: twenty before the one numbered `?cursor=`; the page's object is
 * flushed first. 200 HTML; 400, 401, 404 for another user's page, 429, 502, 503, 504 as error pages.
 */
tipsPage.get(PATH, privateRoute, async (c) => {
  const frame = await frameOf(c);
  const owned = ownerAndPage(c);
  const { owner_id, page_id } = owned;
  const { cursor } = validate(TipsQuery, c.req.query());
  const { page, received } = await callDependency("tips_failed", async () => {
    const page = await findPage(c.env.DB, owner_id, page_id);
    if (page === null) return { page, received: null };
    await c.env.PAGE.getByName(page_id).flush();
    const query = { before: cursor ?? null, limit: TIPS_PER_PAGE + 1 };
    return { page, received: await readReceivedTips(c.env.DB, owned, query) };
  });
  if (page === null || received === null) throw new ApiError("PAGE_NOT_FOUND");
  const tips = received.tips.slice(0, TIPS_PER_PAGE);
  const last = received.tips.length > tips.length ? tips.at(-1) : undefined;
  const props = {
    page_id,
    page_name: textIn(page.name, defaultLocale(page)),
    page_locale: languageIn(page.name, defaultLocale(page)),
    received: { ...received, tips },
    next_cursor: last === undefined ? null : String(last.seq),
  };
  return c.html(await drawnPage(c, frame, ["tips", props]));
});
tipsPage.all(PATH, onlyMethods("GET"));
