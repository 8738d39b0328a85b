/** Null removes a parameter. */
export function changed(url: URL, parameters: Record<string, string | null>): string {
  const query = new URLSearchParams(url.search);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  return query.size === 0 ? url.pathname : `${url.pathname}?${query}`;
}

/** Keeps the language and the time zone. */
export function listAddress(url: URL): string {
  return addressWith("/dashboard", url, ["lang", "tz"]);
}

/** Keeps the period that is shown now. */
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

export function subscribersAddress(url: URL, page_id: string): string {
  return addressWith(`/dashboard/${encodeURIComponent(page_id)}/subscribers`, url, ["lang", "tz"]);
}

export function webhooksAddress(url: URL, page_id: string): string {
  const path = `/dashboard/pages/${encodeURIComponent(page_id)}/webhooks`;
  return addressWith(path, url, ["lang", "tz"]);
}

export function walletAddress(url: URL): string {
  return addressWith("/dashboard/wallet", url, ["lang", "tz"]);
}

/** Exists where accounts are Sila's own. */
export function accountAddress(url: URL): string {
  return addressWith("/account", url, ["lang", "tz"]);
}

export function tipsAddress(url: URL, page_id: string): string {
  return addressWith(`/dashboard/${encodeURIComponent(page_id)}/tips`, url, ["lang", "tz"]);
}

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
