import { SLUG_CHARS_MAX } from "../http/limits.ts";

const REASONS = {
  empty: "there is no letter or digit",
  too_long: `more than ${SLUG_CHARS_MAX} characters`,
  characters: "other characters than letters, digits and - _ .",
  scripts: "letters of two scripts",
  script: "letters that are neither Latin nor Arabic",
  ends: "a letter or digit must be at both ends",
} as const;
export type SlugReason = keyof typeof REASONS;

/** Why a text cannot be a slug, as a code and in English (docs/contract.md section 10). */
export function whyNoSlug(raw: string): { reason: SlugReason; message: string } {
  const reason = reasonOf(raw);
  return { reason, message: REASONS[reason] };
}

function reasonOf(raw: string): SlugReason {
  const text = raw.slice(0, 2 * SLUG_CHARS_MAX).normalize("NFKC");
  if (/[^\p{L}\p{M}\p{Nd}._-]/u.test(text)) return text.trim() === "" ? "empty" : "characters";
  if (!/[\p{L}\p{Nd}]/u.test(text)) return "empty";
  const isLatin = /\p{Script=Latin}/u.test(text);
  // Arabic digits belong to the Arabic script, as its letters do.
  const isArabic = /\p{Script=Arabic}|[\u0660-\u0669\u06f0-\u06f9]/u.test(text);
  if (isLatin && isArabic) return "scripts";
  if (/^[._-]|[._-]$/.test(text)) return "ends";
  if (/[^\P{L}\p{Script=Latin}\p{Script=Arabic}]/u.test(text)) return "script";
  return [...text].length > SLUG_CHARS_MAX ? "too_long" : "characters";
}
