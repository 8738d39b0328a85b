import type { Locale } from "./locale.ts";
import { TEXTS } from "./texts.ts";

const LEFT_TO_RIGHT_MARK = "\u200e";
const RIGHT_TO_LEFT_LETTER =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;
/** "C++", "C#". */
const RUN_WITH_SIGNS = /[A-Za-z0-9][+#]+/g;

/**
 * Attributes of an element that shows a text of this language. Not `dir="auto"`: it goes by the first
 * letter, and would set "C++ للمبتدئين" from left to right.
 */
export function inLanguage(language: Locale): { lang: Locale; dir: "rtl" | "ltr" } {
  return { lang: language, dir: TEXTS[language].direction };
}

/**
 * A text as it is put into an element of its language's direction, with U+200E where right to left
 * would move signs to the wrong side: behind "C++", and around a line that has no letter from right to
 * left, as "+20 101" or "Welcome!". Only for what is drawn: no text is stored or exported with it.
 */
export function drawn(text: string, language: Locale): string {
  if (TEXTS[language].direction === "ltr") return text;
  return text.split("\n").map(drawnLine).join("\n");
}

function drawnLine(line: string): string {
  if (RIGHT_TO_LEFT_LETTER.test(line))
    return line.replace(RUN_WITH_SIGNS, `$&${LEFT_TO_RIGHT_MARK}`);
  const before = /^\P{L}/u.test(line) ? LEFT_TO_RIGHT_MARK : "";
  const after = /[^\p{L}\p{N}]$/u.test(line) ? LEFT_TO_RIGHT_MARK : "";
  return `${before}${line}${after}`;
}
