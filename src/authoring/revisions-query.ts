import * as z from "zod/mini";

/** Decimal digits alone: `Number` would read `1e0` and `0x1` too. */
export const Version = z.pipe(
  z.string().check(z.refine((text) => /^[1-9]\d{0,14}$/.test(text), "a whole number from 1 on")),
  z.transform(Number),
);

export const RevisionsQuery = z.object({
  before: z.optional(Version),
});
