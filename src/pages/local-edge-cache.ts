/**
 * A stand-in for the platform's cache, made of the Cache API: in development and in tests, so that
 * caching, expiry and purging are real there too.
 *
 * The Cache API cannot list what it holds. So a purge stores its time by tag, and an answer that was
 * rendered before that time is not served any more.
 */
import { exports } from "cloudflare:workers";
import { DAY_MS, SECOND_MS } from "../../objects/platform/clock.ts";
import type { EdgeCache } from "./edge-cache.ts";
import type { Freshness } from "./freshness.ts";
import { SingleFlight } from "./single-flight.ts";

const NAME = "pages";
const RENDERED_AT = "X-Rendered-At";
const ORIGINAL_CACHE_CONTROL = "X-Original-Cache-Control";
/** Longer than any answer with a tag is kept, in seconds. */
const PURGE_KEPT_S = (2 * DAY_MS) / SECOND_MS;

const renderings = new SingleFlight();

export const localCache: EdgeCache = {
  async fetch(request, ctx) {
    const cache = await caches.open(NAME);
    const hit = await findUnpurged(cache, request);
    const age_s = hit === undefined ? Number.POSITIVE_INFINITY : ageOf(hit);
    const { max_age_s, stale_if_error_s } = freshnessOf(hit);
    if (hit !== undefined && age_s < max_age_s) return restore(hit);
    const rendering = renderings.do(request.url, () => renderAndStore(cache, request));
    // Other requests may share the rendering, so it goes on when the first client disconnects.
    ctx.waitUntil(rendering.catch(() => undefined));
    const fresh = await rendering;
    const stale_is_better = fresh.status >= 500 && age_s < max_age_s + stale_if_error_s;
    return hit !== undefined && stale_is_better ? restore(hit) : fresh;
  },

  async purge(tags) {
    const cache = await caches.open(NAME);
    const headers = { "Cache-Control": `public, max-age=${PURGE_KEPT_S}` };
    const purge = (tag: string) =>
      cache.put(purgeOf(tag), new Response(String(Date.now()), { headers }));
    await Promise.all(tags.map(purge));
  },
};

function purgeOf(tag: string): Request {
  return new Request(`https://purged.invalid/${encodeURIComponent(tag)}`);
}

async function findUnpurged(cache: Cache, request: Request): Promise<Response | undefined> {
  const hit = await cache.match(request);
  for (const tag of hit?.headers.get("Cache-Tag")?.split(",") ?? []) {
    const purged = await cache.match(purgeOf(tag));
    const purged_at = Number((await purged?.text()) ?? Number.NEGATIVE_INFINITY);
    if (Number(hit?.headers.get(RENDERED_AT)) <= purged_at) {
      await hit?.body?.cancel();
      return undefined;
    }
  }
  return hit;
}

async function renderAndStore(cache: Cache, request: Request): Promise<Response> {
  // The time before the rendering: what it reads from D1 may be outdated by the time it is stored.
  const rendered_at = Date.now();
  const response = await exports.PageRenderer.fetch(request);
  const { max_age_s, stale_if_error_s } = freshnessOf(response);
  if (max_age_s > 0) {
    const stored = new Response(response.clone().body, response);
    stored.headers.set(RENDERED_AT, String(rendered_at));
    stored.headers.set(ORIGINAL_CACHE_CONTROL, response.headers.get("Cache-Control") ?? "");
    stored.headers.set("Cache-Control", `public, max-age=${max_age_s + stale_if_error_s}`);
    await cache.put(request, stored);
  }
  return response;
}

function restore(hit: Response): Response {
  const response = new Response(hit.body, hit);
  response.headers.set("Cache-Control", hit.headers.get(ORIGINAL_CACHE_CONTROL) ?? "");
  for (const name of [RENDERED_AT, ORIGINAL_CACHE_CONTROL, "CF-Cache-Status", "Age"]) {
    response.headers.delete(name);
  }
  return response;
}

function ageOf(hit: Response): number {
  return (Date.now() - Number(hit.headers.get(RENDERED_AT))) / SECOND_MS;
}

function freshnessOf(response: Response | undefined): Freshness {
  const header = response?.headers.get("Cloudflare-CDN-Cache-Control") ?? "";
  const seconds = (directive: string) =>
    Number(new RegExp(`(?:^|[ ,])${directive}=(\\d+)`).exec(header)?.[1] ?? 0);
  return { max_age_s: seconds("max-age"), stale_if_error_s: seconds("stale-if-error") };
}
