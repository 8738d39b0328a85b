import { PRODUCTION } from "./configuration.ts";
import { domainIn } from "./domain.ts";
import { addressIn, BadOptions, environmentIn, parseOptions } from "./options.ts";

export const HELP = `npm run deploy [-- options]

Makes a running service from this checkout and a Cloudflare account, or brings it up to date.
Run again, it replaces no secret, makes nothing twice, and uploads the code again.

  --dry-run            say what would be done, and bundle the code; change nothing in the account
  --env <name>         another service beside production, e.g. staging: own name, databases, KV, buckets and secrets
  --set NAME=VALUE     a variable of wrangler.toml's [vars]; kept for later runs. Repeat it for more:
                       SIGN_UP says who may make an account; HUB_URL, AUTH_URL and HUB_SESSION_COOKIE
                       are needed once where an account hub has the accounts
  --domain <domain>    the service's own, of a zone in the account, e.g. links.example.com; kept for later runs. A new
                       service is asked for it at a terminal; --domain= is the address below workers.dev
  --url <address>      where the service is reached, where neither of these is right; kept for later runs
  --new-setup-code     makes a code with which one more owner makes an account, and says its address
  --show <name>        prints a secret of the deployment and does nothing else: METRICS_TOKEN, ALERT_SECRET, BACKUP_KEY
  --help

One secret is made here, SILA_KEY, from which the service derives the others. It is kept in .sila/<env>.secrets.json and
never printed. To give it or another one yourself (the hub's HUB_WEBHOOK_SECRET, the AI_KEY), set it in the environment
of the first run. Variables may come from there too.
The account is that of npx wrangler login, or of CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID.
`;

export interface Options {
  environment: string;
  dry_run: boolean;
  set: Record<string, string>;
  url: string | undefined;
  domain: string | undefined;
  newSetupCode: boolean;
  show: string | undefined;
}

/** Null for help. @throws {BadOptions} */
export function readOptions(args: readonly string[]): Options | null {
  const values = parseOptions(args, {
    "dry-run": { type: "boolean", default: false },
    env: { type: "string", default: PRODUCTION },
    set: { type: "string", multiple: true, default: [] },
    url: { type: "string" },
    domain: { type: "string" },
    "new-setup-code": { type: "boolean", default: false },
    show: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  });
  if (values.help) return null;
  const set: Record<string, string> = {};
  for (const pair of values.set) {
    const [, name, value] = /^([A-Z][A-Z0-9_]*)=(.*)$/s.exec(pair) ?? [];
    if (name === undefined || value === undefined) {
      throw new BadOptions(`--set takes NAME=VALUE, not "${pair}"`);
    }
    set[name] = value;
  }
  return {
    environment: environmentIn(values.env),
    dry_run: values["dry-run"],
    set,
    url: addressIn(values.url),
    domain: values.domain === undefined ? undefined : domainIn(values.domain),
    newSetupCode: values["new-setup-code"],
    show: values.show,
  };
}
