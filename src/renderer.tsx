/**
 * The cached lane: what every visitor gets alike, made from D1 and R2 on a cache miss. It sees a
 * path and nothing else of the visitor; no Durable Object, no cookie.
 *
 * Errors are bare statuses here: the gateway says them in the reader's language.
 */
import { WorkerEntrypoint } from "cloudflare:workers";
import { withTimeout } from "../objects/clock.ts";
import { hex, utf8 } from "./bytes.ts";
import { decodeSegment } from "./ids.ts";
import { logError } from "./log.ts";
import { edgeCacheControl } from "./middleware/edge-cache.ts";
import { findPageBySlug } from "./stores/pages.ts";
import { BioPage } from "./views/bio-page.tsx";

/** CONTRACT section 4: an edit shows within 60 s, and pages outlive a day without D1. */
const PAGE_FRESHNESS = edgeCacheControl({
  max_age_s: 60,
  stale_while_revalidate_s: 600,
  stale_if_error_s: 86_400,
});
/** A page that is not there now may be there in half a minute. */
const ABSENCE_FRESHNESS = edgeCacheControl({
  max_age_s: 30,
  stale_while_revalidate_s: 0,
  stale_if_error_s: 0,
});
/** Media keys carry their content's hash, so they never change. */
const MEDIA_FRESHNESS = edgeCacheControl({
  max_age_s: 31_536_000,
  stale_while_revalidate_s: 0,
  stale_if_error_s: 0,
});

/** Longest wait for D1 or R2 while rendering, in milliseconds. */
const STORE_TIMEOUT_MS = 5_000;
/** Raster types only: an SVG is a document that can hold scripts. */
const MEDIA_TYPES = new Set(["image/webp", "image/png", "image/jpeg", "image/avif"]);

export class PageRenderer extends WorkerEntrypoint<Cloudflare.Env> {
  override async fetch(request: Request): Promise<Response> {
    const { pathname, origin } = new URL(request.url);
    try {
      return pathname.startsWith("/media/")
        ? await this.#media(pathname.slice("/media/".length))
        : await this.#page(decodeSegment(pathname.slice(1)) ?? "", origin);
    } catch (error) {
      logError("render_failed", {}, error);
      return new Response(null, { status: 503, headers: { "Cache-Control": "no-store" } });
    }
  }

  async #page(slug: string, origin: string): Promise<Response> {
    const page = await withTimeout(findPageBySlug(this.env.DB, slug), STORE_TIMEOUT_MS);
    if (page === null) return new Response(null, { status: 404, headers: ABSENCE_FRESHNESS });
    if (page.status === "suspended") {
      return new Response(null, {
        status: 410,
        headers: { ...ABSENCE_FRESHNESS, "Content-Language": page.locale },
      });
    }
    const html = `<!DOCTYPE html>${(<BioPage page={page} origin={origin} />).toString()}`;
    const bytes = utf8(html);
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).subarray(0, 16);
    return new Response(bytes, {
      headers: {
        ...PAGE_FRESHNESS,
        "Content-Type": "text/html; charset=utf-8",
        "Content-Language": page.locale,
        "Cache-Control": "public, max-age=0",
        "Cache-Tag": `page-${page.page_id}`,
        ETag: `"${hex(hash)}"`,
      },
    });
  }

  async #media(key: string): Promise<Response> {
    const object = await withTimeout(this.env.MEDIA.get(key), STORE_TIMEOUT_MS);
    const type = object?.httpMetadata?.contentType ?? "";
    if (object === null || !MEDIA_TYPES.has(type)) {
      return new Response(null, { status: 404, headers: ABSENCE_FRESHNESS });
    }
    return new Response(object.body, {
      headers: {
        ...MEDIA_FRESHNESS,
        "Content-Type": type,
        "Cache-Control": "public, max-age=31536000, immutable",
        ETag: object.httpEtag,
      },
    });
  }
}
