import { faultsOf } from "../../http/config.ts";
import { SECRETS } from "../../http/secret-names.ts";
import { DeployError } from "./deploy-error.ts";
import { HUB_SECRET, makeSecret } from "./secrets.ts";

type Texts = Record<string, string>;
export type Fault = [name: string, reason: string];

const ASKED: Texts = {
  HUB_URL: "the address of your account hub, https and without a slash at its end",
  AUTH_URL: "the address of its page for signing in",
  HUB_SESSION_COOKIE: "the name of its session cookie, which begins with __Secure-",
};

export function hasHub({ HUB_URL = "" }: Texts): boolean {
  return HUB_URL !== "";
}

/** The service's own checks; unknown secrets pass. One of the hub needs the hub's address. */
export function settingFaults(
  vars: Texts,
  secrets: Texts,
  on_platform: readonly string[] = [],
): Fault[] {
  const unknown = SECRETS.filter(
    (name) => name !== HUB_SECRET || hasHub(vars) || on_platform.includes(name),
  ).map((name) => [name, makeSecret(name)]);
  // The deployment leaves out what the free plan lacks, so that is no fault of a setting.
  const env = { MAIL: true, ...Object.fromEntries(unknown), ...vars, ...secrets };
  return [...faultsOf(env as unknown as Cloudflare.Env)];
}

/** @throws {DeployError} where there are any */
export function refuseFaults(faults: readonly Fault[]): void {
  if (faults.length === 0) return;
  const list = faults.map(([name, reason]) => `${name} ${reason}`).join("; ");
  throw new DeployError(`These settings cannot be deployed: ${list}.`, adviceFor(faults));
}

export function adviceFor(faults: readonly Fault[]): string {
  const isSecret = ([name]: Fault) => (SECRETS as readonly string[]).includes(name);
  const vars = faults
    .filter((one) => !isSecret(one))
    .map(([name]) => {
      const what = ASKED[name];
      return `  --set ${name}=…${what === undefined ? "" : `   ${what}`}`;
    });
  return [
    ...(vars.length > 0 ? ["Run: npm run deploy -- with", ...vars] : []),
    ...faults.filter(isSecret).map(([name]) => `Mend ${name} in .sila, or in the environment.`),
  ].join("\n");
}
