/** `robots.txt` (RFC 9309): crawlers may read pages, their pictures and files, but not routes that count. */

/**
 * It has no `Allow: /`: readers that obey the first rule that matches, such as Python's
 * `urllib.robotparser`, would then allow everything. What no rule names is allowed anyway.
 *
 * `/health$` ends in `$` because `/health` is also the beginning of slugs such as `/healthy`. Contact
 * cards are of no use in a search, and would double the addresses to crawl.
 */
export function robotsTxt(origin: string): string {
  return `# صلة · Sila
# لبرامج الزحف أن تقرأ الصفحات وكل ما تعرضه. Crawlers may read the pages and all that they show.
User-agent: *
Disallow: /api/
Disallow: /health$
Disallow: /health/
Disallow: /p/
Disallow: /r/
Disallow: /vcard/

Sitemap: ${origin}/sitemap.xml
`;
}
