/** The command line of `npm run deploy`. */
import { parseArgs } from "node:util";
import { PRODUCTION } from "./configuration.ts";

export const HELP = `npm run deploy [-- options]

Makes a running service from this checkout and a Cloudflare account, or brings it up to date.
Run again, it changes nothing that is right.

  --dry-run            print the plan, change nothing
  --env <name>         another service beside production, e.g. staging: own name, database, KV and bucket
  --set NAME=VALUE     a variable of wrangler.toml's [vars]; kept for later runs. Repeat it for more:
                       HUB_URL, AUTH_URL and HUB_SESSION_COOKIE of your account hub are needed once
  --url <address>      where the service is reached, if not at its workers.dev address; kept for later runs
  --account <id>       the account, where you have several; kept for later runs
  --wait <seconds>     how long the service may take to be well (60)
  --rollback [version] go back to the version before, or to this one
  --open               open the address in a browser
  --help

Secrets are made here, kept in .sila/<env>.secrets.json and never printed. To give one yourself (the hub's
HUB_WEBHOOK_SECRET, the AI_KEY), set it in the environment of the first run. Variables may come from there too.
`;

export interface Options {
  environment: string;
  dry_run: boolean;
  set: Record<string, string>;
  url: string | undefined;
  account: string | undefined;
  wait_s: number;
  /** `''`: the version before. */
  rollback: string | undefined;
  open: boolean;
}

const WAIT_S = { usual: 60, max: 600 };

const OPTIONS = {
  "dry-run": { type: "boolean", default: false },
  env: { type: "string", default: PRODUCTION },
  set: { type: "string", multiple: true, default: [] as string[] },
  url: { type: "string" },
  account: { type: "string" },
  wait: { type: "string", default: String(WAIT_S.usual) },
  rollback: { type: "boolean", default: false },
  open: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** What is wrong with the name of an environment, which becomes a part of names of the account; null if nothing. */
export function environmentFault(environment: string): string | null {
  return /^[a-z](?:[a-z0-9-]{0,18}[a-z0-9])?$/.test(environment)
    ? null
    : "--env takes a name of small letters, digits and hyphens";
}

/**
 * Flags that npm took for its own, because they were given without `--`: `npm run deploy --dry-run` would deploy.
 *
 * @param flags those of the command
 * @param env npm's, in which each of its flags is a variable
 */
export function takenByNpm(
  flags: readonly string[],
  env: Record<string, string | undefined>,
): string | null {
  const taken = flags.filter(
    (flag) => env[`npm_config_${flag.replaceAll("-", "_")}`] !== undefined,
  );
  if (taken.length === 0) return null;
  const command = env.npm_lifecycle_event ?? "deploy";
  return `npm took --${taken.join(", --")} for itself. Write -- before it: npm run ${command} -- --${taken[0]}`;
}

/** The options; null for `--help`; a text where they are invalid. */
export function readOptions(args: readonly string[]): Options | null | string {
  const taken = takenByNpm(Object.keys(OPTIONS), process.env);
  if (taken !== null) return taken;
  let values: ReturnType<typeof parse>["values"];
  let positionals: string[];
  try {
    ({ values, positionals } = parse(args));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  if (values.help) return null;
  const environment = values.env;
  const fault = environmentFault(environment);
  if (fault !== null) return fault;
  const set: Record<string, string> = {};
  for (const pair of values.set) {
    const [, name, value] = /^([A-Z][A-Z0-9_]*)=(.*)$/s.exec(pair) ?? [];
    if (name === undefined || value === undefined) return `--set takes NAME=VALUE, not "${pair}"`;
    set[name] = value;
  }
  const url = values.url?.replace(/\/+$/, "");
  if (url !== undefined && !/^https?:\/\/[^/?#\s]+$/.test(url)) {
    return "--url takes an address such as https://sila.example";
  }
  const wait_s = Number(values.wait);
  if (!(wait_s >= 0 && wait_s <= WAIT_S.max)) return `--wait takes 0 to ${WAIT_S.max} seconds`;
  const { account } = values;
  if (account !== undefined && !/^[0-9a-f]{32}$/.test(account)) {
    return "--account takes the id of an account, 32 digits and letters a to f";
  }
  if (values.rollback && values.set.length > 0) {
    return "--rollback takes no --set: an older version comes back with its own variables";
  }
  if (positionals.length > (values.rollback ? 1 : 0)) return `unknown: ${positionals.join(" ")}`;
  return {
    environment,
    dry_run: values["dry-run"],
    set,
    url,
    account,
    wait_s,
    rollback: values.rollback ? (positionals[0] ?? "") : undefined,
    open: values.open,
  };
}

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
}
