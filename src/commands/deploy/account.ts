import { DeployError } from "./deploy-error.ts";
import type { KeptFiles } from "./kept.ts";
import { Wrangler, WranglerFailed } from "./wrangler.ts";

/**
 * Chooses the account of earlier runs, else `configured` in wrangler.toml, else the user's only
 * one. A second service by mistake, in another account, would begin with no page and no count.
 */
export async function chooseAccount(
  configured: string | undefined,
  files: KeptFiles,
): Promise<string> {
  const kept = files.read().account;
  const given = configured ?? (process.env.CLOUDFLARE_ACCOUNT_ID || undefined);
  if (kept !== undefined && given !== undefined && given !== kept) {
    throw new DeployError(
      `The service is in the account ${kept}, and ${given} was given.`,
      `Look at account_id in wrangler.toml and CLOUDFLARE_ACCOUNT_ID. To begin another service there: take "account" out of ${files.path}.`,
    );
  }
  return kept ?? given ?? (await onlyAccount(files));
}

async function onlyAccount(files: KeptFiles): Promise<string> {
  let accounts: { id: string; name: string }[];
  try {
    const who = await new Wrangler(files.folder).ask(["whoami", "--json"]);
    ({ accounts } = who as { accounts: typeof accounts });
  } catch (error) {
    if (!(error instanceof WranglerFailed)) throw error;
    throw new DeployError(
      `Nobody is signed in: ${error.reason}`,
      'Run: npx wrangler login. Or make a token from the template "Edit Cloudflare Workers" with D1 added, and set CLOUDFLARE_API_TOKEN.',
    );
  }
  const [only, second] = accounts;
  if (only !== undefined && second === undefined) return only.id;
  throw new DeployError(
    only === undefined ? "Wrangler names no account of yours." : "You have several accounts.",
    `Set CLOUDFLARE_ACCOUNT_ID to one${accounts.map(({ id, name }) => `\n  ${id}  ${name}`).join("")}`,
  );
}
