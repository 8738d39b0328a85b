/** JSON Merge Patch (RFC 7396 section 2): one function, so no dependency. */
import { ApiError } from "../http/api-error.ts";
import { PATCH_DEPTH_MAX } from "./limits.ts";

/**
 * Throws 400 past {@link PATCH_DEPTH_MAX} levels: each is a call, and a body has room for 40,000.
 */
export function mergePatch(target: unknown, patch: unknown, depth = 0): unknown {
  if (!isObject(patch)) return patch;
  if (depth === PATCH_DEPTH_MAX) {
    const issues = [{ path: "", message: `nested more than ${PATCH_DEPTH_MAX} levels deep` }];
    throw new ApiError("VALIDATION_FAILED", { details: { issues } });
  }
  // A map, because `__proto__` is a member like any other.
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value, depth + 1));
  }
  return Object.fromEntries(merged);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
