/**
 * The sitemap (sitemaps.org): the landing page and every published page with its `lastmod`, in
 * files of 50,000 addresses. `/sitemap.xml` is the one file, or where one is not enough the index
 * of `/sitemaps/N.xml`.
 *
 * A million pages are read along one covering index, one slice after another. Each slice is encoded
 * at once, so memory holds one file of bytes: about 6 MB, or 45 MB with the longest possible slugs.
 */
import { withTimeout } from "../../../objects/platform/clock.ts";
import { escapeXml } from "../../../objects/platform/markup.ts";
import { utf8 } from "../../http/bytes.ts";
import {
  ABSENCE_FRESHNESS,
  edgeCacheControl,
  SITEMAP_TAG,
  STORE_TIMEOUT_MS,
  strongEtagOfParts,
} from "../cache/freshness.ts";
import {
  countPublishedPages,
  listPublishedPages,
  type PublishedPage,
  publishedPageIdAt,
} from "../document/published-pages.ts";

/** The limit of sitemaps.org for one file. */
export const URLS_MAX = 50_000;
/** One query reads so many: half a megabyte, or two with the longest slugs. */
export const SLICE_PAGES = 5_000;

/** Crawlers fetch it about once a day. If a purge fails, the sitemap is wrong for at most an hour. */
const SITEMAP_FRESHNESS = edgeCacheControl({
  max_age_s: 3_600,
  stale_if_error_s: 86_400,
});

/** The number of files, by which the gateway refuses other numbers without asking D1. */
export const FILES_HEADER = "X-Sitemap-Files";

const OPENING = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

type Parts = readonly Uint8Array<ArrayBuffer>[];

/** `/sitemap.xml`: the addresses if one file is enough for them, else the index of the files. */
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

/** No parts if the file would be empty. The landing page is the first address. */
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
 * The last page in the file before the N-th; `""` for the first file, null if there is no such
 * page. A page that is created or deleted moves all after it by one place. So two files that were
 * made at different times may list a page twice or not at all, for at most an hour.
 */
async function lastPageBefore(db: D1Database, n: number): Promise<string | null> {
  if (n === 1) return "";
  const pages_before = (n - 1) * URLS_MAX - 1;
  return withTimeout(publishedPageIdAt(db, pages_before - 1), STORE_TIMEOUT_MS);
}

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
    // Percent-encoding leaves `'` as it is, and a host may contain `&`.
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
