/**
 * Addresses that a creator may link to. They are checked when they are written and again when they
 * are rendered, so that a row that was written by other means cannot put a script on a page.
 */

/** Browsers and proxies accept a redirect to an address of this length. */
export const LINK_ADDRESS_MAX_CHARACTERS = 2048;

const WEB_SCHEMES: ReadonlySet<string> = new Set(["http:", "https:"]);
const CONTACT_SCHEMES: ReadonlySet<string> = new Set(["mailto:", "tel:", "sms:"]);

/** The URL parser would silently drop Cc. Bidi_Control makes an address read as another. */
const DECEPTIVE = /[\p{Cc}\p{Bidi_Control}]/u;

/**
 * Returns the address as `URL.href` spells it, or null where a page may not link to it.
 *
 * Store and render this value, never `raw`: the WHATWG parser reads `java\nscript:` as
 * `javascript:`, so a test on the text proves nothing about what a browser does (docs/security.md
 * S10). Allowed: http, https, mailto, tel, sms; no userinfo; no control or bidi character, neither
 * in the text nor percent-encoded in the host; at most {@link LINK_ADDRESS_MAX_CHARACTERS}, before
 * and after. Parsing a returned value again returns it unchanged.
 */
export function parseLinkAddress(raw: string): string | null {
  if (raw.length > LINK_ADDRESS_MAX_CHARACTERS || DECEPTIVE.test(raw)) return null;
  // Pasted text ends in spaces of every kind; the parser itself strips only the ASCII one.
  const url = parseUrl(raw.trim());
  if (url === null || url.href.length > LINK_ADDRESS_MAX_CHARACTERS) return null;
  if (url.username !== "" || url.password !== "") return null;
  if (WEB_SCHEMES.has(url.protocol)) return isPlainHost(url.hostname) ? url.href : null;
  if (!CONTACT_SCHEMES.has(url.protocol)) return null;
  // `tel://host` and the like name a server, which these schemes do not have.
  return url.host === "" && url.pathname.replaceAll("/", "") !== "" ? url.href : null;
}

/** The URL parser already refuses most of these hosts, but versions of UTS 46 differ. */
function isPlainHost(hostname: string): boolean {
  return hostname !== "" && !hostname.includes("%") && !DECEPTIVE.test(hostname);
}

/** `URL.parse`, which is newer than some browsers that run the editor. */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
