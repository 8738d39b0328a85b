/** `robots.txt` (RFC 9309): pages, their pictures and files may be crawled, what only acts may not. */

/**
 * The crawl policy of the service at `origin`.
 *
 * A `$` ends what would else begin a page's slug, as `/health` begins `/healthy`. Contact cards are
 * for people who keep a contact: a search has no use for them, and crawlers would fetch as many
 * cards as pages.
 */
export function robotsTxt(origin: string): string {
  return `# صلة · Sila
# لبرامج الزحف أن تقرأ الصفحات وكل ما تعرضه. Crawlers may read the pages and all that they show.
User-agent: *
Allow: /
Disallow: /api/
Disallow: /health$
Disallow: /health/
Disallow: /p/
Disallow: /r/
Disallow: /vcard/

Sitemap: ${origin}/sitemap.xml
`;
}
