/** Cookies as a request carries them (RFC 6265 section 4.2.1). */

/**
 * The values of the cookies with this name in a `Cookie` header, in their order, at most `max` of them.
 *
 * A browser lets any site of the same domain set `<no-break space>__Host-x`, whose name has no prefix for it. Were
 * that blank dropped here, such a cookie would pass for `__Host-x`.
 */
export function cookieValues(cookies: string | null, name: string, max: number): string[] {
  const prefix = `${name}=`;
  const values: string[] = [];
  if (cookies === null || !cookies.includes(prefix)) return values;
  for (const pair of cookies.split(";")) {
    if (values.length === max) break;
    const cookie = withoutBlanks(pair);
    if (cookie.startsWith(prefix)) values.push(cookie.slice(prefix.length));
  }
  return values;
}

/**
 * Without the spaces and tabs that may stand around a pair. Not `trim()`, which takes other blanks too, and not
 * `/[ \t]+$/`, which takes quadratic time in a run of blanks that something follows: 64 KB of them, two seconds.
 */
function withoutBlanks(pair: string): string {
  let [from, to] = [0, pair.length];
  while (from < to && isBlank(pair, from)) from += 1;
  while (to > from && isBlank(pair, to - 1)) to -= 1;
  return pair.slice(from, to);
}

function isBlank(text: string, at: number): boolean {
  return text[at] === " " || text[at] === "\t";
}
