/** Text of a bounded length, as a zod schema. */
import * as z from "zod";

/**
 * At most `max` characters as readers and JSON Schema count them: code points. zod's own `max` counts
 * UTF-16 units, and would refuse fifty-one emoji where the document allows a hundred.
 */
export function boundedText(max: number) {
  return z
    .string()
    .refine((text) => text.length <= max || [...text].length <= max, `at most ${max} characters`)
    .meta({ maxLength: max });
}
