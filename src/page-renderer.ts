/**
 * The pages lane behind the edge cache: answers that are the same for every visitor, rendered from
 * D1 and R2 on a cache miss. It gets a path and nothing else of the request, and calls no Durable
 * Object.
 *
 * Errors are statuses without a body here: the router writes the error page in the reader's language.
 */
import { WorkerEntrypoint } from "cloudflare:workers";
import { logError } from "../objects/platform/log.ts";
import { renderMedia } from "./pages/render-media.ts";
import { renderPage } from "./pages/render-page.tsx";
import { renderSitemap, renderSitemapFile } from "./pages/render-sitemap.ts";
import { renderVcard } from "./pages/render-vcard.ts";
import { renderProbes } from "./site/probes.ts";

/** Renders the answer for an address that the router made, never one as a client spelt it. */
export type Renderer = (env: Cloudflare.Env, url: URL) => Promise<Response>;

/** By path, or by prefix where it ends in `/`. The first match counts; the last one takes every slug. */
const RENDERERS: readonly (readonly [place: string, render: Renderer])[] = [
  ["/health/deep", renderProbes],
  ["/media/", renderMedia],
  ["/sitemap.xml", renderSitemap],
  ["/sitemaps/", renderSitemapFile],
  ["/vcard/", renderVcard],
  ["/", renderPage],
];

export class PageRenderer extends WorkerEntrypoint<Cloudflare.Env> {
  override async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const render = RENDERERS.find(([place]) => isAt(place, url.pathname))?.[1];
    try {
      return render === undefined
        ? new Response(null, { status: 404 })
        : await render(this.env, url);
    } catch (error) {
      logError("render_failed", {}, error);
      return new Response(null, { status: 503, headers: { "Cache-Control": "no-store" } });
    }
  }

  /**
   * Purges the answers with one of these tags from the cache in front of this entrypoint; only the
   * entrypoint itself can do that. Rejects where the platform refuses: it allows 25 calls at once
   * and 5 a minute in the long run.
   */
  async purge(tags: string[]): Promise<void> {
    const purged = await this.ctx.cache?.purge({ tags });
    if (!purged?.success) throw new Error(`not purged: ${JSON.stringify(purged?.errors)}`);
  }
}

function isAt(place: string, path: string): boolean {
  return place.endsWith("/") ? path.startsWith(place) : path === place;
}
