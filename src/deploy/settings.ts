/** The variables of a deployment: from where each comes, and whether the service would take them. */
import { faultsOf } from "../http/config.ts";
import { SECRETS } from "../http/secret-names.ts";
import { ask, canAsk } from "./ask.ts";
import type { RawConfiguration } from "./configuration.ts";
import { DeployError } from "./deploy-error.ts";
import { makeSecret } from "./secrets.ts";

/** Those in wrangler.toml are the development's: each deployment has its own. */
export const ASKED = {
  HUB_URL: "the address of your account hub, https and without a slash at its end",
  AUTH_URL: "the address of its page for signing in",
  HUB_SESSION_COOKIE: "the name of its session cookie",
} as const;

/**
 * The variables that differ from wrangler.toml's: kept by earlier runs, then from the environment, then `--set`.
 *
 * @throws {DeployError} where `--set` names no variable of wrangler.toml
 */
export function chooseVars(
  raw: RawConfiguration,
  kept: Record<string, string>,
  environment: Record<string, string | undefined>,
  set: Record<string, string>,
): Record<string, string> {
  const known = raw.vars ?? {};
  const unknown = Object.keys(set).filter((name) => !Object.hasOwn(known, name));
  if (unknown.length > 0) {
    const secret = unknown.some((name) => (SECRETS as readonly string[]).includes(name));
    throw new DeployError(
      `--set ${unknown.join(", ")}: wrangler.toml has no such variable.`,
      secret
        ? "It is a secret: give it in the environment, where other programs cannot see it."
        : `Its variables are: ${Object.keys(known).join(", ")}.`,
    );
  }
  const given = Object.entries(environment).filter(([name]) => Object.hasOwn(known, name));
  const chosen = { ...kept, ...Object.fromEntries(given), ...set };
  return Object.fromEntries(
    Object.entries(chosen).filter(
      (one): one is [string, string] => one[1] !== undefined && Object.hasOwn(known, one[0]),
    ),
  );
}

/**
 * What the service would refuse, by the checks that it makes itself; a secret whose value is unknown here passes.
 *
 * @param vars all variables
 * @param secrets the values that are known
 */
export function settingFaults(
  vars: Record<string, string>,
  secrets: Record<string, string>,
): [name: string, reason: string][] {
  const unknown = SECRETS.map((name) => [name, makeSecret(name)]);
  const env = { ...Object.fromEntries(unknown), ...vars, ...secrets };
  return [...faultsOf(env as unknown as Cloudflare.Env)];
}

/** @throws {DeployError} where the service would refuse one of them */
export function refuseFaults(vars: Record<string, string>, secrets: Record<string, string>): void {
  const faults = settingFaults(vars, secrets);
  if (faults.length === 0) return;
  const list = faults.map(([name, reason]) => `${name} ${reason}`).join("; ");
  throw new DeployError(`The service would refuse these settings: ${list}.`, adviceFor(faults));
}

/** Asks at the terminal for what each deployment has of its own, where nothing else said it. */
export async function askForVars(
  known: Record<string, string>,
  vars: Record<string, string>,
): Promise<void> {
  if (!canAsk()) return;
  for (const [name, what] of Object.entries(ASKED)) {
    if (vars[name] !== undefined) continue;
    const usual = name === "HUB_SESSION_COOKIE" ? ` [${known[name]}]` : "";
    const answer = await ask(`${name}, ${what}${usual}: `);
    if (answer !== "") vars[name] = answer;
  }
}

/** How to mend a variable or a secret. */
export function adviceFor(faults: readonly [name: string, reason: string][]): string {
  const names = faults.map(([name]) => name);
  const vars = names.filter((name) => !(SECRETS as readonly string[]).includes(name));
  const advice = vars.map((name) => {
    const what = ASKED[name as keyof typeof ASKED];
    return `  --set ${name}=…${what === undefined ? "" : `   ${what}`}`;
  });
  const secrets = names.filter((name) => !vars.includes(name));
  return [
    ...(vars.length > 0
      ? [`Run: npm run deploy -- with\n${advice.join("\n")}\n  or set them in the environment.`]
      : []),
    ...(secrets.length > 0 ? [`Mend ${secrets.join(", ")} in .sila, or in the environment.`] : []),
  ].join("\n");
}
