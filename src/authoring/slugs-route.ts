/** Whether a slug is free (docs/contract.md section 10). */
import { Hono } from "hono";
import { privateRoute } from "../accounts/private.ts";
import type { SignedIn } from "../accounts/require-session.ts";
import { ApiError } from "../http/api-error.ts";
import { callDependency } from "../http/dependency.ts";
import { exactLimit } from "../http/exact-limit.ts";
import { canonicalSlug } from "../http/ids.ts";
import { onlyMethods } from "../http/methods.ts";
import { isReservedSlug } from "../pages/reserved-slugs.ts";
import { isSlugFree } from "../pages/slugs-store.ts";
import { requirePage } from "./save.ts";

const PATH = "/api/me/slugs/:slug";

export const slugs = new Hono<SignedIn>();

slugs.use(PATH, exactLimit);

/**
 * 200 `{ok, slug, free}` with the slug's canonical spelling; it may be taken a moment later. With
 * `?page_id=` of an own page, the slugs that this page has or gave up count as free. 400 for a text
 * that cannot be a slug, 401, 404 for a page of somebody else, 429, 502, 503, 504.
 */
slugs.get(PATH, privateRoute, async (c) => {
  const slug = canonicalSlug(c.req.param("slug"));
  if (slug === null) {
    throw new ApiError("VALIDATION_FAILED", {
      details: { issues: [{ path: "slug", message: "letters and digits of one script" }] },
    });
  }
  const page_id = c.req.query("page_id") ?? null;
  if (page_id !== null) await requirePage(c, { owner_id: c.get("session").user.id, page_id });
  const free = await callDependency("page_failed", () =>
    isSlugFree(c.env.DB, slug, page_id, Date.now()),
  );
  return c.json({ ok: true, slug, free: free && !isReservedSlug(slug) });
});
slugs.all(PATH, onlyMethods("GET"));
