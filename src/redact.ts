/**
 * What must not be kept of free text, taken out of it: for logs (SECURITY S16, S17) and for the samples
 * of error reports (CONTRACT section 7). Every pattern is bounded, so that hostile text costs no more
 * time than other text of its length.
 */

const GONE = "[redacted]";

/** An address of the web or of a file, with whatever hangs on it. */
const ADDRESS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>()]+/gi;
/** What ends an address in a stack frame: line and column. */
const POSITION = /(?::\d{1,9}){1,2}$/;
/** The query of a relative address; line and column after it stay. */
const QUERY = /\?[^\s"'()]+?(?=(?::\d{1,9}){0,2}(?:[\s"'()]|$))/g;
const CREDENTIALS = /\b(bearer|basic)\s+[\w.~+/=-]+/gi;
/** A domain has a dot, so that Firefox's frames, `function@https://…`, are no mailboxes. */
const EMAIL = /[^\s"'<>@()]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+/gu;
const JSON_WEB_TOKEN = /\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g;
const IPV4 = /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/g;
const IPV6_LIKE = /[0-9a-f:.]{3,}/gi;
/** Keys and session ids are this long, words and names of functions hardly ever; `[\w-]` is their alphabet. */
const TOKEN_LIKE = /[\w-]{24,}/g;
/** Numbers of phones, cards and people. */
const LONG_NUMBER = /(?<!\d)\d{9,}/g;

/** The text without addresses' queries, mailboxes, tokens and IP addresses. */
export function redact(text: string): string {
  return text
    .replace(ADDRESS, bareAddress)
    .replace(CREDENTIALS, `$1 ${GONE}`)
    .replace(JSON_WEB_TOKEN, GONE)
    .replace(EMAIL, GONE)
    .replace(QUERY, `?${GONE}`)
    .replace(IPV4, GONE)
    .replace(IPV6_LIKE, (run) => (isIpv6Like(run) ? GONE : run))
    .replace(TOKEN_LIKE, (run) => (/\d/.test(run) ? GONE : run))
    .replace(LONG_NUMBER, GONE);
}

/** Without userinfo, query and fragment; where a frame points into the file stays. */
function bareAddress(address: string): string {
  const position = POSITION.exec(address)?.[0] ?? "";
  const [scheme = "", rest = ""] = address
    .slice(0, address.length - position.length)
    .split(/:\/\/(.*)/s);
  const [bare = "", more] = rest.split(/[?#](.*)/s);
  const [authority = "", path] = bare.split(/\/(.*)/s);
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  return `${scheme}://${host}${path === undefined ? "" : `/${path}`}${more === undefined ? "" : `?${GONE}`}${position}`;
}

/** Times and stack positions have colons too, but neither two in a row nor six. */
function isIpv6Like(run: string): boolean {
  const colons = run.split(":").length - 1;
  return /[0-9a-f]/i.test(run) && (colons >= 6 || (run.includes("::") && colons >= 2));
}
