/**
 * The last pages of this isolate, for a moment each, in front of the edge cache.
 *
 * A hot page is asked for many times a second in one isolate, and each time the edge cache would be
 * asked for the same bytes. The price: an edit's purge reaches the readers so much later, at most.
 */
import { BoundedMap } from "../../objects/platform/bounded-map.ts";

/** How long an answer is given again, in milliseconds from when the cached lane was asked for it. */
export const REMEMBERED_MS = 1_000;
/** Most pages held, and the largest of them in bytes: 4 MiB of an isolate's 128. */
export const PAGES_MAX = 64;
export const PAGE_BYTES_MAX = 64 * 1_024;

/** Bytes and names, not a Response: its stream would belong to the one request that read it. */
interface RememberedPage {
  body: ArrayBuffer;
  headers: [string, string][];
  asked_at: number;
}

export class PageMemory {
  readonly #pages = new BoundedMap<string, RememberedPage>(PAGES_MAX);
  #seen_at = 0;

  /** The page at this address, as a response of its own, if it was asked for just now. */
  recall(url: string, now: number): Response | undefined {
    // A clock that stepped back would stretch the second.
    if (now < this.#seen_at) this.#pages.clear();
    this.#seen_at = now;
    const page = this.#pages.get(url);
    if (page === undefined) return undefined;
    if (now - page.asked_at < REMEMBERED_MS) return new Response(page.body, page);
    this.#pages.delete(url);
    return undefined;
  }

  /** Passes the cached lane's answer on, and remembers it if it is a page that is everyone's. */
  async remember(url: string, asked_at: number, response: Response): Promise<Response> {
    if (!isPublicPage(response)) return response;
    const body = await response.arrayBuffer();
    const page = { body, headers: [...response.headers], asked_at };
    if (body.byteLength <= PAGE_BYTES_MAX) this.#pages.set(url, page);
    return new Response(body, page);
  }
}

/** Pictures would fill the memory, and what is not there now may be there at once. */
function isPublicPage({ status, headers }: Response): boolean {
  return (
    status === 200 &&
    /^text\/html\b/i.test(headers.get("Content-Type") ?? "") &&
    /\bpublic\b/i.test(headers.get("Cache-Control") ?? "")
  );
}
