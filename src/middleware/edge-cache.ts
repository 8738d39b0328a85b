/**
 * The way from the uncached gateway to the cached lane (DESIGN "The edge").
 *
 * On the platform the cache stands in front of the PageRenderer entrypoint and obeys the
 * `Cloudflare-CDN-Cache-Control` of its answers. Locally that cache does not exist; there the same
 * header is obeyed with the Cache API, so that caching is real in development and in tests.
 *
 * In front of either lies the isolate's own memory of its last second (`page-memory.ts`).
 */
import { exports } from "cloudflare:workers";
import type { AppContext } from "../context.ts";
import { OneRendering } from "./one-rendering.ts";
import { PageMemory } from "./page-memory.ts";

/** How long an answer may be served, in seconds; the three directives of RFC 9111 and RFC 5861. */
export interface Freshness {
  max_age_s: number;
  stale_while_revalidate_s: number;
  stale_if_error_s: number;
}

/** The header that tells the edge, and only the edge, how long an answer is good for. */
export function edgeCacheControl(freshness: Freshness): Record<string, string> {
  return {
    "Cloudflare-CDN-Cache-Control":
      `max-age=${freshness.max_age_s}, stale-while-revalidate=${freshness.stale_while_revalidate_s}, ` +
      `stale-if-error=${freshness.stale_if_error_s}`,
  };
}

/** Per isolate, and only a shortcut. */
const memory = new PageMemory();
const one_rendering = new OneRendering();

const STORED_AT = "X-Stored-At";
const ORIGINAL_CACHE_CONTROL = "X-Original-Cache-Control";

/**
 * The cached lane's answer for a path. The request is made anew from the path alone: the query,
 * cookies and headers of a visitor neither choose nor fill a cache entry (SECURITY S4).
 */
export async function throughEdgeCache(c: AppContext, path: string): Promise<Response> {
  const { href } = new URL(path, c.req.url);
  const asked_at = Date.now();
  const remembered = memory.recall(href, asked_at);
  if (remembered !== undefined) return remembered;
  const ctx = c.executionCtx as unknown as ExecutionContext;
  return memory.remember(href, asked_at, await cachedLane(ctx, new Request(href)));
}

async function cachedLane(ctx: ExecutionContext, request: Request): Promise<Response> {
  if (ctx.cache !== undefined) return exports.PageRenderer.fetch(request);

  const cache = await caches.open("pages");
  const hit = await cache.match(request);
  const age_s = hit === undefined ? Number.POSITIVE_INFINITY : ageOf(hit);
  const { max_age_s, stale_while_revalidate_s, stale_if_error_s } = freshnessOf(hit);
  if (hit !== undefined && age_s < max_age_s) return restore(hit);
  const rendering = one_rendering.of(request.url, () => render(cache, request));
  // Others may wait for it, so it goes on when the one who began it hangs up.
  ctx.waitUntil(rendering.catch(() => undefined));
  if (hit !== undefined && age_s < max_age_s + stale_while_revalidate_s) return restore(hit);
  const fresh = await rendering;
  const stale_is_better = fresh.status >= 500 && age_s < max_age_s + stale_if_error_s;
  return hit !== undefined && stale_is_better ? restore(hit) : fresh;
}

async function render(cache: Cache, request: Request): Promise<Response> {
  const response = await exports.PageRenderer.fetch(request);
  const { max_age_s, stale_while_revalidate_s, stale_if_error_s } = freshnessOf(response);
  if (max_age_s > 0) {
    const keep_s = max_age_s + Math.max(stale_while_revalidate_s, stale_if_error_s);
    const stored = new Response(response.clone().body, response);
    stored.headers.set(STORED_AT, String(Date.now()));
    stored.headers.set(ORIGINAL_CACHE_CONTROL, response.headers.get("Cache-Control") ?? "");
    stored.headers.set("Cache-Control", `public, max-age=${keep_s}`);
    await cache.put(request, stored);
  }
  return response;
}

function restore(hit: Response): Response {
  const response = new Response(hit.body, hit);
  response.headers.set("Cache-Control", hit.headers.get(ORIGINAL_CACHE_CONTROL) ?? "");
  for (const name of [STORED_AT, ORIGINAL_CACHE_CONTROL, "CF-Cache-Status", "Age"]) {
    response.headers.delete(name);
  }
  return response;
}

function ageOf(hit: Response): number {
  return (Date.now() - Number(hit.headers.get(STORED_AT))) / 1_000;
}

function freshnessOf(response: Response | undefined): Freshness {
  const header = response?.headers.get("Cloudflare-CDN-Cache-Control") ?? "";
  const seconds = (directive: string) =>
    Number(new RegExp(`(?:^|[ ,])${directive}=(\\d+)`).exec(header)?.[1] ?? 0);
  return {
    max_age_s: seconds("max-age"),
    stale_while_revalidate_s: seconds("stale-while-revalidate"),
    stale_if_error_s: seconds("stale-if-error"),
  };
}
