import { DeployError } from "./deploy-error.ts";
import { WranglerFailed } from "./wrangler.ts";

export const AGAIN = "What was done before stays. Mend the cause and run the same command again.";

const REFUSED_DOMAINS: Record<number, string> = {
  10082: "The platform cannot tell to which zone of this account the domain belongs.",
  10083: "The account has no zone of this domain.",
};
const DOMAIN_ADVICE =
  "Add the domain to this account in the dashboard, or give another --domain; without one: --domain=\n" +
  "Or write the route with its zone_name into wrangler.toml. The Worker is uploaded, and has no address yet.\n";

export const say = (line: string) => console.log(line);

/** A dry run says what would be done. @throws {DeployError} wrangler's words and this advice */
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
    const refused = error.code === undefined ? undefined : REFUSED_DOMAINS[error.code];
    throw new DeployError(refused ?? error.message, `${refused ? DOMAIN_ADVICE : advice}${AGAIN}`);
  }
  say(`✓ ${what}`);
}
