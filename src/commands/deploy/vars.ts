/** The variables of a deployment: the source of each, and which must not leave this machine. */
import { SECRETS } from "../../http/secret-names.ts";
import { DeployError } from "./deploy-error.ts";

type Texts = Record<string, string>;

/** The demo of the account hub has this cookie; wrangler.toml of 3.1 had it. */
export const DEVELOPMENT_COOKIE = "hub_session";

/**
 * Those of earlier runs, then of the environment, then of `--set`, where they differ from
 * wrangler.toml's. @throws {DeployError} where `--set` names no variable of wrangler.toml
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
  // A deployment of 3.1 that was not given a cookie has this one, and goes on.
  if (chosen.HUB_URL) chosen.HUB_SESSION_COOKIE ??= DEVELOPMENT_COOKIE;
  return chosen;
}

/** These values are for development alone, but the service takes them. */
export function developmentValues(vars: Texts): [name: string, reason: string][] {
  return vars.HUB_SESSION_COOKIE === DEVELOPMENT_COOKIE
    ? [["HUB_SESSION_COOKIE", "is still that of the development's hub"]]
    : [];
}
