/**
 * The pages that this isolate answered last, for one second each, in front of the edge cache. A hot
 * page is requested many times a second in one isolate, and each request to the edge cache would
 * fetch the same bytes. The cost: after a purge, a reader may get the old page for up to one
 * second.
 */
import { BoundedMap } from "../../../objects/platform/bounded-map.ts";
import { NEXT_CHANGE_HEADER } from "./freshness.ts";

/** Counted from the request to the edge cache: its answer may be from before a purge. */
export const ISOLATE_CACHE_MS = 1_000;
/** Together 8 MiB of an isolate's 128. A page of 200 links takes 90 to 130 kB. */
export const CACHED_PAGES_MAX = 64;
export const CACHED_PAGE_BYTES_MAX = 128 * 1_024;

/** A Response's stream would belong to the one request that read it. */
interface CachedPage {
  body: ArrayBuffer;
  headers: [string, string][];
  /** Unix milliseconds. */
  expires_at: number;
}

export class IsolateCache {
  readonly #pages = new BoundedMap<string, CachedPage>(CACHED_PAGES_MAX);
  #seen_at = 0;

  find(url: string, now: number): Response | undefined {
    // A clock that stepped back would keep entries for longer than a second.
    if (now < this.#seen_at) this.#pages.clear();
    this.#seen_at = now;
    const page = this.#pages.get(url);
    if (page === undefined) return undefined;
    if (now < page.expires_at) return new Response(page.body, page);
    this.#pages.delete(url);
    return undefined;
  }

  /** Returns the edge cache's answer. A copy of a public page stays until it changes by itself. */
  async store(url: string, fetched_at: number, response: Response): Promise<Response> {
    if (!isPublicPage(response)) return response;
    const body = await response.arrayBuffer();
    const next_change = Number(response.headers.get(NEXT_CHANGE_HEADER) ?? Infinity);
    const headers = [...response.headers].filter(
      ([name]) => name !== NEXT_CHANGE_HEADER.toLowerCase(),
    );
    const expires_at = Math.min(fetched_at + ISOLATE_CACHE_MS, next_change);
    const page = { body, headers, expires_at };
    if (body.byteLength <= CACHED_PAGE_BYTES_MAX) this.#pages.set(url, page);
    return new Response(body, page);
  }
}

/** Pictures would fill the cache, and a page that is missing now may be created at any moment. */
function isPublicPage({ status, headers }: Response): boolean {
  return (
    status === 200 &&
    /^text\/html\b/i.test(headers.get("Content-Type") ?? "") &&
    /\bpublic\b/i.test(headers.get("Cache-Control") ?? "")
  );
}
