/** The one way from what a client sent to what we work with. */
import type * as z from "zod";
import { ApiError } from "./api-error.ts";

/** The value as the schema's output. Throws 400 VALIDATION_FAILED with each issue's path and message. */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => ({
    path: path.join("."),
    message,
  }));
  throw new ApiError("VALIDATION_FAILED", { details: { issues } });
}
