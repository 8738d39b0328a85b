/**
 * The site's own pages and files (docs/contract.md section 7). The larger ones are prerendered; all but those
 * and the sitemap are made without I/O.
 */

import * as z from "zod/mini";
import { escapeHtml } from "../../objects/platform/markup.ts";
import { sessionCookie } from "../accounts/session.ts";
import { ApiError, dependencyDown } from "../http/api-error.ts";
import { conditional } from "../http/conditional.ts";
import { readConfig } from "../http/config.ts";
import type { AppContext, AppEnv } from "../http/context.ts";
import { edgeLimit } from "../http/edge-limit.ts";
import {
  DOCS_PATH,
  LLMS_PATH,
  MANIFEST_PATH,
  OPENAPI_PATH,
  ROBOTS_PATH,
  SITEMAP_PATH,
} from "../http/endpoints.ts";
import { Hono } from "../http/hono.ts";
import { onlyMethods } from "../http/methods.ts";
import { readerLanguage } from "../http/reader-language.ts";
import { strongEtag } from "../pages/cache/freshness.ts";
import { fetchCached } from "../pages/cache/page-cache.ts";
import { ABSENT_HEADERS } from "../pages/cache/rendition.ts";
import { FILES_HEADER } from "../pages/render/render-sitemap.ts";
import { LOCALES } from "../views/locale.ts";
import { addressed, prerendered } from "./prerendered.ts";
import { robotsTxt } from "./robots.ts";

/** Five minutes: after a deployment, a cached page may link old assets. */
const HTML = "text/html; charset=utf-8";
const CACHE_CONTROL = "public, max-age=300";

/** `N.xml` as the index spells it. 99,999 files list five billion pages, more than D1 can store. */
const SitemapFile = z.pipe(
  z.string().check(z.regex(/^[1-9]\d{0,4}\.xml$/)),
  z.transform((file) => Number.parseInt(file, 10)),
);

export const site = new Hono<AppEnv>();

/** All pages, or the index of files that list them. 200 XML, 304, or 503. */
site.get(SITEMAP_PATH, edgeLimit, async (c) => conditional(c, await sitemap(c)));
site.all(SITEMAP_PATH, onlyMethods("GET"));

/** File N of the sitemap, from 1 on. 200 XML, 304, 404, 503. */
site.get("/sitemaps/:file", edgeLimit, async (c) => {
  const n = SitemapFile.safeParse(c.req.param("file"));
  if (!n.success) throw noSuchFile();
  const whole = await sitemap(c);
  await whole.body?.cancel();
  if (n.data > Number(whole.headers.get(FILES_HEADER))) throw noSuchFile();
  const response = await fetchCached(c, `/sitemaps/${n.data}.xml`);
  if (response.status === 404) throw noSuchFile();
  if (response.status !== 200) throw dependencyDown();
  return conditional(c, response);
});
site.all("/sitemaps/:file", onlyMethods("GET"));

async function sitemap(c: AppContext): Promise<Response> {
  const response = await fetchCached(c, SITEMAP_PATH);
  if (response.status !== 200) throw dependencyDown();
  return response;
}

function noSuchFile(): ApiError {
  return new ApiError("NOT_FOUND", { headers: ABSENT_HEADERS });
}

/**
 * 200 or 304; 503 for an unreadable prerendered one. llms.txt is Markdown sent as plain text, because
 * browsers would download `text/markdown`; llmstxt.org does not prescribe a type.
 */
const FILES = [
  [ROBOTS_PATH, "text/plain; charset=utf-8", (c: AppContext) => robotsTxt(urlOf(c).origin)],
  [
    MANIFEST_PATH,
    "application/manifest+json",
    (c: AppContext) => prerendered(c.env, "prerendered-manifest.txt"),
  ],
  [
    LLMS_PATH,
    "text/plain; charset=utf-8",
    async (c: AppContext) => addressed(await prerendered(c.env, "prerendered-llms.txt"), urlOf(c)),
  ],
  [
    OPENAPI_PATH,
    "application/json; charset=utf-8",
    (c: AppContext) => prerendered(c.env, "prerendered-openapi.txt"),
  ],
] as const;

for (const [path, type, write] of FILES) {
  site.get(path, edgeLimit, async (c) => answer(c, await write(c), type));
  site.all(path, onlyMethods("GET"));
}

/**
 * Pages about Sila, at an address for the reader's language and one for each. 200, 304, 503. A page
 * that `greets` is another one for a creator with a session, which no cache keeps.
 */
const PAGES = [
  { path: "/", name: "home", has_frames: true, greets: true },
  { path: DOCS_PATH, name: "docs", has_frames: false, greets: false },
] as const;

for (const { path, name, has_frames, greets } of PAGES) {
  for (const fixed of [undefined, ...LOCALES]) {
    const address = fixed === undefined ? path : `${path.replace(/\/$/, "")}/${fixed}`;
    site.get(address, edgeLimit, async (c) => {
      const locale = fixed ?? readerLanguage(c);
      const is_own = greets && hasSessionCookie(c);
      const file = is_own
        ? (`prerendered-creator-home-${locale}.txt` as const)
        : (`prerendered-${name}-${locale}.txt` as const);
      const page = addressed(await prerendered(c.env, file), urlOf(c), escapeHtml);
      if (has_frames) c.set("policy", "embedding");
      c.header("Content-Language", locale);
      // After the sign-in, the browser must not show its copy from before.
      const vary = [fixed === undefined && "Accept-Language", greets && "Cookie"].filter(Boolean);
      if (vary.length > 0) c.header("Vary", vary.join(", "));
      if (!is_own) return answer(c, page, HTML);
      return c.body(page, 200, { "Content-Type": HTML, "Cache-Control": "private, no-store" });
    });
    site.all(address, onlyMethods("GET"));
  }
}

/**
 * Whether the browser has a session, which may be over: asking would cost the hub a call for each
 * invented cookie, and the dashboard asks. Without settings for accounts nobody has one.
 */
function hasSessionCookie({ env, req }: AppContext): boolean {
  if (req.header("Cookie") === undefined || readConfig(env).accounts === null) return false;
  return sessionCookie(env, req.raw) !== null;
}

/** The landing page's live example, for a frame. 200, 304; 404 for an unknown preset or language; 503. */
const EXAMPLE_PATH = "/example/:locale/:preset";
site.get(EXAMPLE_PATH, edgeLimit, async (c) => {
  const locale = LOCALES.find((one) => one === c.req.param("locale"));
  if (locale === undefined) throw new ApiError("NOT_FOUND");
  const examples = await prerendered(c.env, `prerendered-examples-${locale}.txt`);
  const page = new Map<string, string>(JSON.parse(examples)).get(c.req.param("preset"));
  if (page === undefined) throw new ApiError("NOT_FOUND");
  c.set("policy", "embeddable");
  c.header("Content-Language", locale);
  return answer(c, addressed(page, urlOf(c), escapeHtml), HTML);
});
site.all(EXAMPLE_PATH, onlyMethods("GET"));

function urlOf(c: AppContext): URL {
  return new URL(c.req.url);
}

async function answer(c: AppContext, text: string, type: string): Promise<Response> {
  const headers = { "Content-Type": type, "Cache-Control": CACHE_CONTROL };
  const response = c.body(text, 200, { ...headers, ETag: await strongEtag(text) });
  return conditional(c, response);
}
