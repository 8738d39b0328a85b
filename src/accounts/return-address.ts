/** Where people sign in, and where they come back to. */
import { RETURN_TO_CHARS_MAX } from "../http/limits.ts";

/**
 * The absolute address on `origin` that `return_to` means, or null where it leads anywhere else. The
 * URL parser decides, as the browser's will: it knows of `//host`, `/\host` and tabs inside (WHATWG URL).
 */
export function returnAddress(return_to: string, origin: string): string | null {
  if (return_to.length > RETURN_TO_CHARS_MAX) return null;
  const url = URL.parse(return_to, `${origin}/`);
  // A `blob:` address has the origin of the page that made it, too.
  if (url?.origin !== origin || !/^https?:$/.test(url.protocol)) return null;
  // Put together anew: without userinfo.
  return origin + url.pathname + url.search + url.hash;
}
