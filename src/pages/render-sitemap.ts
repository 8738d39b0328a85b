/**
 * The sitemap (sitemaps.org): the landing page and every published page with its `lastmod`, in files
 * of 50,000 addresses. `/sitemap.xml` is the one file, or where one is not enough the index of
 * `/sitemaps/N.xml`.
 *
 * A million pages are walked along one covering index, a slice at a time, and every slice becomes
 * bytes at once: what is held is one file, about 6 MB, and 45 with the longest slugs there can be.
 */
import { withTimeout } from "../../objects/platform/clock.ts";
import { utf8 } from "../http/bytes.ts";
import {
  ABSENCE_FRESHNESS,
  edgeCacheControl,
  SITEMAP_TAG,
  STORE_TIMEOUT_MS,
  strongEtagOfParts,
} from "./freshness.ts";
import {
  countPublishedPages,
  listPublishedPages,
  type PublishedPage,
  publishedPageIdAt,
} from "./pages-store.ts";

/** Addresses in one file (sitemaps.org). */
export const URLS_MAX = 50_000;
/** Pages asked of D1 at once: an answer of half a megabyte, or of two with the longest slugs. */
export const SLICE_PAGES = 5_000;

/** Crawlers come once a day. Where a purge failed, a new page is an hour late, and a suspended one is listed for as long. */
const SITEMAP_FRESHNESS = edgeCacheControl({
  max_age_s: 3_600,
  stale_if_error_s: 86_400,
});

/** On `/sitemap.xml`: how many files there are. By it the gateway refuses any other without D1. */
export const FILES_HEADER = "X-Sitemap-Files";

const OPENING = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

type Parts = readonly Uint8Array<ArrayBuffer>[];

/** `/sitemap.xml`: the addresses themselves while one file holds them, else the files' index. */
export async function renderSitemap(env: Cloudflare.Env, { origin }: URL): Promise<Response> {
  const pages = await withTimeout(countPublishedPages(env.DB), STORE_TIMEOUT_MS);
  const files = Math.ceil((pages + 1) / URLS_MAX);
  const parts = files === 1 ? await urlset(env.DB, origin, 1) : sitemapIndex(origin, files);
  return respond(parts, { [FILES_HEADER]: String(files) });
}

/** `/sitemaps/<N>.xml`, N from 1: the N-th 50,000 addresses. 404 past the last one. */
export async function renderSitemapFile(
  env: Cloudflare.Env,
  { pathname, origin }: URL,
): Promise<Response> {
  const n = Number(pathname.slice("/sitemaps/".length, -".xml".length));
  const parts = await urlset(env.DB, origin, n);
  if (parts.length === 0) return new Response(null, { status: 404, headers: ABSENCE_FRESHNESS });
  return respond(parts);
}

/** The N-th file; no parts where nothing would be in it. The landing page is the first address. */
async function urlset(db: D1Database, origin: string, n: number): Promise<Parts> {
  const urls = n === 1 ? [utf8(`<url><loc>${escapeXml(`${origin}/`)}</loc></url>\n`)] : [];
  const after = await lastPageBefore(db, n);
  if (after !== null) {
    const places = URLS_MAX - urls.length;
    for await (const pages of slices(db, after, places)) urls.push(utf8(urlsOf(origin, pages)));
  }
  if (urls.length === 0) return [];
  return [utf8(`${OPENING}<urlset ${NAMESPACE}>\n`), ...urls, utf8("</urlset>\n")];
}

/**
 * The page that ends the file before the N-th, `""` for the first, null where there is none. A page
 * that comes or goes moves all after it by one place: two files made at different times may name a
 * page twice or not at all, until the next hour.
 */
async function lastPageBefore(db: D1Database, n: number): Promise<string | null> {
  if (n === 1) return "";
  const pages_before = (n - 1) * URLS_MAX - 1;
  return withTimeout(publishedPageIdAt(db, pages_before - 1), STORE_TIMEOUT_MS);
}

/** Up to `limit` pages after the one of this id, a bounded answer of D1's at a time. */
async function* slices(
  db: D1Database,
  after: string,
  limit: number,
): AsyncGenerator<PublishedPage[]> {
  let cursor: string | undefined = after;
  for (let left = limit; left > 0 && cursor !== undefined; left -= SLICE_PAGES) {
    const wanted = Math.min(left, SLICE_PAGES);
    const pages: PublishedPage[] = await withTimeout(
      listPublishedPages(db, cursor, wanted),
      STORE_TIMEOUT_MS,
    );
    if (pages.length > 0) yield pages;
    cursor = pages.length < wanted ? undefined : pages.at(-1)?.page_id;
  }
}

function urlsOf(origin: string, pages: readonly PublishedPage[]): string {
  let xml = "";
  for (const { slug, updated_at } of pages) {
    const address = escapeXml(`${origin}/${encodeURIComponent(slug)}`);
    const lastmod = new Date(updated_at).toISOString();
    xml += `<url><loc>${address}</loc><lastmod>${lastmod}</lastmod></url>\n`;
  }
  return xml;
}

function sitemapIndex(origin: string, files: number): Parts {
  const entries = Array.from(
    { length: files },
    (_, i) => `<sitemap><loc>${escapeXml(`${origin}/sitemaps/${i + 1}.xml`)}</loc></sitemap>\n`,
  );
  return [utf8(`${OPENING}<sitemapindex ${NAMESPACE}>\n${entries.join("")}</sitemapindex>\n`)];
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Percent-encoding leaves `'` alone, and a host may even hold an `&`. */
function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}

async function respond(parts: Parts, headers: Record<string, string> = {}): Promise<Response> {
  const etag = await strongEtagOfParts(parts);
  const left = parts.values();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = left.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  return new Response(body, {
    headers: {
      ...SITEMAP_FRESHNESS,
      ...headers,
      "Content-Type": "application/xml; charset=utf-8",
      "Cache-Control": "public, max-age=300",
      "Cache-Tag": SITEMAP_TAG,
      ETag: etag,
    },
  });
}
