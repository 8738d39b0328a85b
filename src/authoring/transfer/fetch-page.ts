/**
 * Fetches what a creator named: a page elsewhere, and its picture (docs/security.md S27). Each address is decided by
 * `public-address.ts`, those of redirects too, and this service is not asked for its own pages. A request carries no
 * cookie and no Referer, and says whose it is.
 */
import { callable, PAGE_RULES } from "../../../objects/platform/public-address.ts";
import { FETCH_HOPS_MAX, FETCHED_BYTES_MAX } from "./limits.ts";
import { PageUnreadable } from "./page-faults.ts";

const USER_AGENT =
  "Sila (+https://github.com/sila-link/sila/blob/main/docs/contract/authoring.md#pages-elsewhere)";

export interface Outside {
  /** Hosts of this service, with their ports. */
  own_hosts: readonly string[];
  allows_loopback: boolean;
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Ends all requests together. */
  signal: AbortSignal;
}

export interface Fetched {
  /** Where it is, after all redirects. */
  url: URL;
  /** The type is in lower case; `''` where the answer has none. */
  type: string;
  charset: string | null;
  bytes: Uint8Array<ArrayBuffer>;
  /** Whether more came than is read. */
  is_cut: boolean;
}

/** Throws {@link PageUnreadable}, whatever the other side does. */
export async function fetchOutside(
  address: string,
  types: string,
  outside: Outside,
): Promise<Fetched> {
  const { response, url } = await arrivedAt(address, types, outside);
  const [type = "", ...parameters] = (response.headers.get("Content-Type") ?? "").split(";");
  const charset = /^\s*charset\s*=\s*["']?([\w:.-]+)/i;
  const { bytes, is_cut } = await beginningOf(response, outside.signal);
  return {
    ...{ url, bytes, is_cut, type: type.trim().toLowerCase() },
    charset: parameters.map((text) => charset.exec(text)?.[1]).find(Boolean) ?? null,
  };
}

async function arrivedAt(
  address: string,
  types: string,
  { own_hosts, allows_loopback, fetch, signal }: Outside,
): Promise<{ response: Response; url: URL }> {
  let at = address;
  for (let hops = 0; hops <= FETCH_HOPS_MAX; hops += 1) {
    const url = callable(at, { ...PAGE_RULES, allows_loopback });
    if (url === null) throw new PageUnreadable("failed");
    if (own_hosts.includes(url.host)) throw new PageUnreadable("own_page");
    const response = await fetch(url.href, {
      headers: { Accept: types, "User-Agent": USER_AGENT },
      redirect: "manual",
      signal,
    }).catch(() => {
      throw failed(signal);
    });
    const { status, headers } = response;
    if (response.ok && status !== 204) return { response, url };
    await response.body?.cancel().catch(() => undefined);
    const to = URL.parse(headers.get("Location") ?? "", url.href);
    if (!REDIRECTS.has(status) || to === null) throw new PageUnreadable(FAULTS[status] ?? "failed");
    at = to.href;
  }
  throw new PageUnreadable("failed");
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Many sites refuse programs by the first four, and by a page of 503. */
const FAULTS: Readonly<Record<number, "blocked" | "not_found">> = {
  ...{ 401: "blocked", 403: "blocked", 429: "blocked", 503: "blocked" },
  ...{ 404: "not_found", 410: "not_found" },
};

/** Counts what is decompressed, so that a small answer cannot become a large one. */
async function beginningOf(
  { body }: Response,
  signal: AbortSignal,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; is_cut: boolean }> {
  const bytes = new Uint8Array(FETCHED_BYTES_MAX);
  let length = 0;
  try {
    // Leaving the loop cancels the rest.
    for await (const chunk of body ?? []) {
      const read = chunk.subarray(0, FETCHED_BYTES_MAX - length);
      bytes.set(read, length);
      length += read.length;
      if (read.length < chunk.length) return { bytes, is_cut: true };
    }
  } catch {
    throw failed(signal);
  }
  return { bytes: bytes.subarray(0, length), is_cut: false };
}

function failed({ aborted }: AbortSignal): PageUnreadable {
  return new PageUnreadable(aborted ? "late" : "failed");
}
