/**
 * Slugs that no page may have, because another thing has that address or because the page could pass
 * for the service (docs/contract.md section 1).
 *
 * Checked when a page is written, and by the pages' own routes: `/sitemaps/en` is no page of `sitemaps`.
 */

/** The first segment of every fixed route, in its canonical spelling as a slug. */
const ROUTES = [
  "admin",
  "api",
  "ar",
  "assets",
  "dashboard",
  "docs",
  "en",
  "example",
  "favicon.ico",
  "health",
  "llms.txt",
  "manifest.json",
  "media",
  "newsletter",
  "openapi.json",
  "p",
  "r",
  "robots.txt",
  "sitemap.xml",
  "sitemaps",
  "status",
  "status.json",
  "tip",
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

/** Names under which a creator's page could pass for the service itself, to collect passwords or money. */
const OF_THE_SERVICE = [
  "about",
  "account",
  "administrator",
  "api-docs",
  "billing",
  "blog",
  "contact",
  "help",
  "login",
  "logout",
  "official",
  "pay",
  "privacy",
  "register",
  "security",
  "settings",
  "sign-in",
  "sign-up",
  "signin",
  "signup",
  "sila",
  "support",
  "terms",
  "verify",
  "wallet",
  "www",
  "صلة",
] as const;

const RESERVED: ReadonlySet<string> = new Set([...ROUTES, ...WELL_KNOWN, ...OF_THE_SERVICE]);

/** Whether no page may have this slug, in its canonical spelling (`canonicalSlug` in ids.ts). */
export function isReservedSlug(slug: string): boolean {
  return RESERVED.has(slug);
}
