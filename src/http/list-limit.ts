import * as z from "zod/mini";

/** How many rows of a list an answer has: `?limit=`, 1 to `max`. `Number` would accept `1e1` and ` 7` too. */
export function listLimit(usual: number, max: number) {
  return z.pipe(
    z._default(
      z
        .string()
        .check(
          z.refine((text) => /^[1-9]\d{0,3}$/.test(text) && Number(text) <= max, `1 to ${max}`),
        ),
      String(usual),
    ),
    z.transform(Number),
  );
}
