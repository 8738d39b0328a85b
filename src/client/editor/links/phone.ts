import type { Tools } from "./tools.ts";

export interface Phone {
  /** Fits `tel:`; has its country code where that is known. */
  number: string;
  /** WhatsApp needs these digits with the country code; null where the country is not known. */
  international: string | null;
  extension: string;
}

/** ITU-T E.164, and the shortest numbers that nobody takes for something else. */
const DIGITS_MAX = 15;
const DIGITS_MIN = 7;
/** Enough for spaces and hyphens between all digits. */
const CHARACTERS_MAX = 48;

const WRITTEN = /^([+\d\s()./\-‐-―−]+?)(?:(?:;ext=|ext\.?|x|#|تحويلة)\s*(\d{1,6}))?$/iu;
const DATE =
  /^(?:\d{4}[\s\-./]\d{1,2}[\s\-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{4}|\d{4}\s*[-‐-―]\s*\d{4})$/u;

/** Arabic, Persian and full-width characters as ASCII ones, each in its place. */
export function inAscii(text: string): string {
  return text
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 15))
    .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));
}

/** Null for other text. A country's plan decides, once it is loaded. */
export function phoneOf(text: string, { numberIn, country }: Tools): Phone | null {
  const plain = inAscii(text.normalize("NFKC")).trim();
  if (plain.length > CHARACTERS_MAX || DATE.test(plain) || isNumericHost(plain)) return null;
  const [, written, extension = ""] = WRITTEN.exec(plain) ?? [];
  if (written === undefined || /\d\s*\+\s*\d|\+.*\+/.test(written)) return null;
  // A plus at the end was at the right of the number, where right-to-left text begins.
  const is_marked = /\+/.test(written) || /^\D*00/.test(written);
  const digits = (is_marked ? written.replace(/\(\s*0\s*\)/, "") : written)
    .replace(/\D/g, "")
    .replace(is_marked ? /^00/ : "", "");
  if (digits.length < DIGITS_MIN || digits.length > DIGITS_MAX) return null;
  if (numberIn === null) return unchecked(digits, is_marked, extension);
  const own = is_marked ? null : numberIn(digits, country);
  // Without its plus, too: 201012345678.
  const number = own ?? (digits.startsWith("0") ? null : numberIn(`+${digits}`, null));
  if (number !== null) return { number, international: number.slice(1), extension };
  const is_unknown = !is_marked && country === null;
  return is_unknown ? { number: digits, international: null, extension } : null;
}

/** While the plans are not there, offline, only a number with its country code is whole. */
function unchecked(digits: string, is_marked: boolean, extension: string): Phone {
  return is_marked
    ? { number: `+${digits}`, international: digits, extension }
    : { number: digits, international: null, extension };
}

function isNumericHost(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256);
}
