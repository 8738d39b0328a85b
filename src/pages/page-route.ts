/** Bio pages and their pictures (docs/contract.md section 4). */

import { ApiError, dependencyDown } from "../http/api-error.ts";
import { conditional } from "../http/conditional.ts";
import type { AppContext, AppEnv } from "../http/context.ts";
import { edgeLimit } from "../http/edge-limit.ts";
import { Hono } from "../http/hono.ts";
import { onlyMethods } from "../http/methods.ts";
import { LOCALES } from "../views/locale.ts";
import { fetchUnlessAbsent } from "./cache/absence-limit.ts";
import { ABSENT_HEADERS, answerRendition, slugOf } from "./cache/rendition.ts";
import { parsePath, pathOf, SHARE_PICTURE_SUFFIX } from "./document/page-address.ts";
import { isPictureKey } from "./document/picture-keys.ts";

export const pages = new Hono<AppEnv>();

const MEDIA = "/media/";

/**
 * A picture from R2. 200, 304, 404, 410 of a suspended page, 429 after too many 404s and 410s, or
 * 503. An existing one does not count towards the edge limit, because its page does.
 */
pages.get("/media/*", async (c) => {
  const { pathname } = new URL(c.req.url);
  // Other spellings are not cached: a proxy might read them as another address (S4).
  if (!isPictureKey(pathname.slice(MEDIA.length))) throw new ApiError("NOT_FOUND");
  const response = await fetchUnlessAbsent(c, pathname);
  if (response.status === 404) throw new ApiError("NOT_FOUND", { headers: ABSENT_HEADERS });
  if (response.status === 410) throw new ApiError("PAGE_SUSPENDED", { headers: ABSENT_HEADERS });
  if (response.status !== 200) throw dependencyDown();
  return conditional(c, response);
});
pages.all("/media/*", onlyMethods("GET"));

/**
 * A bio page, in its default language or in the one of the suffix. 200 HTML, 304, 308 to the
 * canonical spelling of a page that exists and from a slug that it has given up, 404
 * PAGE_NOT_FOUND, also for a language that it lacks, 410 PAGE_SUSPENDED, 503 when it is not cached
 * and D1 fails.
 */
function bioPage(c: AppContext): Promise<Response> {
  return answerPage(c, "");
}

/**
 * The picture of a page in link previews: 200 image/png, 1200 by 630 pixels. Where it cannot be
 * drawn, 200 with the page's photo or our logo. Other statuses are those of the page.
 */
function sharePicture(c: AppContext): Promise<Response> {
  return answerPage(c, SHARE_PICTURE_SUFFIX);
}

async function answerPage(c: AppContext, ending: string): Promise<Response> {
  const { pathname } = new URL(c.req.url);
  const { segment, locale } = parsePath(pathname);
  const { spelled, slug } = slugOf(segment);
  const path = pathOf(slug, locale) + ending;
  const suffixed = locale === undefined ? "" : `/${locale}`;
  const is_canonical = spelled === slug && pathname === `/${segment}${suffixed}${ending}`;
  return answerRendition(c, { path, address: path, is_canonical });
}

/** Grouped, because Hono puts `^` in front of the pattern and `$` behind it. */
const SUFFIX = `:locale{(?:${LOCALES.join("|")})}` as const;

for (const path of ["/:slug", "/:slug/", `/:slug/${SUFFIX}`, `/:slug/${SUFFIX}/`]) {
  pages.get(path, edgeLimit, bioPage);
  pages.all(path, onlyMethods("GET"));
}

for (const path of [
  `/:slug${SHARE_PICTURE_SUFFIX}`,
  `/:slug/${SUFFIX}${SHARE_PICTURE_SUFFIX}`,
] as const) {
  pages.get(path, edgeLimit, sharePicture);
  pages.all(path, onlyMethods("GET"));
}
