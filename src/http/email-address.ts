/** Email addresses: the part of RFC 5321 that mail providers give out. */
import * as z from "zod/mini";
import { EMAIL_CHARS_MAX, EMAIL_LOCAL_CHARS_MAX } from "./limits.ts";

/**
 * A dot-atom (RFC 5322 section 3.2.3): no quotes, spaces, comments or control characters. It does
 * not begin like a formula either: a creator's table of subscribers must have each address as it
 * is.
 */
const LOCAL = /^(?![=+-])[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
/** The URL parser would take these characters for something else than a host name. */
const NOT_IN_HOST = /[\p{C}\p{Z}/\\:?#@%[\]]/u;
/** A name of two labels or more. The last one is no number, so this is no IP address. */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;

/**
 * The address with its domain in lower case and in ASCII (IDNA), or null where it is none. Linear in
 * the text, of which no more than 254 characters are read.
 */
export function parseEmail(raw: string): string | null {
  if (raw.length > EMAIL_CHARS_MAX) return null;
  const at = raw.lastIndexOf("@");
  const local = raw.slice(0, Math.max(0, at));
  if (local.length > EMAIL_LOCAL_CHARS_MAX || !LOCAL.test(local)) return null;
  const host = raw.slice(at + 1);
  if (host === "" || NOT_IN_HOST.test(host)) return null;
  const domain = URL.parse(`http://${host}`)?.hostname ?? "";
  const email = `${local}@${domain}`;
  return DOMAIN.test(domain) && email.length <= EMAIL_CHARS_MAX ? email : null;
}

/** People paste an address with spaces around it. */
export const Email = z.pipe(
  z.string().check(z.maxLength(2 * EMAIL_CHARS_MAX)),
  z.transform((raw: string, ctx) => {
    const email = parseEmail(raw.trim());
    if (email !== null) return email;
    // The input is left out: addresses never leave in an error.
    ctx.issues.push({ code: "custom", message: "an email address", input: "" });
    return z.NEVER;
  }),
);
