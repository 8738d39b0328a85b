/**
 * What must not be kept of free text, taken out of it: for logs (docs/security.md S16, S17) and for the samples
 * of error reports (docs/contract.md section 7). Every pattern is bounded, so that hostile text costs no more
 * time than other text of its length.
 */

const GONE = "[redacted]";

/**
 * An address of the web or of a file: scheme, userinfo, the rest, and what hangs on it. Brackets and
 * apostrophes end the rest, as in messages and frames, but not what hangs on it: nothing escapes them there.
 */
const ADDRESS =
  /(\b[a-z][a-z0-9+.-]{1,20}:\/\/|(?<![\w:/])\/\/)(?:[^\s"<>/?#]{0,256}@)?([^\s"'<>()?#]*)([?#][^\s"<>]+)?/gi;
/** The query of a relative address, and what sign-ins hang on its fragment. */
const QUERY = /\?[^\s"<>]+|#[\w.%[\]-]{1,64}=[^\s"<>]*/g;
/** What stays of a query: line and column in a stack frame, and what closes the sentence around it. */
const TAIL = /(?::\d{1,9}){0,2}[)}'`.,;:!]{0,8}$/;
const CREDENTIALS = /\b(bearer|basic)(?:\s|%20)+[\w.~+/=-]+/gi;
/**
 * Where a mailbox is; in a path `@` may be encoded. It has a dot and ends in letters, so that Firefox's frames,
 * `function@https://…`, and versions, `vue@3.2.1`, are no mailboxes. Sought before the name, with which a
 * search would try every letter of a text 64 times.
 */
const MAILBOX_HOST = /(?:@|%40)(?:[\p{L}\p{M}\p{N}-]{1,63}\.){1,32}\p{L}[\p{L}\p{M}\p{N}-]{1,62}/gu;
/** Not from the second half of a character on. */
const MAILBOX_NAME = /(?![\udc00-\udfff])[^\s"<>@():/]+$/;
/** Characters of the longest name (RFC 5321 section 4.5.3.1.1). */
const MAILBOX_NAME_CHARS_MAX = 64;
/** Signed ones have three parts, encrypted ones five. Tried once per run of letters, not at each of them. */
const JSON_WEB_TOKEN = /(?<![\w-])eyJ[\w-]+(?:\.[\w-]*){1,4}/g;
/** More than four numbers may be an address and its port. */
const IPV4 = /(?<!\d)\d{1,3}(?:\.\d{1,3}){3,}(?!\d)/g;
const IPV6_LIKE = /[0-9a-f:.]{3,}/gi;
/** Keys and session ids are this long, words and names of functions hardly ever; `[\w-]` is their alphabet. */
const TOKEN_LIKE = /[\w-]{24,}/g;
/** Base64 has signs that paths have too, so it must have one that they have not. */
const BASE64_LIKE = /[\w+/=-]{24,}/g;
/** Numbers of phones, cards and people, in Arabic digits too. */
const LONG_NUMBER = /(?<!\p{Nd})\p{Nd}{9,}/gu;
/** Numbers of phones as people write them, from abroad or from home. */
const PHONE = /(?:\+|(?<![\w\p{Nd}])[0\u0660\u06f0])\p{Nd}(?:[ ()-]{0,2}\p{Nd}){7,13}/gu;

/** The text without addresses' queries, mailboxes, tokens and IP addresses. */
export function redact(text: string): string {
  const unasked = text
    .replace(CREDENTIALS, `$1 ${GONE}`)
    .replace(
      ADDRESS,
      (_, scheme: string, rest: string, query?: string) =>
        `${scheme}${rest}${query === undefined ? "" : hidden(query)}`,
    )
    .replace(QUERY, hidden);
  return withoutMailboxes(unasked)
    .replace(JSON_WEB_TOKEN, GONE)
    .replace(IPV4, GONE)
    .replace(IPV6_LIKE, (run) => (isIpv6Like(run) ? GONE : run))
    .replace(BASE64_LIKE, (run) => (isBase64Like(run) ? GONE : run))
    .replace(TOKEN_LIKE, (run) => (/\d/.test(run) ? GONE : run))
    .replace(PHONE, GONE)
    .replace(LONG_NUMBER, GONE);
}

function hidden(query: string): string {
  return `${query.charAt(0)}${GONE}${TAIL.exec(query)?.[0] ?? ""}`;
}

function withoutMailboxes(text: string): string {
  let kept = "";
  let from = 0;
  for (const { 0: host, index } of text.matchAll(MAILBOX_HOST)) {
    const before = text.slice(Math.max(from, index - MAILBOX_NAME_CHARS_MAX), index);
    const name = MAILBOX_NAME.exec(before)?.[0];
    if (name === undefined) continue;
    kept += text.slice(from, index - name.length) + GONE;
    from = index + host.length;
  }
  return kept + text.slice(from);
}

/** Times and stack positions have colons too, but neither two in a row nor six. */
function isIpv6Like(run: string): boolean {
  const colons = run.split(":").length - 1;
  return /[0-9a-f]/i.test(run) && (colons >= 6 || (run.includes("::") && colons >= 2));
}

function isBase64Like(run: string): boolean {
  return /[+=]/.test(run) && /\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run);
}
