import * as z from "zod/mini";
import { hasPoints } from "../../accounts/has-points.ts";
import { fetchWallet } from "../../accounts/hub.ts";
import { privateRoute } from "../../accounts/private.ts";
import { authRequired, type SignedIn } from "../../accounts/require-session.ts";
import { drawnPage } from "../../dashboard/drawn-page.ts";
import { frameOf } from "../../dashboard/frame-of.ts";
import { ApiError } from "../../http/api-error.ts";
import { requireConfig } from "../../http/config.ts";
import { callDependency } from "../../http/dependency.ts";
import { exactLimit } from "../../http/exact-limit.ts";
import { Hono } from "../../http/hono.ts";
import { onlyMethods } from "../../http/methods.ts";
import { validate } from "../../http/validate.ts";
import { findPublicNames } from "../../pages/document/pages-store.ts";
import { TIPS_PER_PAGE } from "./limits.ts";
import { SentQuery } from "./tips-query.ts";

const PATH = "/dashboard/wallet";

export const walletPage = new Hono<SignedIn>();

walletPage.use(PATH, exactLimit);

const WalletQuery = z.pick(SentQuery, { cursor: true });

/**
 * The user's points, if the hub answers, and twenty sent tips after `?cursor=`. 200 HTML; 400, 401, 429,
 * 502, 503, 504 as error pages.
 */
walletPage.get(PATH, privateRoute, async (c) => {
  const frame = await frameOf(c);
  const { user, cookie } = c.get("session");
  const { cursor } = validate(WalletQuery, c.req.query());
  const { HUB_URL } = requireConfig(c.env, "accounts");
  const [wallet, found, has_points] = await Promise.all([
    // The list is useful without the points. The failure is in the log.
    fetchWallet(c.env, cookie).catch((error: unknown) => {
      if (error instanceof ApiError) return "unknown" as const;
      throw error;
    }),
    callDependency("tips_failed", () =>
      c.env.TIPS.getByName(user.id).list(TIPS_PER_PAGE + 1, cursor ?? null),
    ),
    callDependency("tips_failed", () => hasPoints(c.env.DB, HUB_URL)),
  ]);
  // The hub ended the session after it was cached.
  if (wallet === null) throw authRequired(c.req.url);
  const tips = found.slice(0, TIPS_PER_PAGE);
  const last = found.length > tips.length ? tips.at(-1) : undefined;
  const page_ids = [...new Set(tips.map(({ page_id }) => page_id))];
  const pages = await callDependency("tips_failed", () => findPublicNames(c.env.DB, page_ids));
  const props = {
    wallet: wallet === "unknown" ? null : wallet,
    has_points,
    tips,
    pages,
    next_cursor: last === undefined ? null : `${last.at}.${last.id}`,
  };
  return c.html(await drawnPage(c, frame, ["wallet", props]));
});
walletPage.all(PATH, onlyMethods("GET"));
