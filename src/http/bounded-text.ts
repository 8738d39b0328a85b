/** Text of a bounded length, as a zod schema. */
import * as z from "zod";

/**
 * At most `max` code points, as JSON Schema counts characters. zod's own `max` counts UTF-16 units:
 * with a limit of 100 it would refuse 51 emoji.
 */
export function boundedText(max: number) {
  return z
    .string()
    .refine((text) => text.length <= max || [...text].length <= max, `at most ${max} characters`)
    .meta({ maxLength: max });
}
