import type { Context } from "hono";
import { privateRoute } from "../accounts/private.ts";
import type { SignedIn } from "../accounts/require-session.ts";
import { ApiError } from "../http/api-error.ts";
import { callDependency } from "../http/dependency.ts";
import { SLUG_PATH, SLUGS_PATH } from "../http/endpoints.ts";
import { exactLimit } from "../http/exact-limit.ts";
import { Hono } from "../http/hono.ts";
import { canonicalSlug } from "../http/ids.ts";
import { onlyMethods } from "../http/methods.ts";
import { validate } from "../http/validate.ts";
import type { Page } from "../pages/document/pages-store.ts";
import { isClaimable } from "../pages/document/reserved-slugs.ts";
import { findFreeSlugs } from "../pages/document/slugs-store.ts";
import { SLUGS_PROPOSED } from "./limits.ts";
import { requirePage } from "./own-pages.ts";
import { randomSlug, slugsLike, slugsOfName } from "./slug-proposals.ts";
import { whyNoSlug } from "./slug-reason.ts";
import { SlugsQuery } from "./slugs-query.ts";

export const slugs = new Hono<SignedIn>();

for (const path of [SLUGS_PATH, SLUG_PATH]) slugs.use(path, exactLimit);

/**
 * 200 `{ok, slug, suggestions}` for `?name=`: a slug made of the name, and up to 3 others. All are free
 * now and may be taken a moment later (docs/contract.md section 10).
 */
slugs.get(SLUGS_PATH, privateRoute, async (c) => {
  const { name } = validate(SlugsQuery, c.req.query());
  const [slug = randomSlug(), ...others] = await freeOf(c, slugsOfName(name), null);
  return c.json({ ok: true, slug, suggestions: others.slice(0, SLUGS_PROPOSED) });
});
slugs.all(SLUGS_PATH, onlyMethods("GET"));

/**
 * 200 `{ok, slug, free, suggestions}` with the canonical spelling, and up to 3 free ones if it is taken;
 * each may be taken a moment later. With `?page_id=`, slugs that this own page has or gave up count as
 * free. 400 with `details.reason` for a text that cannot be a slug; 404 for a foreign page.
 */
slugs.get(SLUG_PATH, privateRoute, async (c) => {
  const raw = c.req.param("slug");
  const slug = canonicalSlug(raw);
  if (slug === null) {
    const { reason, message } = whyNoSlug(raw);
    const details = { issues: [{ path: "slug", message }], reason };
    throw new ApiError("VALIDATION_FAILED", { details });
  }
  const page_id = c.req.query("page_id") ?? null;
  const owner_id = c.get("session").user.id;
  const page = page_id === null ? null : await requirePage(c, { owner_id, page_id });
  const free = await freeOf(c, [slug, ...slugsLike(slug)], page);
  const isFree = free[0] === slug;
  return c.json({
    ok: true,
    slug,
    free: isFree,
    suggestions: isFree ? [] : free.slice(0, SLUGS_PROPOSED),
  });
});
slugs.all(SLUG_PATH, onlyMethods("GET"));

/** Throws 503 where D1 fails. */
function freeOf(
  c: Context<SignedIn>,
  wanted: readonly string[],
  page: Pick<Page, "page_id" | "slug"> | null,
): Promise<string[]> {
  const allowed = wanted.filter((slug) => slug === page?.slug || isClaimable(slug));
  const page_id = page?.page_id ?? null;
  return callDependency("page_failed", () => findFreeSlugs(c.env.DB, allowed, page_id, Date.now()));
}
