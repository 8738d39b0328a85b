/** A reader's digits are Arabic-Indic (٠١٢٣) or Latin ones (0123). Scripts bundle this file too. */
import type { Locale } from "./locale.ts";

/** Unicode's names of the two numbering systems. */
export const NUMBERINGS = ["arab", "latn"] as const;

export type Numbering = (typeof NUMBERINGS)[number];

/** A reader's language and digits, as a tag for `Intl` (BCP 47). English has Latin digits only. */
export type ReaderLocale = "ar-u-nu-arab" | "ar-u-nu-latn" | "en";

export function readerLocale(language: Locale, numbering: Numbering): ReaderLocale {
  return language === "en" ? "en" : `ar-u-nu-${numbering}`;
}

export function languageOf(reader: ReaderLocale): Locale {
  return reader === "en" ? "en" : "ar";
}

export function numberingOf(reader: ReaderLocale): Numbering {
  return reader === "ar-u-nu-arab" ? "arab" : "latn";
}

export function parseReaderLocale(text: string | undefined): ReaderLocale {
  return text === "en" || text === "ar-u-nu-latn" ? text : "ar-u-nu-arab";
}

/** Arabic texts are made when they are first read: a number format takes 9 ms of a start. */
export function byReader<T>(
  arabic: (reader: ReaderLocale) => T,
  english: T,
): Readonly<Record<ReaderLocale, T>> {
  let arab: T | undefined;
  let latn: T | undefined;
  return {
    get "ar-u-nu-arab"() {
      arab ??= arabic("ar-u-nu-arab");
      return arab;
    },
    get "ar-u-nu-latn"() {
      latn ??= arabic("ar-u-nu-latn");
      return latn;
    },
    en: english,
  };
}
