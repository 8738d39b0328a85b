/**
 * What must not be kept of free text, taken out of it: for logs (SECURITY S16, S17) and for the samples
 * of error reports (CONTRACT section 7). Every pattern is bounded, so that hostile text costs no more
 * time than other text of its length.
 */

const GONE = "[redacted]";

/**
 * An address of the web or of a file: scheme, userinfo, the rest, and what hangs on it. Brackets and
 * apostrophes end the rest, as in messages and frames, but not what hangs on it: nothing escapes them there.
 */
const ADDRESS =
  /\b([a-z][a-z0-9+.-]{1,20}:\/\/)(?:[^\s"<>/?#]{0,256}@)?([^\s"'<>()?#]*)([?#][^\s"<>]+)?/gi;
/** The query of a relative address. */
const QUERY = /\?[^\s"<>]+/g;
/** What stays of a query: line and column in a stack frame, and what closes the sentence around it. */
const TAIL = /(?::\d{1,9}){0,2}[)}'`.,;:!]{0,8}$/;
const CREDENTIALS = /\b(bearer|basic)\s+[\w.~+/=-]+/gi;
/** A domain has a dot, so that Firefox's frames, `function@https://…`, are no mailboxes. */
const EMAIL = /[^\s"<>@()]{1,64}(?:@|%40)[\p{L}\p{M}\p{N}-]{1,63}(?:\.[\p{L}\p{M}\p{N}-]{1,63})+/gu;
/** Signed ones have three parts, encrypted ones five. Tried once per run of letters, not at each of them. */
const JSON_WEB_TOKEN = /(?<![\w-])eyJ[\w-]+(?:\.[\w-]*){1,4}/g;
/** Not four numbers of five; the full stop after an address is no part of it. */
const IPV4 = /(?<!\d|\d\.)\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)/g;
const IPV6_LIKE = /[0-9a-f:.]{3,}/gi;
/** Keys and session ids are this long, words and names of functions hardly ever; `[\w-]` is their alphabet. */
const TOKEN_LIKE = /[\w-]{24,}/g;
/** Numbers of phones, cards and people. */
const LONG_NUMBER = /(?<!\d)\d{9,}/g;

/** The text without addresses' queries, mailboxes, tokens and IP addresses. */
export function redact(text: string): string {
  return text
    .replace(CREDENTIALS, `$1 ${GONE}`)
    .replace(
      ADDRESS,
      (_, scheme: string, rest: string, query?: string) =>
        `${scheme}${rest}${query === undefined ? "" : hidden(query)}`,
    )
    .replace(JSON_WEB_TOKEN, GONE)
    .replace(EMAIL, GONE)
    .replace(QUERY, hidden)
    .replace(IPV4, GONE)
    .replace(IPV6_LIKE, (run) => (isIpv6Like(run) ? GONE : run))
    .replace(TOKEN_LIKE, (run) => (/\d/.test(run) ? GONE : run))
    .replace(LONG_NUMBER, GONE);
}

function hidden(query: string): string {
  return `?${GONE}${TAIL.exec(query)?.[0] ?? ""}`;
}

/** Times and stack positions have colons too, but neither two in a row nor six. */
function isIpv6Like(run: string): boolean {
  const colons = run.split(":").length - 1;
  return /[0-9a-f]/i.test(run) && (colons >= 6 || (run.includes("::") && colons >= 2));
}
