import type { Stats } from "../../stats/stats-shape.ts";
import type { Locale } from "../../views/locale.ts";

export function csvAddress(page_id: string, stats: Stats, lang: Locale): string {
  const { from, to, interval, tz, link, filter } = stats;
  const query = new URLSearchParams({ from, to, interval, tz, lang });
  if (link !== null) query.set("link", link.link_id);
  if (filter !== null) query.set("filter", `${filter.dimension}:${filter.value}`);
  return `/api/me/pages/${encodeURIComponent(page_id)}/stats.csv?${query}`;
}

export function qrAddress(page_id: string): string {
  return `/dashboard/${encodeURIComponent(page_id)}/qr.svg`;
}

export function editAddress(page_id: string): string {
  return `/dashboard/pages/${encodeURIComponent(page_id)}/edit`;
}

export function revisionsAddress(page_id: string): string {
  return `${editAddress(page_id)}#revisions`;
}
