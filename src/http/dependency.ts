/** What fails behind a route, or does not answer, becomes its 503. */
import { withTimeout } from "../../objects/platform/clock.ts";
import { logError } from "../../objects/platform/log.ts";
import { dependencyDown } from "./api-error.ts";
import { DEPENDENCY_TIMEOUT_MS } from "./limits.ts";

/** The work's value. Throws 503, and writes one line of the log, when it fails or takes over 15 s. */
export async function callDependency<T>(event: string, work: () => Promise<T>): Promise<T> {
  try {
    return await withTimeout(work(), DEPENDENCY_TIMEOUT_MS);
  } catch (error) {
    logError(event, {}, error);
    throw dependencyDown(error);
  }
}
