/** Whose account it is: signs in where nobody is, and chooses among several. */
import { ask } from "./ask.ts";
import { DeployError } from "./deploy-error.ts";
import type { Options } from "./options.ts";
import { type Account, readAccounts } from "./platform.ts";
import { say } from "./step.ts";
import { type Wrangler, wranglerWith } from "./wrangler.ts";

/**
 * @param configured the account_id of wrangler.toml
 * @param kept the account of earlier runs
 */
export async function signIn(
  options: Options,
  configured: string | undefined,
  kept: string | undefined,
): Promise<{ wrangler: Wrangler; account: string }> {
  const given = givenAccount(options, configured, process.env.CLOUDFLARE_ACCOUNT_ID, kept);
  const has_token = (process.env.CLOUDFLARE_API_TOKEN ?? "") !== "";
  // A token may be too narrow to list the account that it belongs to; the next command shows whether it is right.
  const account = has_token && given !== undefined ? given : await chosenAccount(given, has_token);
  return { wrangler: wranglerWith({ CLOUDFLARE_ACCOUNT_ID: account }), account };
}

/**
 * A second service by mistake, in another account, would begin with no page and no count: only `--account`
 * moves one.
 */
export function givenAccount(
  { account, environment }: Pick<Options, "account" | "environment">,
  configured: string | undefined,
  from_environment: string | undefined,
  kept: string | undefined,
): string | undefined {
  const wanted = account ?? kept;
  const [other, source] =
    configured !== undefined
      ? [configured, "account_id in wrangler.toml"]
      : [
          account === undefined ? from_environment || undefined : undefined,
          "CLOUDFLARE_ACCOUNT_ID",
        ];
  if (other === undefined || wanted === undefined || other === wanted) return wanted ?? other;
  throw new DeployError(
    `${environment} is in the account ${wanted}, and ${source} names ${other}.`,
    configured !== undefined
      ? "Mend wrangler.toml, or give its account with --account."
      : "Unset it, or choose one with --account.",
  );
}

async function chosenAccount(given: string | undefined, has_token: boolean): Promise<string> {
  const wrangler = wranglerWith({});
  let accounts = await readAccounts(wrangler);
  if (
    accounts === null &&
    !has_token &&
    process.stdin.isTTY &&
    (await wrangler.attend(["login"]))
  ) {
    accounts = await readAccounts(wrangler);
  }
  if (accounts === null) {
    throw new DeployError(
      has_token ? "The platform refuses CLOUDFLARE_API_TOKEN." : "Nobody is signed in.",
      'Run: npx wrangler login. Or make a token from the template "Edit Cloudflare Workers" with D1 added, and set CLOUDFLARE_API_TOKEN.',
    );
  }
  if (given !== undefined) {
    if (accounts.some(({ id }) => id === given)) return given;
    throw new DeployError(`You have no account ${given}.`, choices(accounts));
  }
  const [only, second] = accounts;
  if (only === undefined) {
    throw new DeployError(
      "The platform names no account of yours.",
      "Give its id with --account; it is in the address of the dashboard.",
    );
  }
  if (second === undefined) return only.id;
  say("You have several accounts:");
  for (const [i, { id, name }] of accounts.entries()) say(`  ${i + 1}  ${name} (${id})`);
  const chosen = accounts[Number(await ask("The number of the one to use: ")) - 1];
  if (chosen !== undefined) return chosen.id;
  throw new DeployError("You have several accounts.", choices(accounts));
}

function choices(accounts: readonly Account[]): string {
  return `Choose one with --account: ${accounts.map(({ id, name }) => `${id} (${name})`).join(", ")}`;
}
