/** The reader's language, and with their digits, for numbers and dates. */
import type { Locale } from "../../views/locale.ts";
import { parseReaderLocale } from "../../views/numbering.ts";

export const locale: Locale = LOCALE;
export const reader = parseReaderLocale(document.getElementById("editor")?.dataset.reader);
