/**
 * The site's own pages and files: landing page, sitemap, crawl policy, app manifest, llms.txt, OpenAPI
 * document and API reference (docs/contract.md section 7). All but the sitemap are made without I/O.
 */
import { Hono } from "hono";
import * as z from "zod";
import { ApiError, dependencyDown } from "../http/api-error.ts";
import { conditional } from "../http/conditional.ts";
import type { AppContext, AppEnv } from "../http/context.ts";
import { edgeLimit } from "../http/edge-limit.ts";
import { onlyMethods } from "../http/methods.ts";
import { strongEtag } from "../pages/freshness.ts";
import { fetchCached } from "../pages/page-cache.ts";
import { FILES_HEADER } from "../pages/render-sitemap.ts";
import { ABSENT_HEADERS } from "../pages/rendition.ts";
import { docsPage } from "./docs/docs-page.tsx";
import { homePage } from "./home-page.tsx";
import { llmsTxt } from "./llms.ts";
import { manifestJson } from "./manifest.ts";
import { openApiJson } from "./openapi/document.ts";
import { robotsTxt } from "./robots.ts";

/** Five minutes: after a deployment, a cached page may link assets of the one before. */
const CACHE_CONTROL = "public, max-age=300";

/** `N.xml` as the index spells it. 99,999 files list five billion pages, more than D1 can store. */
const SitemapFile = z
  .string()
  .regex(/^[1-9]\d{0,4}\.xml$/)
  .transform((file) => Number.parseInt(file, 10));

export const site = new Hono<AppEnv>();

/** All pages, or the index of the files that name them. 200 XML, 304, or 503. */
site.get("/sitemap.xml", edgeLimit, async (c) => conditional(c, await sitemap(c)));
site.all("/sitemap.xml", onlyMethods("GET"));

/** One file of the sitemap, N from 1. 200 XML, 304, 404 where the sitemap has no such file, 503. */
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
  const response = await fetchCached(c, "/sitemap.xml");
  if (response.status !== 200) throw dependencyDown();
  return response;
}

function noSuchFile(): ApiError {
  return new ApiError("NOT_FOUND", { headers: ABSENT_HEADERS });
}

/**
 * Files without I/O. 200 or 304. llms.txt is Markdown sent as plain text, because browsers would download
 * `text/markdown`; llmstxt.org does not prescribe a type.
 */
const FILES = [
  ["/", "text/html; charset=utf-8", homePage],
  ["/robots.txt", "text/plain; charset=utf-8", robotsTxt],
  ["/manifest.json", "application/manifest+json", manifestJson],
  ["/llms.txt", "text/plain; charset=utf-8", llmsTxt],
  ["/openapi.json", "application/json; charset=utf-8", openApiJson],
  ["/docs", "text/html; charset=utf-8", docsPage],
] as const;

for (const [path, type, write] of FILES) {
  site.get(path, edgeLimit, async (c) => {
    const text = write(new URL(c.req.url).origin);
    const headers = {
      "Content-Type": type,
      "Cache-Control": CACHE_CONTROL,
      ETag: await strongEtag(text),
    };
    return conditional(c, new Response(text, { headers }));
  });
  site.all(path, onlyMethods("GET"));
}
