/** All control characters but tab and line feed. */
const CONTROLS = /[^\P{Cc}\t\n]/gu;
const BIDI_CONTROLS = /\p{Bidi_Control}/gu;
/** More marks on one letter than any language writes: they cover the lines around it. */
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu;

/**
 * Removes control characters and bidi controls (docs/security.md S12). Pasted phone numbers and
 * names often contain an override or isolate that is never closed, and would reverse the text after
 * it. The page sets directions itself (`drawn-text.ts`).
 */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, "").replace(BIDI_CONTROLS, "").trim();
}

/** Removes stacked marks too, for a text that is shown on a page. */
export function plainText(text: string): string {
  return withoutControls(text).replace(STACKED_MARKS, "$1");
}

/** {@link plainText} with a direction of its own in a sentence (FSI and PDI). */
export function isolated(text: string): string {
  return `\u2068${plainText(text)}\u2069`;
}

/** False for format characters, spaces and marks alone. */
export function isVisible(text: string): boolean {
  return /[^\p{C}\p{Z}\p{M}]/u.test(text);
}

/** Puts the text on one line, and cuts it between words. */
export function truncated(text: string, max_characters: number): string {
  const line = plainText(text).replace(/\s+/g, " ");
  const characters = [...line];
  if (characters.length <= max_characters) return line;
  const cut = characters.slice(0, max_characters - 1).join("");
  const space = cut.lastIndexOf(" ");
  // A word that is half of the text is cut itself.
  return `${space < cut.length / 2 ? cut : cut.slice(0, space).trimEnd()}…`;
}

/** Two letters, or one in Arabic, where two would join. Without letters the first character. */
export function initials(name: string): string {
  const words = plainText(name).split(/\s+/);
  const letters = [words[0], words.length > 1 ? words.at(-1) : ""]
    .map((word) => /[\p{L}\p{N}]/u.exec(word ?? "")?.[0] ?? "")
    .join("");
  if (letters === "") return firstCharacter(plainText(name));
  return /\p{Script=Arabic}/u.test(letters) ? ([...letters][0] ?? "") : letters.toUpperCase();
}

/** Readers count an emoji of several code points as one character. */
function firstCharacter(text: string): string {
  const [first] = new Intl.Segmenter().segment(text);
  return first?.segment ?? "";
}
