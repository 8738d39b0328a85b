/**
 * Paths below `/assets/` that are no files: the sheets of own accents, and 404 for the rest. The platform
 * serves the files of `src/client/build.ts` in front of the Worker (docs/architecture.md "The way of a
 * page").
 */

import { ApiError, dependencyDown } from "../http/api-error.ts";
import { conditional } from "../http/conditional.ts";
import type { AppEnv } from "../http/context.ts";
import { Hono } from "../http/hono.ts";
import { onlyMethods } from "../http/methods.ts";
import { fetchUnlessAbsent } from "../pages/cache/absence-limit.ts";
import { ABSENT_HEADERS } from "../pages/cache/rendition.ts";
import { isAccentSheetName } from "../views/accent-sheet.ts";

export const assets = new Hono<AppEnv>();

/**
 * The colours of a page with its own accent, from R2 through the edge cache. 200, 304, 404, 429 after too many
 * 404s, or 503. A missing file is cached nowhere: a deployment may be about to bring it.
 */
assets.get("/assets/*", async (c) => {
  const { pathname } = new URL(c.req.url);
  if (!isAccentSheetName(pathname.slice("/assets/".length))) throw new ApiError("NOT_FOUND");
  const response = await fetchUnlessAbsent(c, pathname);
  if (response.status === 404) throw new ApiError("NOT_FOUND", { headers: ABSENT_HEADERS });
  if (response.status !== 200) throw dependencyDown();
  return conditional(c, response);
});
assets.all("/assets/*", onlyMethods("GET"));
