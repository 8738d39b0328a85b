/**
 * Slugs that no page may have, because another thing has that address (docs/contract.md section 1).
 *
 * Checked when a page is written, not when one is read: a fixed route comes before `/:slug` anyway.
 */

/** The first segment of every fixed route, in its canonical spelling as a slug. */
const ROUTES = [
  "api",
  "assets",
  "dashboard",
  "docs",
  "favicon.ico",
  "health",
  "llms.txt",
  "manifest.json",
  "media",
  "openapi.json",
  "p",
  "r",
  "robots.txt",
  "sitemap.xml",
  "sitemaps",
  "vcard",
] as const;

/** Addresses that the platform answers, or that browsers and crawlers request from every site. */
const WELL_KNOWN = [
  "ads.txt",
  "app-ads.txt",
  "apple-touch-icon-precomposed.png",
  "apple-touch-icon.png",
  "browserconfig.xml",
  "cdn-cgi",
  "crossdomain.xml",
  "humans.txt",
  "index.html",
  "security.txt",
  "service-worker.js",
  "sw.js",
] as const;

const RESERVED: ReadonlySet<string> = new Set([...ROUTES, ...WELL_KNOWN]);

/** Whether no page may have this slug, in its canonical spelling (`canonicalSlug` in ids.ts). */
export function isReservedSlug(slug: string): boolean {
  return RESERVED.has(slug);
}
