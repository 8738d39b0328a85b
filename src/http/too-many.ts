/**
 * The 429 of every limit (docs/contract.md sections 3 and 6). A request after its `Retry-After` is
 * admitted (docs/security.md S1).
 */
import { SECOND_MS } from "../../objects/platform/clock.ts";
import { ApiError } from "./api-error.ts";

/** @param reset_ms milliseconds until one more is admitted */
export function tooMany(
  limit: { scope?: string; limit: number | undefined; window_s: number },
  reset_ms: number,
  code: "RATE_LIMITED" | "DAY_LIMIT" | "AI_QUOTA_EXCEEDED" = "RATE_LIMITED",
): ApiError {
  const retry_after_s = seconds(reset_ms);
  return new ApiError(code, {
    details: { ...limit, retry_after_s },
    headers: { "Retry-After": String(retry_after_s) },
  });
}

export function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / SECOND_MS));
}
