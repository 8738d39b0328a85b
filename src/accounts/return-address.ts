/** Where sign-in leads back to. */
import { RETURN_TO_CHARS_MAX } from "../http/limits.ts";

/**
 * The absolute address of `return_to`, or null where it leads to another origin. The URL parser
 * decides, as in browsers, so `//host`, `/\host` and tabs inside are handled alike (WHATWG URL).
 */
export function returnAddress(return_to: string, origin: string): string | null {
  if (return_to.length > RETURN_TO_CHARS_MAX) return null;
  const url = URL.parse(return_to, `${origin}/`);
  // A `blob:` address has the origin of the page that created it.
  if (url?.origin !== origin || !/^https?:$/.test(url.protocol)) return null;
  // Without userinfo.
  return origin + url.pathname + url.search + url.hash;
}
