/**
 * Slugs that no page may have, because the address is something else's (docs/contract.md section 1).
 *
 * Asked when a slug is chosen, never when one is read: a fixed route wins over `/:slug` anyway.
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

/** What the platform answers itself, and what browsers and crawlers ask every site for unasked. */
const ASKED_OF_EVERY_SITE = [
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

const RESERVED: ReadonlySet<string> = new Set([...ROUTES, ...ASKED_OF_EVERY_SITE]);

/** Whether no page may be called so. Takes the canonical spelling (`canonicalSlug` in ids.ts). */
export function isReservedSlug(slug: string): boolean {
  return RESERVED.has(slug);
}
