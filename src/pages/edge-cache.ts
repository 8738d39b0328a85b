/**
 * The cache in front of the PageRenderer entrypoint (docs/architecture.md "The edge"). It obeys the
 * `Cloudflare-CDN-Cache-Control` of the renderer's answers and finds them again by their `Cache-Tag`.
 */
import { exports } from "cloudflare:workers";

export interface EdgeCache {
  fetch(request: Request, ctx: Pick<ExecutionContext, "waitUntil">): Promise<Response>;
  /** Drops every answer that has one of these tags. Rejects where that failed. */
  purge(tags: readonly string[]): Promise<void>;
}

/** Workers Cache: part of every call to the entrypoint, and purged from inside of it. */
export const platformCache: EdgeCache = {
  fetch: (request) => exports.PageRenderer.fetch(request),
  purge: (tags) => exports.PageRenderer.purge([...tags]),
};
