/**
 * The cached lane: what everybody gets alike, made from D1 and R2 on a cache miss. It sees a path
 * and nothing else of the visitor; no Durable Object, no cookie.
 *
 * Errors are bare statuses here: the gateway says them in the reader's language.
 */
import { WorkerEntrypoint } from "cloudflare:workers";
import { logError } from "../objects/platform/log.ts";
import { renderMedia } from "./pages/render-media.ts";
import { renderPage } from "./pages/render-page.tsx";
import { renderSitemap, renderSitemapFile } from "./pages/render-sitemap.ts";
import { renderVcard } from "./pages/render-vcard.ts";
import { renderProbes } from "./site/probes.ts";

/** Makes the answer for one address, of this service's own making and not as a client spelt it. */
export type Renderer = (env: Cloudflare.Env, url: URL) => Promise<Response>;

/** Whose path is this, or begins like this where it ends in `/`; all others are a page's slug. */
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
   * Drops everything that bears one of these tags from the cache in front of this entrypoint, which only the
   * entrypoint itself can do. The platform allows 5 calls a minute in the long run, and 25 at once; rejects
   * where it refuses.
   */
  async purge(tags: string[]): Promise<void> {
    const purged = await this.ctx.cache?.purge({ tags });
    if (!purged?.success) throw new Error(`not purged: ${JSON.stringify(purged?.errors)}`);
  }
}

function isAt(place: string, path: string): boolean {
  return place.endsWith("/") ? path.startsWith(place) : path === place;
}
