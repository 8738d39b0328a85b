/**
 * Reads addresses, handles, phone numbers or words, one in each line. Pure; the panel asks where a
 * line may be several things. An address is only ever what `parseLinkAddress` returns, so that no
 * text can become a script (docs/security.md S10).
 */
import {
  LINK_ADDRESS_MAX_CHARACTERS,
  parseLinkAddress,
} from "../../../pages/document/link-address.ts";
import { isVisible, plainText } from "../../../views/plain-text.ts";
import { type Phone, phoneOf } from "./phone.ts";
import { isProfile, profileOf, serviceNamed, wayNamed } from "./services.ts";

export type Target =
  | { is: "address"; address: string; is_profile: boolean }
  /** `asked`: the text says which of the two it is for. */
  | { is: "phone"; phone: Phone; asked: "whatsapp" | "call" | null }
  | { is: "handle"; handle: string };

export type Found =
  | (Target & { label: string })
  /** An address, but of a kind that a page may not link to. */
  | { is: "refused"; text: string }
  | { is: "words"; text: string };

/** A page has at most 200 links. */
const LINES_MAX = 400;
/** Reading takes longer than a text's length. This is several times 200 usual lines. */
const TEXT_CHARACTERS_MAX = 100_000;
/** A label and an address. */
const LINE_CHARACTERS_MAX = LINK_ADDRESS_MAX_CHARACTERS + 1_024;

