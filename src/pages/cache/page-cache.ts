/**
 * The way of every public GET to the PageRenderer: the isolate's own cache of one second, then the
 * edge cache, which is a part of every call of the entrypoint, then a rendering
 * (docs/architecture.md "The edge").
 */
import { exports } from "cloudflare:workers";
import { siteOrigin } from "../../http/config.ts";
import type { AppContext } from "../../http/context.ts";
import { IsolateCache } from "./isolate-cache.ts";

/** Losing it costs a request to the edge cache. */
const isolate_cache = new IsolateCache();

/**
 * The request to the renderer is made anew from the path alone: the query, cookies and headers of a
 * visitor neither choose nor fill a cache entry (docs/security.md S4).
 *
 * The platform's key has the query and not the host, and renderings have absolute addresses. These
 * begin with SITE_ORIGIN, whatever host was asked. Where it is not set they begin with the host
 * that was asked, and the query keeps the entries of hosts apart.
 */
export async function fetchCached(c: AppContext, path: string): Promise<Response> {
  const site = siteOrigin(c.env);
  const url = new URL(path, site || c.req.url);
  if (site === "") url.searchParams.set("site", url.origin);
  const { href } = url;
  const now = Date.now();
  const cached = isolate_cache.find(href, now);
  if (cached !== undefined) return cached;
  // A redirect of the renderer is an answer for the client.
  const request = new Request(href, { redirect: "manual" });
  const response = await exports.PageRenderer.fetch(request);
  return isolate_cache.store(href, now, response);
}

/** Rejects where that failed: the change stays noted. */
export function purgeCached(tags: readonly string[]): Promise<void> {
  return exports.PageRenderer.purge([...tags]);
}
