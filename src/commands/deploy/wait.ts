import release from "../../../package.json" with { type: "json" };
import { untilWell } from "./health.ts";
import { say } from "./step.ts";

/** A new version is everywhere within seconds; a new workers.dev address takes longer. */
const WAIT_MS = 60_000;
/** A certificate of a new domain takes minutes. */
const CERTIFICATE_MS = 10 * 60_000;

export async function waitUntilWell(
  url: string | undefined,
  workers: readonly string[],
  isNewHost: boolean,
): Promise<number> {
  if (url === undefined) {
    say("  The address of the service is not known here: give it with --url.");
    return 0;
  }
  if (isNewHost) say(`  waits for ${url}, whose certificate takes some minutes`);
  const faults = await untilWell(url, isNewHost ? CERTIFICATE_MS : WAIT_MS, release.version);
  if (faults.length === 0) {
    say(`✓ ${url} is well, version ${release.version}`);
    return 0;
  }
  console.error(`✗ ${url} is not well:`);
  for (const fault of faults) console.error(`  ${fault}`);
  console.error("  Mend it and run the same command again, or go back to the version before:");
  for (const worker of workers) {
    console.error(`  npx wrangler versions list --name ${worker}`);
    console.error(`  npx wrangler rollback <version> --name ${worker}`);
  }
  return 1;
}
