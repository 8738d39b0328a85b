/**
 * Cookies of a request (RFC 6265 section 4.2.1). `hono/cookie` writes ours but does not read them:
 * it decodes percent-encoding, and the hub's cookie must reach the hub as it came; and of several
 * cookies with one name it returns the first alone, which another host of the domain may have set
 * (docs/security.md S24).
 */

/** A browser shows by it that it belongs to a page's owner; over https with `__Host-` before it. */
export const OWNER_COOKIE = "owner_of";

export function cookieValues(cookies: string | null, name: string, max: number): string[] {
  const prefix = `${name}=`;
  const values: string[] = [];
  if (cookies === null || !cookies.includes(prefix)) return values;
  for (const pair of cookies.split(";")) {
    if (values.length === max) break;
    const cookie = trimSpaces(pair);
    if (cookie.startsWith(prefix)) values.push(cookie.slice(prefix.length));
  }
  return values;
}

/**
 * Removes the spaces and tabs around a pair, and no other whitespace. A browser lets every site of
 * the domain set a cookie named `<no-break space>__Host-x`; `trim()` would make `__Host-x` of it.
 * Not `/[ \t]+$/`, which takes quadratic time: 2 s for 64 KB of spaces with a letter behind them.
 */
function trimSpaces(pair: string): string {
  let [from, to] = [0, pair.length];
  while (from < to && isSpaceOrTab(pair, from)) from += 1;
  while (to > from && isSpaceOrTab(pair, to - 1)) to -= 1;
  return pair.slice(from, to);
}

function isSpaceOrTab(text: string, at: number): boolean {
  return text[at] === " " || text[at] === "\t";
}
