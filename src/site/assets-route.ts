/** The files that `src/client/build.ts` makes, and the sheets of own accents (docs/contract.md section 4). */
import { Hono } from "hono";
import { ApiError, dependencyDown } from "../http/api-error.ts";
import { conditional } from "../http/conditional.ts";
import type { AppContext, AppEnv } from "../http/context.ts";
import { callDependency } from "../http/dependency.ts";
import { onlyMethods } from "../http/methods.ts";
import { fetchCached } from "../pages/page-cache.ts";
import { ABSENT_HEADERS } from "../pages/rendition.ts";
import { isAccentSheetName } from "../views/accent-sheet.ts";

const IMMUTABLE = "public, max-age=31536000, immutable";

export const assets = new Hono<AppEnv>();

/**
 * Scripts, styles, fonts, icons and licences, with the hash of their content in the name. 200, 304,
 * 404 or 503.
 */
assets.get("/assets/*", (c) => {
  const { pathname } = new URL(c.req.url);
  const isOwnAccent = isAccentSheetName(pathname.slice("/assets/".length));
  return isOwnAccent ? accentSheet(c, pathname) : file(c, IMMUTABLE);
});
assets.all("/assets/*", onlyMethods("GET"));

/** Browsers request it by themselves for answers that name no icon. */
assets.get("/favicon.ico", (c) => file(c, "public, max-age=86400"));
assets.all("/favicon.ico", onlyMethods("GET"));

/** The colours of a page whose creator chose an accent: from R2, through the edge cache. */
async function accentSheet(c: AppContext, pathname: string): Promise<Response> {
  const response = await fetchCached(c, pathname);
  if (response.status === 404) throw new ApiError("NOT_FOUND", { headers: ABSENT_HEADERS });
  if (response.status !== 200) throw dependencyDown();
  return conditional(c, response);
}

async function file(c: AppContext, cache_control: string): Promise<Response> {
  const found = await callDependency("assets_failed", () =>
    c.env.ASSETS.fetch(new URL(new URL(c.req.url).pathname, c.req.url)),
  );
  if (found.status !== 200) throw new ApiError("NOT_FOUND");
  const response = new Response(found.body, found);
  response.headers.set("Cache-Control", cache_control);
  return conditional(c, response);
}
