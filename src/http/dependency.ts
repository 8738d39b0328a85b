/** A call to a dependency, as a route makes it. */
import { withTimeout } from "../../objects/platform/clock.ts";
import { logError } from "../../objects/platform/log.ts";
import { dependencyDown } from "./api-error.ts";
import { DEPENDENCY_TIMEOUT_MS } from "./limits.ts";

/** The result of `work`. Throws 503 and logs `event` when it fails or takes over 15 s. */
export async function callDependency<T>(event: string, work: () => Promise<T>): Promise<T> {
  try {
    return await withTimeout(work(), DEPENDENCY_TIMEOUT_MS);
  } catch (error) {
    logError(event, {}, error);
    throw dependencyDown(error);
  }
}
