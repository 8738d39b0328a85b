/**
 * The cache in front of the PageRenderer entrypoint (docs/architecture.md "The edge"). It obeys the
 * `Cloudflare-CDN-Cache-Control` of the renderer's answers and finds them again by their `Cache-Tag`.
 */
import { exports } from "cloudflare:workers";

export interface EdgeCache {
  fetch(request: Request, ctx: Pick<ExecutionContext, "waitUntil">): Promise<Response>;
}

/** Workers Cache: part of every call to the entrypoint, which purges it (`page-renderer.ts`). */
export const platformCache: EdgeCache = {
  fetch: (request) => exports.PageRenderer.fetch(request),
};
