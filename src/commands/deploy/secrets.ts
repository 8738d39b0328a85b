/** Secrets for the upload. The platform's stay: a new value would void what the old one made. */
import { randomBytes } from "node:crypto";
import { DERIVED, deriveSecret, secretIn } from "../../../objects/platform/secrets.ts";
import { SECRETS } from "../../http/secret-names.ts";
import { DeployError } from "./deploy-error.ts";
import { type Wrangler, WranglerFailed } from "./wrangler.ts";

const SECRET_BYTES = 32;

/** The service derives its secrets from this one, but for those that have a value of their own. */
export const SILA_KEY = "SILA_KEY";
/** The hub must get the same value. */
export const HUB_SECRET = "HUB_WEBHOOK_SECRET";
/** The first owner makes their account with it, once; somebody types it or opens its address. */
export const SETUP_CODE = "SETUP_CODE";
/** No service runs without these. */
const NEEDED = ["SENDER_KEY", "SESSION_KEY"] as const;
/** Others give these to a deployment; they are never made here. */
const OPTIONAL: readonly string[] = [
  "AI_KEY",
  "OIDC_CLIENT_SECRET",
  "GOOGLE_CLIENT_SECRET",
  "GITHUB_CLIENT_SECRET",
];
/** Every deployment of Sila has one of them, also while the first is being exchanged. */
const OWN: readonly string[] = [SILA_KEY, "SENDER_KEY", HUB_SECRET, SETUP_CODE];

export interface Secrets {
  /** The platform lacks these, and they have a value here. */
  given: Record<string, string>;
  /** The platform lacked these, and they were made now. */
  made: Record<string, string>;
  /** The platform has a value too, which may be another. */
  ignored: string[];
  /** Needed secrets that are nowhere, and were not made because nobody could read them. */
  lacking: string[];
}

/** Null where the account has no such Worker. @throws {WranglerFailed} */
export async function secretsOnPlatform(
  wrangler: Wrangler,
  worker: string,
): Promise<string[] | null> {
  try {
    const list = await wrangler.ask(["secret", "list", "--format", "json", "--name", worker]);
    return (list as { name: string }[]).map(({ name }) => name);
  } catch (error) {
    // Not any "not found": a Worker that is taken for missing would get new secrets.
    const words = `Worker "${worker}" not found.`;
    if (error instanceof WranglerFailed && error.reason.startsWith(words)) return null;
    throw error;
  }
}

/** Only a deployment of Sila has such secrets. */
export function isOwn(on_platform: readonly string[]): boolean {
  return on_platform.some((name) => OWN.includes(name));
}

export interface Making {
  /** This machine ends with the run, so no secret is made that somebody must read later. */
  isEphemeral: boolean;
  hasHub: boolean;
  newSetupCode: boolean;
}

/**
 * A new deployment gets a SILA_KEY and nothing else. One that has secrets of their own names, as
 * each had up to 3.1, keeps them, and gets a SILA_KEY only for those that it lacks. `on_platform`
 * are names, `local` what an earlier run kept, `given` the environment's variables.
 */
export function chooseSecrets(
  on_platform: readonly string[],
  local: Record<string, string>,
  given: Record<string, string | undefined>,
  { isEphemeral, hasHub, newSetupCode }: Making,
): Secrets {
  const chosen: Secrets = { given: {}, made: {}, ignored: [], lacking: [] };
  for (const name of [...SECRETS, ...OPTIONAL]) {
    const value = given[name] || local[name];
    if (name === SETUP_CODE && newSetupCode) chosen.given[name] = makeSecret(name);
    else if (on_platform.includes(name)) {
      if (given[name] && given[name] !== local[name]) chosen.ignored.push(name);
    } else if (value) chosen.given[name] = value;
  }
  const lacks = (name: string) => !on_platform.includes(name) && chosen.given[name] === undefined;
  const make = (name: string, isRead: boolean) => {
    if (isEphemeral && isRead) chosen.lacking.push(name);
    else chosen.made[name] = makeSecret(name);
  };
  // A service that runs has its first owner, or a code that somebody has.
  const needsCode = !hasHub && !isOwn(on_platform) && lacks(SETUP_CODE);
  // In CI nobody would know the key, so it is made for nothing but what nobody has to know.
  const needed = isEphemeral ? NEEDED : DERIVED.filter((name) => name !== SETUP_CODE);
  if (lacks(SILA_KEY) && (needsCode || needed.some(lacks))) make(SILA_KEY, needsCode);
  if (lacks(HUB_SECRET) && hasHub) make(HUB_SECRET, true);
  return chosen;
}

/** Own value or derived. @throws {DeployError} where only the platform has it, which shows none */
export function secretToShow(
  name: string,
  local: Record<string, string>,
  on_platform: readonly string[],
): string {
  const derived = DERIVED.find((one) => one === name);
  const hasOwn = on_platform.includes(name);
  const value = derived === undefined || hasOwn ? local[name] : secretIn(local, derived);
  if (value) return value;
  throw new DeployError(
    hasOwn || on_platform.includes(SILA_KEY)
      ? `The value of ${name} is not on this machine, and the platform shows none.`
      : `The deployment has no ${name}.`,
    `Give it one of your own: npx wrangler secret put ${name}`,
  );
}

export function makeSecret(name: string): string {
  const key = randomBytes(SECRET_BYTES);
  const derived = DERIVED.find((one) => one === name);
  // A secret of that name alone is of the same form.
  if (derived !== undefined) return deriveSecret(key.toString("hex"), derived);
  return name === HUB_SECRET ? `whsec_${key.toString("base64")}` : key.toString("hex");
}
