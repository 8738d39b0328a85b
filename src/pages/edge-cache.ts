/**
 * The way from the uncached gateway to the cached lane (docs/architecture.md "The edge").
 *
 * On the platform the cache stands in front of the PageRenderer entrypoint and obeys the
 * `Cloudflare-CDN-Cache-Control` of its answers. Locally that cache does not exist; there a stand-in obeys
 * the same header (`local-edge-cache.ts`). Which of the two it is, the configuration says: the gateway cannot
 * see the cache of another entrypoint.
 *
 * In front of either lies the isolate's own memory of its last second (`isolate-cache.ts`).
 */
import { exports } from "cloudflare:workers";
import { readConfig } from "../http/config.ts";
import type { AppContext } from "../http/context.ts";
import { PageMemory } from "./isolate-cache.ts";
import { throughLocalCache } from "./local-edge-cache.ts";

/** Per isolate, and only a shortcut. */
const memory = new PageMemory();

/**
 * The cached lane's answer for a path. The request is made anew from the path alone: the query,
 * cookies and headers of a visitor neither choose nor fill a cache entry (docs/security.md S4).
 */
export async function throughEdgeCache(c: AppContext, path: string): Promise<Response> {
  const { href } = new URL(path, c.req.url);
  const asked_at = Date.now();
  const remembered = memory.recall(href, asked_at);
  if (remembered !== undefined) return remembered;
  return memory.remember(href, asked_at, await cachedLane(c, new Request(href)));
}

function cachedLane(c: AppContext, request: Request): Promise<Response> {
  const render = () => exports.PageRenderer.fetch(request);
  return readConfig(c.env).edge?.EDGE_CACHE === "local"
    ? throughLocalCache(c.executionCtx, request, render)
    : render();
}
