import { createMiddleware } from "hono/factory";
import * as z from "zod/mini";
import { hasPoints } from "../../accounts/has-points.ts";
import { ownerAndPage } from "../../accounts/owner-and-page.ts";
import { privateRoute } from "../../accounts/private.ts";
import type { SignedIn } from "../../accounts/require-session.ts";
import { sessionCookie } from "../../accounts/session.ts";
import { drawnPage } from "../../dashboard/drawn-page.ts";
import { frameOf } from "../../dashboard/frame-of.ts";
import { ApiError } from "../../http/api-error.ts";
import { hasSuggestions, requireConfig } from "../../http/config.ts";
import { callDependency } from "../../http/dependency.ts";
import { edgeLimit } from "../../http/edge-limit.ts";
import { LOGIN_PATH, PREVIEW_FRAME_PATH } from "../../http/endpoints.ts";
import { exactLimit } from "../../http/exact-limit.ts";
import { Hono } from "../../http/hono.ts";
import { onlyMethods } from "../../http/methods.ts";
import { PAGES_PER_PLAN } from "../../pages/document/limits.ts";
import { LINK_ADDRESS_MAX_CHARACTERS } from "../../pages/document/link-address.ts";
import { listPageNames } from "../../pages/document/pages-store.ts";
import { plainText } from "../../views/plain-text.ts";
import { requireEditable } from "../own-pages.ts";
import { pageJson } from "../page-json.ts";
import { EditorPage } from "./editor-page.tsx";
import { PreviewFrame } from "./preview-frame.tsx";

const START_PATH = "/dashboard/new";
const EDIT_PATH = "/dashboard/pages/:page_id/edit";

export const editor = new Hono<SignedIn>();

for (const path of [START_PATH, EDIT_PATH]) editor.use(path, exactLimit);

/** An invalid wish from the landing page is shown too, with the reason. */
const StartQuery = z.object({
  slug: z._default(z.catch(z.string().check(z.maxLength(LINK_ADDRESS_MAX_CHARACTERS)), ""), ""),
});

/**
 * Without a session cookie the error page continues to the sign-in by itself, so the landing page is one
 * step from it. No redirect: browsers block one to another site that answers a form, because the landing
 * page's policy says `form-action 'self'`.
 */
const toSignIn = createMiddleware<SignedIn>(async (c, next) => {
  if (sessionCookie(c.env, c.req.raw) !== null) return next();
  const sign_in = `${LOGIN_PATH}?${new URLSearchParams({ return_to: c.req.url })}`;
  throw new ApiError("AUTH_REQUIRED", {
    details: { login_url: new URL(sign_in, c.req.url).href },
    headers: { Refresh: `0;url=${sign_in}` },
  });
});

/**
 * The first step to a new page, or a notice that the plan has no room for one. 200 HTML; 400, 401 with
 * a refresh to the sign-in, 429, 502, 503, 504 as error pages.
 */
editor.get(START_PATH, toSignIn, privateRoute, async (c) => {
  const frame = await frameOf(c);
  const { slug } = StartQuery.parse(c.req.query());
  const { user } = c.get("session");
  const pages_max = PAGES_PER_PLAN[user.plan];
  // Shown before the form is filled in; the save checks it again.
  const pages = await callDependency("page_failed", () =>
    listPageNames(c.env.DB, user.id, pages_max),
  );
  const full = pages.length < pages_max ? null : pages_max;
  return c.html(await drawnPage(c, frame, ["start", { slug: plainText(slug), full }]));
});
editor.all(START_PATH, onlyMethods("GET"));

/** 200 HTML; 400, 401, 404 also for a deleted page, 410 for a suspended one, 429, 502, 503, 504. */
editor.get(EDIT_PATH, privateRoute, async (c) => {
  const frame = await frameOf(c);
  const { HUB_URL } = requireConfig(c.env, "accounts");
  const [page, has_points] = await Promise.all([
    requireEditable(c, ownerAndPage(c)),
    callDependency("page_failed", () => hasPoints(c.env.DB, HUB_URL)),
  ]);
  c.set("policy", "embedding");
  const { id: user_id } = c.get("session").user;
  const has_suggestions = hasSuggestions(c.env);
  const props = { frame, user_id, page: pageJson(page), has_suggestions, has_points };
  return c.html(`<!DOCTYPE html>${<EditorPage {...props} />}`);
});
editor.all(EDIT_PATH, onlyMethods("GET"));

/** Browsers may keep the empty document of the preview: it is the same for everybody. 200 HTML. */
editor.get(PREVIEW_FRAME_PATH, edgeLimit, (c) => {
  c.set("policy", "empty_frame");
  c.header("Cache-Control", "private, max-age=300");
  return c.html(`<!DOCTYPE html>${<PreviewFrame />}`);
});
editor.all(PREVIEW_FRAME_PATH, onlyMethods("GET"));
