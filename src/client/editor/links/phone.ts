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
/** A number of so many digits that does not begin with 0 has its country code. */
const INTERNATIONAL_DIGITS = 11;

const WRITTEN = /^([+\d\s()./\-‐-―−]+?)(?:(?:;ext=|ext\.?|x|#|تحويلة)\s*(\d{1,6}))?$/iu;
const DATE =
  /^(?:\d{4}[\s\-./]\d{1,2}[\s\-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{4}|\d{4}\s*[-‐-―]\s*\d{4})$/u;

/** A page's time zone tells whose numbers are written without a country code. */
const CALLING_CODES: Readonly<Record<string, string>> = {
  "Africa/Algiers": "213",
  "Africa/Cairo": "20",
  "Africa/Casablanca": "212",
  "Africa/Khartoum": "249",
  "Africa/Nouakchott": "222",
  "Africa/Tripoli": "218",
  "Africa/Tunis": "216",
  "Asia/Aden": "967",
  "Asia/Amman": "962",
  "Asia/Baghdad": "964",
  "Asia/Bahrain": "973",
  "Asia/Beirut": "961",
  "Asia/Damascus": "963",
  "Asia/Dubai": "971",
  "Asia/Gaza": "970",
  "Asia/Hebron": "970",
  "Asia/Kuwait": "965",
  "Asia/Muscat": "968",
  "Asia/Qatar": "974",
  "Asia/Riyadh": "966",
  "Europe/Berlin": "49",
  "Europe/Istanbul": "90",
  "Europe/London": "44",
  "Europe/Paris": "33",
};

export function callingCode(time_zone: string): string | null {
  return CALLING_CODES[time_zone] ?? null;
}

export function withLatinDigits(text: string): string {
  return text.replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 15));
}

/** Null for other text. `calling_code` is of the country for numbers without one. */
export function phoneOf(text: string, calling_code: string | null): Phone | null {
  const plain = withLatinDigits(text.normalize("NFKC")).trim();
  if (plain.length > CHARACTERS_MAX || DATE.test(plain)) return null;
  const [, written, extension = ""] = WRITTEN.exec(plain) ?? [];
  if (written === undefined || /\d\s*\+\s*\d|\+.*\+/.test(written)) return null;
  // A plus at the end was at the right of the number, where right-to-left text begins.
  const marked = /\+/.test(written) || /^\D*00/.test(written);
  const digits = (marked ? written.replace(/\(\s*0\s*\)/, "") : written)
    .replace(/\D/g, "")
    .replace(marked ? /^00/ : "", "");
  if (digits.length < DIGITS_MIN || digits.length > DIGITS_MAX) return null;
  const international = marked ? digits : withCountry(digits, calling_code);
  const number = international === null ? digits : `+${international}`;
  return { number, international, extension };
}

function withCountry(digits: string, calling_code: string | null): string | null {
  if (!digits.startsWith("0") && digits.length >= INTERNATIONAL_DIGITS) return digits;
  return calling_code === null ? null : calling_code + digits.replace(/^0+/, "");
}
