/** The addresses of the dashboard's links. */
import type { Stats } from "../stats-shape.ts";

/** The path of the current address with some query parameters replaced; null removes one. */
export function changed(url: URL, parameters: Record<string, string | null>): string {
  const query = new URLSearchParams(url.search);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  return query.size === 0 ? url.pathname : `${url.pathname}?${query}`;
}

/** The list of pages, with the same language and time zone. */
export function listAddress(url: URL): string {
  return addressWith("/dashboard", url, ["lang", "tz"]);
}

/** The statistics of a page, with the period that is shown now. */
export function statsAddress(url: URL, page_id: string): string {
  const path = `/dashboard/${encodeURIComponent(page_id)}`;
  return addressWith(path, url, ["lang", "tz", "range", "from", "to", "interval"]);
}

export function csvAddress(page_id: string, { from, to, interval, tz }: Stats): string {
  const query = new URLSearchParams({ from, to, interval, tz });
  return `/api/me/pages/${encodeURIComponent(page_id)}/stats.csv?${query}`;
}

export function qrAddress(page_id: string): string {
  return `/dashboard/${encodeURIComponent(page_id)}/qr.svg`;
}

export function publicAddress(slug: string): string {
  return `/${encodeURIComponent(slug)}`;
}

function addressWith(path: string, url: URL, kept: readonly string[]): string {
  const query = new URLSearchParams();
  for (const name of kept) {
    const value = url.searchParams.get(name);
    if (value !== null) query.set(name, value);
  }
  return query.size === 0 ? path : `${path}?${query}`;
}
