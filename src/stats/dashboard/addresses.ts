/** Where the dashboard's links lead. */
import type { Stats } from "../stats-shape.ts";

/** This page's address with some of its parameters set, or, by null, left out. Relative to the origin. */
export function changed(url: URL, parameters: Record<string, string | null>): string {
  const query = new URLSearchParams(url.search);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  return query.size === 0 ? url.pathname : `${url.pathname}?${query}`;
}

/** The list of pages; language and zone come along. */
export function listAddress(url: URL): string {
  return elsewhere("/dashboard", url, ["lang", "tz"]);
}

/** The numbers of a page; what was asked about another is asked about this one. */
export function statsAddress(url: URL, page_id: string): string {
  const path = `/dashboard/${encodeURIComponent(page_id)}`;
  return elsewhere(path, url, ["lang", "tz", "range", "from", "to", "interval"]);
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

function elsewhere(path: string, url: URL, kept: readonly string[]): string {
  const query = new URLSearchParams();
  for (const name of kept) {
    const value = url.searchParams.get(name);
    if (value !== null) query.set(name, value);
  }
  return query.size === 0 ? path : `${path}?${query}`;
}
