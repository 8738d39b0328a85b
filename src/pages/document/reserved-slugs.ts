/**
 * Slugs that no page may have, because something else has that address or because the page could
 * pass for the service (docs/contract.md section 1). Checked when a page takes a slug, and by the
 * pages' own routes: `/sitemaps/en` is no page of `sitemaps`.
 */

/** The first segment of every fixed route, in its canonical spelling as a slug. */
const ROUTES = [
  "account",
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
  "invite",
  "llms.txt",
  "manifest.json",
  "media",
  "newsletter",
  "openapi.json",
  "p",
  "r",
  "robots.txt",
  "setup",
  "sitemap.xml",
  "sitemaps",
  "status",
  "status.json",
  "tip",
  "vcard",
] as const;

/** First segments of routes to come. A page that has one is served until the route is there. */
const ROUTES_TO_COME: ReadonlySet<string> = new Set(["e", "log", "mcp", "method", "report", "s"]);

/** The platform answers these, or browsers and crawlers request them from every site. */
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

/** A page with such a name could pass for the service itself, to collect passwords or money. */
const OF_THE_SERVICE = [
  "about",
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

/** Small capitals, and the letters that they are to a reader. */
const SMALL_CAPITALS = [..."ᴀʙᴄᴅᴇꜰɢʜᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ"];
const CAPITALS = [..."abcdefghjklmnoprstuvwyz"];
/**
 * Letters and digits by the one that they look like. Of Latin letters those that Unicode lists as
 * one of a reserved name, or as one with a stroke or a hook, which NFKD leaves on (UTS 39,
 * `confusables.txt`).
 */
const SHAPES: ReadonlyMap<string, string> = new Map([
  ...alike("l", "1iıɩɪǀłɨᵻᵼɭɫƚ"),
  ...alike("o", "0øɵᴑꬽꝋꬾ"),
  ...alike("a", "ɑ"),
  ...alike("b", "ƃɓƀ"),
  ...alike("c", "ȼ"),
  ...alike("d", "ƌɗɖđ"),
  ...alike("e", "ɇꬲ"),
  ...alike("f", "ƒᵮꬵꞙẝ"),
  ...alike("g", "ɡᶃƍɠǥ"),
  ...alike("h", "ɦħ"),
  ...alike("m", "ɱᵯ"),
  ...alike("n", "ɳƞᵰ"),
  ...alike("p", "ƥᵽ"),
  ...alike("r", "ꭇꭈɽɼᵲɍ"),
  ...alike("s", "ƽʂᵴ"),
  ...alike("t", "ƭᵵŧ"),
  ...alike("u", "ꞟꭎꭒʋᵾ"),
  ...alike("w", "ɯꝡ"),
  ...alike("y", "ɣᶌỿꭚƴɏ"),
  ...SMALL_CAPITALS.map((letter, i) => [letter, CAPITALS[i] ?? letter] as const),
  ...alike("ا", "ٱ١۱"),
  ...alike("ه", "ةۃہھە٥۵"),
  ...alike("ي", "ىیې"),
  ...alike("ك", "کڪ"),
  ...alike("ل", "ڵ"),
]);

function alike(one: string, others: string): [string, string][] {
  return [...others].map((other) => [other, one]);
}

/**
 * The slug as a reader sees it at a glance: without separators, accents and hamzas, with one letter
 * for all of its shape. Slugs with the same skeleton are taken for each other. Pairs such as `rn`
 * and `m` stay different, because too many names have them.
 */
export function skeleton(slug: string): string {
  const letters = slug.normalize("NFKD").replace(/[\p{Mn}._ꞏ-]/gu, "");
  return [...letters].map((letter) => SHAPES.get(letter) ?? letter).join("");
}

/** Only these routes: a page at `tlp` deceives nobody, and `apl` may be somebody's name. */
const PASSED_OFF: ReadonlySet<string> = new Set(
  ["account", "admin", "dashboard", ...OF_THE_SERVICE].map(skeleton),
);

/** No page is served under a reserved slug. The slug is canonical (`canonicalSlug` in ids.ts). */
export function isReservedSlug(slug: string): boolean {
  return RESERVED.has(slug);
}

/** A page may not take a slug that is reserved or looks like a name of the service. */
export function isClaimable(slug: string): boolean {
  return !isReservedSlug(slug) && !ROUTES_TO_COME.has(slug) && !PASSED_OFF.has(skeleton(slug));
}
