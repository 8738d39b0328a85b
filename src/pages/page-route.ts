/** Bio pages and their pictures (docs/contract.md section 4). */
import { Hono } from "hono";
import { ApiError, dependencyDown } from "../http/api-error.ts";
import { conditional } from "../http/conditional.ts";
import type { AppContext, AppEnv } from "../http/context.ts";
import { edgeLimit } from "../http/edge-limit.ts";
import { onlyMethods } from "../http/methods.ts";
import { fetchCached } from "./page-cache.ts";
import { ABSENT_HEADERS, fetchRendition, slugOf } from "./rendition.ts";

export const pages = new Hono<AppEnv>();

/** Keys of pictures are made by this service: names in folders, with an extension. */
const MEDIA_PATH = /^(?:\/[\w-]+)+\.\w+$/;

/** A picture from R2. 200, 304, 404 or 503. It does not count towards the edge limit, because its page does. */
pages.get("/media/*", async (c) => {
  const { pathname } = new URL(c.req.url);
  // Other spellings are not cached: a proxy might read them as another address (S4).
  if (!MEDIA_PATH.test(pathname)) throw new ApiError("NOT_FOUND");
  const response = await fetchCached(c, pathname);
  if (response.status === 404) throw new ApiError("NOT_FOUND", { headers: ABSENT_HEADERS });
  if (response.status !== 200) throw dependencyDown();
  return conditional(c, response);
});
pages.all("/media/*", onlyMethods("GET"));

/**
 * A bio page. 200 HTML, 304, 308 to the canonical spelling of a page that exists, 404
 * PAGE_NOT_FOUND, 410 PAGE_SUSPENDED, 503 when it is not cached and D1 fails.
 */
async function bioPage(c: AppContext): Promise<Response> {
  const { pathname, search } = new URL(c.req.url);
  const [, segment = "", ...rest] = pathname.split("/");
  const { spelled, slug } = slugOf(segment);
  const path = `/${encodeURIComponent(slug)}`;
  const response = await fetchRendition(c, path);
  // Only a page that exists redirects. One that does not is 404 at any spelling.
  if (spelled !== slug || rest.length > 0) {
    return c.body(null, 308, { Location: path + search, "Cache-Control": "public, max-age=300" });
  }
  return conditional(c, response);
}

for (const path of ["/:slug", "/:slug/"]) {
  pages.get(path, edgeLimit, bioPage);
  pages.all(path, onlyMethods("GET"));
}
