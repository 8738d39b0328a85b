/** What a run prints, and a step that changes something. */
import { DeployError } from "./deploy-error.ts";
import { WranglerFailed } from "./wrangler.ts";

export const AGAIN = "What was done before stays. Mend the cause and run the same command again.";

export const say = (line: string) => console.log(line);

/** Says what was done, or in a dry run what would be. @throws {DeployError} with wrangler's words and this advice */
export async function step(
  dry_run: boolean,
  what: string,
  work: () => Promise<unknown>,
  advice = "",
): Promise<void> {
  if (dry_run) {
    say(`  would ${what}`);
    return;
  }
  try {
    await work();
  } catch (error) {
    if (!(error instanceof WranglerFailed)) throw error;
    throw new DeployError(error.message, `${advice}${AGAIN}`);
  }
  say(`✓ ${what}`);
}
