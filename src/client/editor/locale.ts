/** The locale has the reader's digits. */
import type { Locale } from "../../views/locale.ts";
import { parseReaderLocale } from "../../views/numbering.ts";

export const locale: Locale = LOCALE;
export const reader = parseReaderLocale(document.getElementById("editor")?.dataset.reader);
