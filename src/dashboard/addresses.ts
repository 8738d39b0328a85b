/** The addresses of the links between the signed-in pages. */

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

export function editAddress(url: URL, page_id: string): string {
  return addressWith(`/dashboard/pages/${encodeURIComponent(page_id)}/edit`, url, ["lang", "tz"]);
}

export function newPageAddress(url: URL): string {
  return addressWith("/dashboard/new", url, ["lang", "tz"]);
}

export function notificationsAddress(url: URL): string {
  return addressWith("/dashboard/notifications", url, ["lang", "tz"]);
}

/** The subscribers of a page's newsletter. */
export function subscribersAddress(url: URL, page_id: string): string {
  return addressWith(`/dashboard/${encodeURIComponent(page_id)}/subscribers`, url, ["lang", "tz"]);
}

/** The webhooks of a page. */
export function webhooksAddress(url: URL, page_id: string): string {
  const path = `/dashboard/pages/${encodeURIComponent(page_id)}/webhooks`;
  return addressWith(path, url, ["lang", "tz"]);
}

/** The user's points, and the tips that they have sent. */
export function walletAddress(url: URL): string {
  return addressWith("/dashboard/wallet", url, ["lang", "tz"]);
}

/** The user's account, where accounts are Sila's own. */
export function accountAddress(url: URL): string {
  return addressWith("/account", url, ["lang", "tz"]);
}

/** The tips that a page has received. */
export function tipsAddress(url: URL, page_id: string): string {
  return addressWith(`/dashboard/${encodeURIComponent(page_id)}/tips`, url, ["lang", "tz"]);
}

/** An address of the operators' pages in the chosen language. */
export function adminAddress({ url }: { url: URL }, path: string): string {
  const lang = url.searchParams.get("lang");
  return changed(new URL(path, url), { lang });
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
