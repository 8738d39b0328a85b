/** Text of a bounded length, as a zod schema. */
import * as z from "zod/mini";

/**
 * At most `max` code points, as JSON Schema counts characters. zod's own `max` counts UTF-16 units:
 * with a limit of 100 it would refuse 51 emoji.
 */
export function boundedText(max: number) {
  const fits = (text: string) => text.length <= max || [...text].length <= max;
  return z
    .string()
    .check(z.refine(fits, `at most ${max} characters`))
    .register(z.globalRegistry, { maxLength: max });
}