const LINE_ENDS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
/** Invisible, and part of no address: zero-width space, word joiner, byte order mark, soft hyphen. */
const INVISIBLE = /[\u200b\u2060\ufeff\u00ad]/g;
const BULLET = /^(?:[-*+•·▪◦●○▸►➤👉–—]\ufe0f?\s+|[\d٠-٩]{1,3}[.)]\s+)/u;
/** Text puts these around an address. */
const OPENING = /^[<"'“«‹([]+/;
const CLOSING = /[>"'”»›.,;:!?،؛؟]+$/;

/** The lines that say something. `calling_code` is for numbers without a country. */
export function parsePasted(text: string, calling_code: string | null): Found[] {
  return linesOf(text).map((line) => foundIn(cleaned(line), calling_code));
}

/** Splits a text so that each line is one thing. */
export function linesOf(text: string): string[] {
  return text
    .slice(0, TEXT_CHARACTERS_MAX)
    .split(LINE_ENDS, LINES_MAX)
    .flatMap(eachAddress)
    .filter((line) => isVisible(cleaned(line)));
}

/** Splits a line with several addresses: the words of each stand all before or all behind. */
function eachAddress(line: string): string[] {
  const starts = [...line.matchAll(/(?<=^|\s)https?:\/\/\S+/gi)];
  if (starts.length < 2) return [line];
  const is_first = line.slice(0, starts[0]?.index).trim() === "";
  const cuts = starts.map(({ index, 0: address }) => (is_first ? index : index + address.length));
  const parts = cuts.map((cut, i) =>
    is_first ? line.slice(cut, cuts[i + 1]) : line.slice(cuts[i - 1] ?? 0, cut),
  );
  const rest = is_first ? "" : line.slice(cuts.at(-1));
  return [...parts, rest].map((part) => part.replace(/^[\s|,،;؛]+|[\s|,،;؛]+$/g, ""));
}

/** Null unless the text can be but one address. */
export function addressOf(text: string, calling_code: string | null): string | null {
  const target = targetOf(cleaned(text), calling_code);
  if (target?.is === "address") return target.address;
  return target?.is === "phone" ? telOf(target.phone) : null;
}

export function telOf({ number, extension }: Phone): string | null {
  return parseLinkAddress(`tel:${number}${extension === "" ? "" : `;ext=${extension}`}`);
}

export function whatsappOf({ international }: Phone): string | null {
  return international === null ? null : parseLinkAddress(`https://wa.me/${international}`);
}

function foundIn(line: string, calling_code: string | null): Found {
  const target = targetOf(line, calling_code);
  if (target !== null) return { ...target, label: "" };
  const labelled = split(line, calling_code);
  if (labelled !== null) return labelled;
  const text = line.replace(/\t/g, " ");
  return { is: SCRIPT_OR_FILE.test(line) ? "refused" : "words", text };
}

/** Bidi controls stand around pasted numbers and handles, and would make them something else. */
function cleaned(raw: string): string {
  const line = raw.slice(0, LINE_CHARACTERS_MAX).replace(INVISIBLE, "");
  return plainText(line.replace(/\p{Surrogate}/gu, "\ufffd"))
    .replace(BULLET, "")
    .trim();
}

const SCRIPT_OR_FILE =
  /^(?:(?:javascript|vbscript|data|file|blob|view-source)\s*:|[a-z][a-z\d+.-]*:\/\/)/i;

/** A label and a target: table cells, two sides of a colon, or one behind the other. */
function split(line: string, calling_code: string | null): Found | null {
  const cells = line.split("\t").filter((cell) => cell.trim() !== "");
  if (cells.length > 1) {
    for (const [i, cell] of cells.entries()) {
      const found = joined(cells[i === 0 ? 1 : 0] ?? "", cell, calling_code);
      if (found !== null) return found;
    }
    return null;
  }
  const [, text = "", address = ""] = /^\[([^\]]+)\]\s?\(([^\s]+)\)$/.exec(line) ?? [];
  const marked = /\s*[:：=|]\s*|\s+[-–—←→]+>?\s+/.exec(line);
  const spaced = /\s+(?=\S*$)/.exec(line);
  const number = /(?:^|\s)[\s+(]*(?:\d|[٠-٩۰-۹])[^\p{L}]*$/u.exec(line);
  const first = /\s+/.exec(line);
  return (
    joined(text, address, calling_code) ??
    (marked && joined(...around(line, marked), calling_code)) ??
    (number && joined(line.slice(0, number.index), line.slice(number.index), calling_code)) ??
    (spaced && inSentence(...around(line, spaced), calling_code)) ??
    (first && inSentence(...reversed(around(line, first)), calling_code)) ??
    null
  );
}

function around(line: string, { index, 0: mark }: RegExpExecArray): [string, string] {
  return [line.slice(0, index), line.slice(index + mark.length)];
}

function reversed([a, b]: [string, string]): [string, string] {
  return [b, a];
}

/** A host without a scheme between words needs a well-known ending: `Node.js` is none. */
function inSentence(label: string, text: string, calling_code: string | null): Found | null {
  const bare = unwrapped(text);
  const is_known = /^(?:https?:|mailto:|tel:|sms:|www\.|@)|@[^@]+\.|\//i.test(bare);
  if (is_known || COMMON_ENDINGS.test(bare) || serviceNamed(label) || wayNamed(label) !== null) {
    return joined(label, text, calling_code);
  }
  return null;
}

const COMMON_ENDINGS =
  /\.(?:com|net|org|info|biz|me|io|co|app|dev|shop|store|site|online|link|page|tv|ai|gg|ae|sa|eg|kw|qa|bh|om|jo|lb|sy|iq|ps|ye|sd|ly|tn|dz|ma|mr|tr|uk|de|fr|us|ca|eu)$/i;

function joined(raw_label: string, text: string, calling_code: string | null): Found | null {
  const bare = cleaned(text);
  const label = cleaned(raw_label).replace(/[\s:：=|،,\-–—]+$/u, "");
  if (bare === "" || label === "") return null;
  const service = serviceNamed(label);
  const handle = service && handleIn(bare);
  const profile = handle && profileOf(service, handle);
  if (profile) return { is: "address", address: profile, is_profile: true, label: "" };
  const target = targetOf(bare, calling_code);
  if (target === null) return null;
  const way = wayNamed(label);
  if (target.is !== "phone" || (way !== "whatsapp" && way !== "call")) {
    return { ...target, label: way === "mail" ? "" : label };
  }
  return { ...target, asked: way, label: "" };
}

/** The whole text must be one address, number or handle. */
function targetOf(text: string, calling_code: string | null): Target | null {
  const phone = phoneOf(text.replace(/[.,،؛;]+$/, ""), calling_code);
  if (phone !== null && !isNumericHost(text)) return { is: "phone", phone, asked: null };
  const bare = unwrapped(text);
  if (/\s/.test(bare)) return phoneLink(bare, calling_code);
  const handle = bare.normalize("NFKC").startsWith("@") ? handleIn(bare) : null;
  if (handle !== null) return { is: "handle", handle };
  const address = mailOf(bare) ?? webOf(bare);
  if (address !== null) return { is: "address", address, is_profile: isProfile(address) };
  return phoneLink(bare, calling_code);
}

/** Numbers of `tel:` and `sms:` may be written in any way, too. */
function phoneLink(text: string, calling_code: string | null): Target | null {
  const [, scheme = "", rest = ""] = /^(tel|sms):(.*)$/i.exec(text) ?? [];
  if (scheme === "") return null;
  const phone = phoneOf(rest, calling_code);
  if (phone !== null && scheme.toLowerCase() === "tel")
    return { is: "phone", phone, asked: "call" };
  const address = parseLinkAddress(phone === null ? text : `sms:${phone.number}`);
  return address === null ? null : { is: "address", address, is_profile: false };
}

function unwrapped(text: string): string {
  const inner = text.replace(OPENING, "").replace(CLOSING, "");
  // A parenthesis belongs to an address only if it was opened in it.
  return inner.endsWith(")") && !inner.includes("(") ? inner.slice(0, -1) : inner;
}

function handleIn(text: string): string | null {
  const plain = text.normalize("NFKC").replace(/^@/, "");
  return /^(?=.*[\p{L}\p{N}])[\p{L}\p{M}\p{N}._-]{1,60}$/u.test(plain) ? plain : null;
}

function mailOf(text: string): string | null {
  const [, local, host] = /^(?:mailto:)?([^\s@:/?#<>"(),;\\]+)@([^\s@]+)$/i.exec(text) ?? [];
  if (local === undefined || host === undefined || !isHost(host)) {
    return /^mailto:/i.test(text) ? parseLinkAddress(text) : null;
  }
  const spelled = encodeURIComponent(local).replace(/%2B/g, "+");
  const domain = URL.parse(`https://${host}`)?.hostname ?? "";
  return domain === "" ? null : parseLinkAddress(`mailto:${spelled}@${domain}`);
}

function webOf(text: string): string | null {
  if (/^https?:/i.test(text)) return parseLinkAddress(text);
  const [authority = ""] = text.split(/[/?#]/, 1);
  return isHost(authority.replace(/:\d{1,5}$/, "")) ? parseLinkAddress(`https://${text}`) : null;
}

/** Hosts in Arabic letters need one of these: else `أهلا.مرحبا` would be a host. */
const ARABIC_ENDINGS =
  /^(?:عرب|موقع|شبكة|بازار|كوم|مصر|السعودية|امارات|الاردن|عمان|قطر|تونس|فلسطين|سورية|سوريا|المغرب|الجزائر|العراق|البحرين|موريتانيا|ابوظبي|همراه|ایران|پاکستان)$/u;

/** A host has two labels or more, the last one such as domains end in. */
function isHost(host: string): boolean {
  if (isNumericHost(host)) return true;
  const labels = host.split(".");
  const ending = labels.at(-1) ?? "";
  return (
    labels.length > 1 &&
    labels.every((label) => /^[\p{L}\p{N}_][\p{L}\p{N}\p{M}_-]{0,62}$/u.test(label)) &&
    (/^(?:[a-z]{2,24}|xn--[a-z\d-]+)$/i.test(ending) ||
      ARABIC_ENDINGS.test(ending) ||
      (labels[0] === "www" && !/^\p{N}+$/u.test(ending)))
  );
}

/** The address may have a port or a path. */
function isNumericHost(text: string): boolean {
  const [host = ""] = text.split(/[:/?#]/, 1);
  const parts = host.split(".");
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256);
}
