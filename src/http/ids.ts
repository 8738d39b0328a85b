import * as z from "zod/mini";
import { ID_CHARS_MAX, SLUG_CHARS_MAX } from "./limits.ts";

/** The schema of `page_id`, `link_id` and `event_id` (docs/contract.md section 1). */
export const Id = z
  .string()
  .check(z.regex(new RegExp(`^[A-Za-z0-9_-]{1,${ID_CHARS_MAX}}$`), "1 to 64 of A-Z a-z 0-9 _ -"));

/**
 * UTF-16 units of the longest spelling that is parsed: 16 for each character of the longest slug. A
 * letter can have any number of marks, and normalizing them takes quadratic time.
 */
const SPELLING_UNITS_MAX = 16 * SLUG_CHARS_MAX;
/** Tatweel, harakat, honorifics and Quranic marks, which do not tell words apart. */
const ARABIC_MARKS =
  /[\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u0897-\u089f\u08ca-\u08e1\u08e3-\u08ff]/g;
/** Letters that look alike and differ by country: Farsi yeh and kaf become the Arabic ones. */
const FOLDED: Readonly<Record<string, string>> = { "\u06cc": "\u064a", "\u06a9": "\u0643" };

const LATIN = wordsOf("Latin", "0-9");
const ARABIC = wordsOf("Arabic", "0-9\\u0660-\\u0669\\u06f0-\\u06f9");

/** Only letters of the script, which also has signs, marks and a bidi control. */
function wordsOf(script: "Latin" | "Arabic", digits: string): RegExp {
  const unit = `[^\\P{Script=${script}}\\P{L}]|[${digits}]`;
  return new RegExp(`^(?:${unit})(?:(?:${unit}|[._-])*(?:${unit}))?$`, "u");
}

/**
 * The canonical spelling of a slug, or null where it has none: NFKC, lower case, without marks,
 * Farsi yeh and kaf folded, letters and digits of one script with `-`, `_`, `.` inside
 * (docs/contract.md section 1, docs/security.md S13). The function is idempotent.
 */
export function canonicalSlug(raw: string): string | null {
  if (raw.length > SPELLING_UNITS_MAX) return null;
  const slug = raw
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFKC")
    .replace(ARABIC_MARKS, "")
    .replace(/[\u06cc\u06a9]/g, (letter) => FOLDED[letter] ?? letter);
  if ([...slug].length > SLUG_CHARS_MAX) return null;
  return LATIN.test(slug) || ARABIC.test(slug) ? slug : null;
}
