import type * as z from "zod/mini";
import { ApiError } from "./api-error.ts";
import "./messages.ts";

const ISSUES_MAX = 100;

/** Throws 400 VALIDATION_FAILED with the path and message of each issue, of 100 at most. */
export function validate<S extends z.ZodMiniType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues.slice(0, ISSUES_MAX).map(({ path, message }) => ({
    path: path.join("."),
    message,
  }));
  throw new ApiError("VALIDATION_FAILED", { details: { issues } });
}
