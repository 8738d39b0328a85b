import * as z from "zod/mini";
import { ZONE_CHARS_MAX } from "./limits.ts";

/** Spells a zone's name as the IANA database does; null if it has no such zone. */
export function canonicalZone(name: string): string | null {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** A name of the IANA database. No offset such as `+03:00`, which has no daylight saving time. */
export const Zone = z.string().check(
  z.maxLength(ZONE_CHARS_MAX, { abort: true }),
  z.regex(/^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/, {
    error: "an IANA time zone",
    abort: true,
  }),
  z.refine((name) => canonicalZone(name) !== null, "no such time zone"),
  z.overwrite((name) => canonicalZone(name) ?? name),
);
