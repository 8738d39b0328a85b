/**
 * Removes from free text what identifies people or lets someone act for them: for logs
 * (docs/security.md S16, S17) and for the samples of error reports (docs/contract.md section 7).
 * Every pattern is bounded, so that hostile text takes no more time than other text of the same
 * length.
 */

export const REDACTED = "[redacted]";

/** A script of ours in a stack. The hash in its name may be all digits, as a phone number is. */
const OWN_SCRIPT = /(\/assets\/[a-z-]{1,40}-(?:[0-9a-f]{10}|[A-Z2-7]{8})\.js)/;
/**
 * An address of the web or of a file: scheme, userinfo, host and path, query or fragment. Brackets
 * and apostrophes end the path, as in messages and stack frames, but not the query, where they may
 * be part of a secret.
 */
const ADDRESS =
  /(\b[a-z][a-z0-9+.-]{1,20}:\/\/|(?<![\w:/])\/\/)(?:[^\s"<>/?#]{0,256}@)?([^\s"'<>()?#]*)([?#][^\s"<>]+)?/gi;
/** The query of a relative address, and parameters in its fragment, as sign-ins use them. */
const QUERY = /\?[^\s"<>]+|#[\w.%[\]-]{1,64}=[^\s"<>]*/g;
/** Line and column in a stack frame, and punctuation of the sentence around the query, stay. */
const TAIL = /(?::\d{1,9}){0,2}[)}'`.,;:!]{0,8}$/;
/** A secret beside its name, as in settings and JSON. */
const NAMED_SECRET =
  /((?:pass(?:word|wd|phrase|code)|pwd|secret|(?:api|access|private|secret)[_ -]?key|token|كلمة (?:المرور|السر))\\?["'`]?\s{0,4}[:=]\s{0,4}\\?)("[^"\n]+"?|'[^'\n]+'?|[^\s"'<>,;(){}[\]]+)/giu;
const CREDENTIALS = /\b(bearer|basic)(?:\s|%20)+[\w.~+/=-]+/gi;
/**
 * The host of a mailbox; in a path its `@` may be encoded, and in East Asian text wide. A host is
 * an address in brackets, or ends in letters. Without a dot it has no colon and more after it, so
 * that Firefox's frames, `function@https://…`, and versions, `vue@3.2.1`, are not mailboxes. It is
 * searched before the name, because a pattern that begins with the name would try every letter of a
 * text 64 times.
 */
const MAILBOX_HOST =
  /(?:@|%40|\uff20|\ufe6b)(?:(?:[\p{L}\p{M}\p{N}-]{1,63}\.){1,32}\p{L}[\p{L}\p{M}\p{N}-]{1,62}|\p{L}[\p{L}\p{M}\p{N}-]{1,62}(?![\p{L}\p{M}\p{N}-]|:[^\s\d])|\[(?:IPv6:|\d)[\d.:A-Fa-f]{1,45}\])/gu;
/** May be quoted (RFC 5321 section 4.1.2); does not begin with half of a surrogate pair. */
const MAILBOX_NAME = /"(?:[^"\n]|\\")+"$|(?![\udc00-\udfff])[^\s"<>@\uff20\ufe6b():/]+$/;
/** Length of the longest name (RFC 5321 section 4.5.3.1.1). */
const MAILBOX_NAME_CHARS_MAX = 64;
/** Signed tokens have three parts, encrypted ones five. Tried once for a run of letters. */
const JSON_WEB_TOKEN = /(?<![\w-])eyJ[\w-]+(?:\.[\w-]*){1,4}/g;
/** More than four numbers may be an address and its port. */
const IPV4 = /(?<!\d)\d{1,3}(?:\.\d{1,3}){3,}(?!\d)/g;
const IPV6_LIKE = /[0-9a-f:.]{3,}/gi;
/** Keys and session ids are this long; words and names of functions rarely are. */
const TOKEN_LIKE = /[\w-]{24,}/g;
/** May be base64 or a path, which have the same alphabet; `isBase64Like` decides. */
const BASE64_LIKE = /[\w+/=-]{24,}/g;
/** Phone, card and identity numbers, in Arabic digits too. */
const LONG_NUMBER = /(?<!\p{Nd})\p{Nd}{9,}/gu;
/** Phone numbers as people write them, international or national. */
const PHONE = /(?:\+|(?<![\w\p{Nd}])[0\u0660\u06f0])\p{Nd}(?:[ ()-]{0,2}\p{Nd}){7,13}/gu;

export function redact(text: string): string {
  const unasked = text
    // This is first, because a secret inside of a userinfo would take its `@` with it.
    .replace(
      ADDRESS,
      (_, scheme: string, rest: string, query?: string) =>
        `${scheme}${rest}${query === undefined ? "" : hidden(query)}`,
    )
    .replace(CREDENTIALS, `$1 ${REDACTED}`)
    .replace(NAMED_SECRET, `$1${REDACTED}`)
    .replace(QUERY, hidden);
  // Scripts of ours are every other part. They are cut out after the queries, which may name one.
  return withoutMailboxes(unasked)
    .split(OWN_SCRIPT)
    .map((part, i) => (i % 2 === 0 ? withoutIds(part) : part))
    .join("");
}

function withoutIds(text: string): string {
  return text
    .replace(JSON_WEB_TOKEN, REDACTED)
    .replace(IPV4, REDACTED)
    .replace(IPV6_LIKE, (run) => (isIpv6Like(run) ? REDACTED : run))
    .replace(BASE64_LIKE, (run) => (isBase64Like(run) ? REDACTED : run))
    .replace(TOKEN_LIKE, (run) => (/\d/.test(run) ? REDACTED : run))
    .replace(PHONE, REDACTED)
    .replace(LONG_NUMBER, REDACTED);
}

function hidden(query: string): string {
  return `${query.charAt(0)}${REDACTED}${TAIL.exec(query)?.[0] ?? ""}`;
}

function withoutMailboxes(text: string): string {
  let kept = "";
  let from = 0;
  for (const { 0: host, index } of text.matchAll(MAILBOX_HOST)) {
    const before = text.slice(Math.max(from, index - MAILBOX_NAME_CHARS_MAX), index);
    const name = MAILBOX_NAME.exec(before)?.[0];
    if (name === undefined) continue;
    kept += text.slice(from, index - name.length) + REDACTED;
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
