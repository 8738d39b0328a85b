/**
 * The entrypoint behind the edge cache: makes public answers from D1 and R2 on a cache miss. It
 * receives only the path: no cookie, no header and no query of the visitor. An error is a status
 * without a body; the gateway adds the body in the reader's language.
 */
import { WorkerEntrypoint } from "cloudflare:workers";
import { logError } from "../objects/platform/log.ts";
import { DEEP_HEALTH_PATH, SITEMAP_PATH, STATUS_PATH } from "./http/endpoints.ts";
import { renderProbes } from "./operate/probes.ts";
import { renderStatus } from "./operate/render-status.ts";
import { renderSharePicture } from "./pages/cards/render-share-picture.ts";
import { renderVcard } from "./pages/cards/render-vcard.ts";
import { SHARE_PICTURE_SUFFIX } from "./pages/document/page-address.ts";
import { renderLook } from "./pages/render/render-look.ts";
import { renderMedia } from "./pages/render/render-media.ts";
import { renderPage } from "./pages/render/render-page.tsx";
import { renderSitemap, renderSitemapFile } from "./pages/render/render-sitemap.ts";

/** The gateway built the URL: it is never one as a client spelt it. */
type Renderer = (env: Cloudflare.Env, url: URL) => Promise<Response>;

/** A key is a path, or its beginning where it ends in `/`. Every other path is a page's slug. */
const RENDERERS: readonly (readonly [path: string, render: Renderer])[] = [
  ["/assets/", renderLook],
  [DEEP_HEALTH_PATH, renderProbes],
  ["/media/", renderMedia],
  [SITEMAP_PATH, renderSitemap],
  ["/sitemaps/", renderSitemapFile],
  [STATUS_PATH, renderStatus],
  ["/vcard/", renderVcard],
];

export class PageRenderer extends WorkerEntrypoint<Cloudflare.Env> {
  override async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const render = RENDERERS.find(([path]) => isAt(path, url.pathname))?.[1] ?? rendererOf(url);
    try {
      return await render(this.env, url);
    } catch (error) {
      logError("render_failed", {}, error);
      return new Response(null, { status: 503, headers: { "Cache-Control": "no-store" } });
    }
  }

  /**
   * Drops every answer with one of these tags from the cache in front of this entrypoint, which
   * only the entrypoint itself can do. Rejects where the platform refuses: it grants 25 calls at
   * once, and 5 a minute in the long run.
   */
  async purge(tags: string[]): Promise<void> {
    const purged = await this.ctx.cache?.purge({ tags });
    if (!purged?.success) throw new Error(`not purged: ${JSON.stringify(purged?.errors)}`);
  }
}

function rendererOf({ pathname }: URL): Renderer {
  return pathname.endsWith(SHARE_PICTURE_SUFFIX) ? renderSharePicture : renderPage;
}

function isAt(pattern: string, path: string): boolean {
  return pattern.endsWith("/") ? path.startsWith(pattern) : path === pattern;
}
