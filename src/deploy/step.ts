/** What a run prints, and a step that can fail. */
import { DeployError } from "./deploy-error.ts";
import { WranglerFailed } from "./wrangler.ts";

export const AGAIN = "What was done before stays. Mend the cause and run the same command again.";

export const say = (line: string) => console.log(line);
export const done = (line: string) => say(`✓ ${line}`);

/** @throws {DeployError} with wrangler's words and this advice */
export async function step<T>(run: () => Promise<T>, advice: string): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof WranglerFailed)) throw error;
    throw new DeployError(error.message, `${advice}\n  ${AGAIN}`);
  }
}
