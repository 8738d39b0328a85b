import * as z from "zod/mini";

/** Counts code points, as JSON Schema does: zod's `max` of 100 UTF-16 units refuses 51 emoji. */
export function boundedText(max: number) {
  const fits = (text: string) => text.length <= max || [...text].length <= max;
  return z
    .string()
    .check(z.refine(fits, `at most ${max} characters`))
    .register(z.globalRegistry, { maxLength: max });
}
