import { canonicalSlug } from "../../http/ids.ts";
import { SLUG_CHARS_MAX } from "../../http/limits.ts";
import { isClaimable } from "../../pages/document/reserved-slugs.ts";
import { findFreeSlugs } from "../../pages/document/slugs-store.ts";
import { randomSlug } from "../slug-proposals.ts";

/** The last number that is appended; then the slug is random. */
const NUMBERS_MAX = 9;

/** The old slug if free at `now` (unix milliseconds), else one like it. Rejects if D1 fails. */
export async function findFreeSlug(
  db: D1Database,
  wanted: string | null,
  now: number,
): Promise<string> {
  const base = canonicalSlug((wanted ?? "").trim().replace(/^@/, ""));
  const numbered = base === null ? [] : numberedSlugs(base);
  const allowed = numbered.filter(isClaimable);
  const [free] = await findFreeSlugs(db, allowed, null, now);
  return free ?? randomSlug();
}

function numberedSlugs(base: string): string[] {
  const start = [...base].slice(0, SLUG_CHARS_MAX - 2).join("");
  const numbers = Array.from({ length: NUMBERS_MAX - 1 }, (_, i) => i + 2);
  return [base, ...numbers.flatMap((n) => canonicalSlug(`${start}-${n}`) ?? [])];
}
