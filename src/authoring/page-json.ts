/** Pages as the API answers them (docs/contract.md section 10). */
import { documentOf, type Page, type PageSummary } from "../pages/document/pages-store.ts";

/** Times are ISO 8601, except `from` and `until` of links: unix seconds. */
export function pageJson(page: Page) {
  const { page_id, slug, status, version, created_at, updated_at, ends_at } = page;
  return {
    page_id,
    slug,
    status,
    ...documentOf(page),
    version,
    created_at: isoTime(created_at),
    updated_at: isoTime(updated_at),
    ends_at: ends_at === null ? null : isoTime(ends_at),
  };
}

export function summaryJson({ created_at, updated_at, ends_at, ...page }: PageSummary) {
  return {
    ...page,
    created_at: isoTime(created_at),
    updated_at: isoTime(updated_at),
    ends_at: ends_at === null ? null : isoTime(ends_at),
  };
}

export function isoTime(unix_ms: number): string {
  return new Date(unix_ms).toISOString();
}
