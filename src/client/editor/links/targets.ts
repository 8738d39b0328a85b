/**
 * Finds what a text leads to: addresses, mailboxes, numbers, handles. Pure. An address is only ever
 * what `parseLinkAddress` returns, so that no text can become a script (docs/security.md S10).
 */
import { destinationOf } from "../../../pages/document/destination.ts";
import { parseLinkAddress, parseUrl } from "../../../pages/document/link-address.ts";
import { inAscii, type Phone, phoneOf } from "./phone.ts";
import { NO_TOOLS, type Tools } from "./tools.ts";

export type Target =
  | { is: "address"; address: string }
  /** `is_weak`: digits that begin as no number does; a price or a year may be written so. */
  | { is: "phone"; phone: Phone; is_call: boolean; is_weak: boolean }
  | { is: "handle"; handle: string }
  /** A word with a dot: an account, or the site `address` if domains end so. */
  | { is: "dotted"; handle: string; address: string | null };

/** A target with the words before and behind it, up to its neighbours. */
export interface Placed {
  target: Target;
  before: string;
  behind: string;
}

/** Text puts these around an address. */
const OPENING = /^[<"'“«‹([{]+/;
const CLOSING = /[>"'”»›.,;:!?،؛؟*]+$/;

const HOST = String.raw`[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_-]*[\p{L}\p{M}\p{N}_])?`;
/** Each alternative begins where a word begins, so that no text takes quadratic time. */
const LEADING = new RegExp(
  [
    String.raw`(?<web>https?:\/\/[^\s<>"]+)`,
    String.raw`(?<other>(?<!\p{L})(?:mailto|tel|sms):[^\s<>"]*\w)`,
    String.raw`(?<mail>(?<![\p{L}\p{N}._%+'@-])[\p{L}\p{N}_%+'][\p{L}\p{N}._%+'-]*@${HOST}(?:\.${HOST})+)`,
    String.raw`(?<handle>(?<![\p{L}\p{N}._@/-])@[\p{L}\p{M}\p{N}._-]+)`,
    String.raw`(?<host>(?<![\p{L}\p{M}\p{N}._@/-])(?:${HOST}\.)+(?:\p{L}[\p{L}\p{M}\p{N}-]*)(?::\d{1,5})?(?<path>[/?#][^\s<>"]*)?)`,
  ].join("|"),
  "giu",
);
const NUMBER =
  /(?<![\p{L}\p{N}])[+(]{0,3}\d[\d\s()./\-‐-―−+]*(?:(?:;ext=|ext\.?|x|#|تحويلة)\s*\d{1,6})?(?![\p{L}\p{N}])/giu;
/** A longer row of numbers is not split: it is no line that people write. */
const NUMBERS_CHARACTERS_MAX = 200;
/** What stands between two numbers of a line. */
const BETWEEN = /\s+[-‐-―/]\s+|\s*\/\s*(?=[+0])|\s+(?=[+]|0\d{6})/u;

const SCRIPT_OR_FILE =
  /^(?:(?:javascript|vbscript|data|file|blob|view-source)\s*:|(?!https?:)[a-z][a-z\d+.-]*:\/\/)/i;
/** An address, but of a kind that a page may not link to. */
export function isRefused(text: string): boolean {
  return SCRIPT_OR_FILE.test(text) || (/^https?:\/\/\S+$/i.test(text) && webOf(text) === null);
}

/** All that the line leads to, in its order. `text` is one line without controls. */
export function targetsIn(text: string, tools: Tools): Placed[] {
  const plain = inAscii(text);
  const found: { target: Target; start: number; end: number }[] = [];
  let at = 0;
  const numbersUpTo = (end: number) => {
    for (const each of numbersIn(plain.slice(at, end), tools)) {
      found.push({ target: each.target, start: at + each.start, end: at + each.end });
    }
  };
  for (const match of plain.matchAll(LEADING)) {
    const [target, end] = targetOf(match, tools) ?? [];
    if (target === undefined || end === undefined) continue;
    numbersUpTo(match.index);
    found.push({ target, start: match.index, end });
    at = end;
  }
  numbersUpTo(plain.length);
  return found.map(({ target, start, end }, i) => ({
    target,
    before: text.slice(found[i - 1]?.end ?? 0, start),
    behind: text.slice(end, found[i + 1]?.start),
  }));
}

type Match = RegExpExecArray | RegExpMatchArray;

/** The end is before what only closes the sentence. */
function targetOf({ 0: whole, index = 0, groups = {} }: Match, tools: Tools) {
  const bare = trimmed(whole);
  const end = index + bare.length;
  const address = (found: string | null): [Target, number] | null =>
    found === null ? null : [{ is: "address", address: found }, end];
  if (groups.web !== undefined) return address(webOf(bare));
  if (groups.other !== undefined) {
    const target = contactOf(bare, tools);
    return target === null ? null : ([target, end] as const);
  }
  if (groups.mail !== undefined) return address(mailOf(bare));
  if (groups.handle !== undefined) {
    const handle = handleIn(bare);
    return handle === null ? null : ([{ is: "handle", handle } as const, end] as const);
  }
  const target = hostOf(bare, tools);
  return target === null ? null : ([target, end] as const);
}

function trimmed(text: string): string {
  const inner = text.replace(CLOSING, "");
  // A parenthesis belongs to an address only if it was opened in it.
  return /[)\]}]$/.test(inner) && !/[([{]/.test(inner) ? trimmed(inner.slice(0, -1)) : inner;
}

/** Null unless the whole text is one target. */
export function targetAlone(text: string, tools: Tools): Target | null {
  const bare = text.trim().replace(OPENING, "");
  const phone = phoneOf(bare.replace(/[.,،؛;]+$/, ""), tools);
  if (phone !== null) return { is: "phone", phone, is_call: false, is_weak: false };
  if (/^(?:tel|sms):/i.test(bare)) return contactOf(bare, tools);
  const [first, ...others] = targetsIn(bare, tools);
  if (first === undefined || others.length > 0) return null;
  return /[\p{L}\p{N}]/u.test(first.before + first.behind) ? null : first.target;
}

/** Null unless the text can be but one address: the field of a link's address. */
export function addressOf(text: string, tools: Tools = NO_TOOLS): string | null {
  const target = targetAlone(text, tools);
  if (target?.is === "phone") return telOf(target.phone);
  return target?.is === "address" || target?.is === "dotted" ? target.address : null;
}

export function telOf({ number, extension }: Phone): string | null {
  return parseLinkAddress(`tel:${number}${extension === "" ? "" : `;ext=${extension}`}`);
}

export function whatsappOf({ international }: Phone): string | null {
  return international === null ? null : parseLinkAddress(`https://wa.me/${international}`);
}

export function handleIn(text: string): string | null {
  const plain = inAscii(text)
    .normalize("NFC")
    .replace(/^@\s*/, "")
    .replace(/[.-]+$/, "");
  return /^(?=.*[\p{L}\p{N}])[\p{L}\p{M}\p{N}._-]{1,60}$/u.test(plain) ? plain : null;
}

function* numbersIn(text: string, tools: Tools) {
  for (const { 0: written, index } of text.matchAll(NUMBER)) {
    const whole = phoneOf(written, tools);
    const parts =
      whole === null && written.length <= NUMBERS_CHARACTERS_MAX
        ? written.split(BETWEEN)
        : [written];
    let start = index;
    for (const part of parts) {
      const at = text.indexOf(part, start);
      start = at + part.length;
      const phone = whole ?? (parts.length > 1 ? phoneOf(part, tools) : null);
      if (phone !== null) {
        const is_weak = !/^\(*(?:\+|0)|\+$/.test(part);
        const target: Target = { is: "phone", phone, is_call: false, is_weak };
        yield { target, start: at, end: start };
      }
    }
  }
}

/** Numbers of `tel:` and `sms:` may be written in any way, too. */
function contactOf(text: string, tools: Tools): Target | null {
  const [, scheme = "", rest = ""] = /^(tel|sms|mailto):(.*)$/i.exec(text) ?? [];
  if (scheme.toLowerCase() === "mailto") return found(mailOf(text));
  const phone = phoneOf(rest, tools);
  if (phone === null) return found(parseLinkAddress(text));
  if (scheme.toLowerCase() === "tel") {
    return { is: "phone", phone, is_call: true, is_weak: false };
  }
  return found(parseLinkAddress(`sms:${phone.number}`));
}

function found(address: string | null): Target | null {
  return address === null ? null : { is: "address", address };
}

function mailOf(text: string): string | null {
  const [, local, host] = /^(?:mailto:)?([^\s@:/?#<>"(),;\\]+)@([^\s@:/?#]+)$/i.exec(text) ?? [];
  if (local === undefined || host === undefined) {
    return /^mailto:/i.test(text) ? parseLinkAddress(text) : null;
  }
  const spelled = encodeURIComponent(local).replace(/%2B/g, "+");
  const domain = parseUrl(`https://${host}`)?.hostname ?? "";
  return domain === "" ? null : parseLinkAddress(`mailto:${spelled}@${domain}`);
}

function webOf(text: string): string | null {
  return /^https?:/i.test(text) ? parseLinkAddress(text) : null;
}

/** A host without its scheme is one if domains end so, and if nobody has such a name elsewhere. */
function hostOf(text: string, tools: Tools): Target | null {
  const [authority = ""] = text.split(/[/?#]/, 1);
  const host = authority.replace(/:\d+$/, "");
  const ending = host.slice(host.lastIndexOf(".") + 1);
  const is_www = /^www\./i.test(host);
  const is_real = is_www || isEnding(ending, tools);
  const address = is_real ? webOf(`https://${text}`) : null;
  if (text !== host || is_www || (address !== null && isSure(host, address))) return found(address);
  const handle = handleIn(host);
  const is_name = handle !== null && (address !== null || isAscii(host));
  return is_name ? { is: "dotted", handle, address } : null;
}

function isEnding(ending: string, { isTopLevel }: Tools): boolean {
  return isTopLevel === null ? /^[a-z]{2,24}$/i.test(ending) : isTopLevel(ending);
}

/** A known site, or letters that no platform takes in a handle. */
function isSure(host: string, address: string): boolean {
  return destinationOf(address).icon !== "web" || !isAscii(host);
}

function isAscii(text: string): boolean {
  return /^\p{ASCII}*$/u.test(text);
}
