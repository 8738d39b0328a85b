/**
 * A stand-in for the platform's cache in front of the PageRenderer (docs/architecture.md "The
 * edge"), made of the Cache API: caching, expiry and purging are real on one machine too. The Cache
 * API cannot list what it holds. So a purge stores its time by tag, and an answer that was rendered
 * before that time is not served any more.
 */
import { DAY_MS, SECOND_MS, withTimeout } from "../../../../objects/platform/clock.ts";
import type { PageRenderer } from "../../../page-renderer.ts";
import type { Freshness } from "../../../pages/cache/freshness.ts";

const NAME = "pages";
const RENDERED_AT = "X-Rendered-At";
const ORIGINAL_CACHE_CONTROL = "X-Original-Cache-Control";
/** Longer than any answer with a tag is kept. */
const PURGE_KEPT_S = (2 * DAY_MS) / SECOND_MS;

/** The other request, whose rendering is awaited, may have been cancelled. */
export const WAIT_MS = 10_000;

/** A promise that one request resolves continues in the request that awaits it. */
const CAN_SHARE = Cloudflare.compatibilityFlags.handle_cross_request_promise_resolution === true;

interface BufferedResponse {
  body: ArrayBuffer;
  init: { status: number; headers: [string, string][] };
}

/** Called with null where the rendering failed. */
type Waiter = (response: BufferedResponse | null) => void;

/**
 * One rendering for all requests that miss an address at the same time, as the platform does. It
 * ties I/O to the request that began it. So each request waits for a promise of its own, and shares
 * a buffered response with the others, never a stream.
 */
export class SingleFlight {
  readonly #can_share: boolean;
  readonly #waiters = new Map<string, Waiter[]>();

  constructor(can_share: boolean = CAN_SHARE) {
    this.#can_share = can_share;
  }

  async do(url: string, render: () => Promise<Response>): Promise<Response> {
    const waiters = this.#can_share ? this.#waiters.get(url) : undefined;
    const shared = waiters === undefined ? null : await join(waiters);
    const { body, init } = shared ?? (await this.#lead(url, render));
    return new Response(body, init);
  }

  async #lead(url: string, render: () => Promise<Response>): Promise<BufferedResponse> {
    const waiters: Waiter[] = [];
    this.#waiters.set(url, waiters);
    let buffered: BufferedResponse | null = null;
    try {
      const response = await render();
      const init = { status: response.status, headers: [...response.headers] };
      buffered = { body: await response.arrayBuffer(), init };
      return buffered;
    } finally {
      if (this.#waiters.get(url) === waiters) this.#waiters.delete(url);
      for (const resolve of waiters) resolve(buffered);
    }
  }
}

const renderings = new SingleFlight();

/** The cache is a part of every call of the entrypoint, as on the platform. */
export function withEdgeCache(Renderer: typeof PageRenderer): typeof PageRenderer {
  return class extends Renderer {
    override fetch(request: Request): Promise<Response> {
      return edgeCache.fetch(request, this.ctx, () => super.fetch(request));
    }

    override purge(tags: string[]): Promise<void> {
      return edgeCache.purge(tags);
    }
  };
}

export const edgeCache = {
  async fetch(
    request: Request,
    ctx: Pick<ExecutionContext, "waitUntil">,
    render: () => Promise<Response>,
  ): Promise<Response> {
    const cache = await caches.open(NAME);
    // It cannot be read or written on a full disk, where pages are served all the same.
    const hit = await findUnpurged(cache, request).catch(() => undefined);
    const age_s = hit === undefined ? Number.POSITIVE_INFINITY : ageOf(hit);
    const { max_age_s, stale_if_error_s } = freshnessOf(hit);
    if (hit !== undefined && age_s < max_age_s) return restore(hit);
    const rendering = renderings.do(request.url, () => renderAndStore(cache, request, render));
    // Other requests may share the rendering, so it goes on when the first client disconnects.
    ctx.waitUntil(rendering.catch(() => undefined));
    const fresh = await rendering;
    const stale_is_better = fresh.status >= 500 && age_s < max_age_s + stale_if_error_s;
    return hit !== undefined && stale_is_better ? restore(hit) : fresh;
  },

  /** Drops every answer that has one of these tags. Rejects where that failed. */
  async purge(tags: readonly string[]): Promise<void> {
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

async function renderAndStore(
  cache: Cache,
  request: Request,
  render: () => Promise<Response>,
): Promise<Response> {
  // Taken before the rendering: what it reads from D1 may be outdated by the time it is stored.
  const rendered_at = Date.now();
  const response = await render();
  const { max_age_s, stale_if_error_s } = freshnessOf(response);
  if (max_age_s > 0) {
    const stored = new Response(response.clone().body, response);
    stored.headers.set(RENDERED_AT, String(rendered_at));
    stored.headers.set(ORIGINAL_CACHE_CONTROL, response.headers.get("Cache-Control") ?? "");
    stored.headers.set("Cache-Control", `public, max-age=${max_age_s + stale_if_error_s}`);
    await cache.put(request, stored).catch(() => {});
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

/** Null where the rendering failed or took too long. */
function join(waiters: Waiter[]): Promise<BufferedResponse | null> {
  const { promise, resolve } = Promise.withResolvers<BufferedResponse | null>();
  waiters.push(resolve);
  return withTimeout(promise, WAIT_MS).catch(() => null);
}
