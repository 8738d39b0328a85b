import { withTimeout } from "../../objects/platform/clock.ts";
import { logError } from "../../objects/platform/log.ts";
import { dependencyDown } from "./api-error.ts";
import { DEPENDENCY_TIMEOUT_MS } from "./limits.ts";

/** Throws 503 and logs `event` when `work` fails or takes longer, by default over 15 s. */
export async function callDependency<T>(
  event: string,
  work: () => Promise<T>,
  timeout_ms = DEPENDENCY_TIMEOUT_MS,
): Promise<T> {
  try {
    return await withTimeout(work(), timeout_ms);
  } catch (error) {
    logError(event, {}, error);
    throw dependencyDown(error);
  }
}
