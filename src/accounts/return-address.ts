import * as z from "zod/mini";
import { RETURN_TO_CHARS_MAX } from "../http/limits.ts";

/** No pattern: {@link returnAddress} decides with the URL parser. */
export const ReturnTo = z._default(z.string().check(z.maxLength(RETURN_TO_CHARS_MAX)), "/");

/**
 * Null where `return_to` is too long or leads to another origin. The URL parser decides, as in
 * browsers, so `//host`, `/\host` and tabs are handled alike (WHATWG URL).
 */
export function returnAddress(return_to: string | undefined, origin: string): string | null {
  const { data } = ReturnTo.safeParse(return_to);
  if (data === undefined) return null;
  const url = URL.parse(data, `${origin}/`);
  // A `blob:` address has the origin of the page that created it.
  if (url?.origin !== origin || !/^https?:$/.test(url.protocol)) return null;
  // `url.href` would contain the userinfo.
  const address = origin + url.pathname + url.search + url.hash;
  // Percent-encoding makes nine characters of one, and clients refuse headers of 16 KB.
  return address.length > RETURN_TO_CHARS_MAX ? null : address;
}
