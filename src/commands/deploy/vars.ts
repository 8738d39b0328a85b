/** The variables of a deployment: from where each comes, and which must not leave this machine. */
import { SECRETS } from "../../http/secret-names.ts";
import { DeployError } from "./deploy-error.ts";

type Texts = Record<string, string>;

/** The cookie of the demo of the account hub; wrangler.toml of 3.1 had it. */
export const DEVELOPMENT_COOKIE = "hub_session";

/**
 * The variables that differ from wrangler.toml's: kept by earlier runs, then from the environment, then `--set`.
 *
 * @throws {DeployError} where `--set` names no variable of wrangler.toml
 */
export function chooseVars(
  known: Texts,
  kept: Texts,
  environment: Record<string, string | undefined>,
  set: Texts,
): Texts {
  const unknown = Object.keys(set).filter((name) => !Object.hasOwn(known, name));
  if (unknown.length > 0) {
    const isSecret = unknown.some((name) => (SECRETS as readonly string[]).includes(name));
    throw new DeployError(
      `--set ${unknown.join(", ")}: wrangler.toml has no such variable.`,
      isSecret
        ? "It is a secret: give it in the environment, where other programs cannot see it."
        : `Its variables are: ${Object.keys(known).join(", ")}.`,
    );
  }
  const chosen: Texts = {};
  for (const name of Object.keys(known)) {
    const value = set[name] ?? environment[name] ?? kept[name];
    if (value !== undefined) chosen[name] = value;
  }
  // A deployment of 3.1 that was not given one has it, and goes on.
  if (chosen.HUB_URL) chosen.HUB_SESSION_COOKIE ??= DEVELOPMENT_COOKIE;
  return chosen;
}

/** Values that are for development alone, and that the service takes. */
export function developmentValues(vars: Texts): [name: string, reason: string][] {
  return vars.HUB_SESSION_COOKIE === DEVELOPMENT_COOKIE
    ? [["HUB_SESSION_COOKIE", "is still that of the development's hub"]]
    : [];
}
