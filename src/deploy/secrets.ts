/**
 * Which secrets a deployment uploads. The platform's are never replaced: a new value would void what the old one made.
 */
import { randomBytes } from "node:crypto";
import { SECRETS } from "../http/secret-names.ts";
import { type Wrangler, WranglerFailed } from "./wrangler.ts";

const SECRET_BYTES = 32;

/** The hub must get the same value. */
export const HUB_SECRET = "HUB_WEBHOOK_SECRET";
/** With it the first owner makes their account, once; somebody types it or opens its address. */
export const SETUP_CODE = "SETUP_CODE";
const SETUP_CODE_BYTES = 16;
/** Of webhooks. */
const PREFIXED: readonly string[] = [HUB_SECRET, "ALERT_SECRET"];
/** Those whose values nobody has to know. */
const UNSEEN: readonly string[] = ["SENDER_KEY", "SESSION_KEY"];
/** A deployment may have them, from others; they are never made here. */
const OPTIONAL: readonly string[] = [
  "AI_KEY",
  "OIDC_CLIENT_SECRET",
  "GOOGLE_CLIENT_SECRET",
  "GITHUB_CLIENT_SECRET",
];
/** Every deployment of Sila has one of them, also while the first is being exchanged. */
const OWN: readonly string[] = ["SENDER_KEY", HUB_SECRET, SETUP_CODE];

export interface Secrets {
  /** What the platform lacks, and has a value here. */
  given: Record<string, string>;
  /** What it lacks, and was made now. */
  made: Record<string, string>;
  /** Given, but the platform has one, which may be another. */
  ignored: string[];
  /** Needed, and neither there nor here, and not made because nobody could read it. */
  lacking: string[];
}

/** The names of a Worker's secrets; null where the account has no such Worker. @throws {WranglerFailed} */
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

/** Whether a Worker with these secrets is a deployment of Sila. */
export function isOwn(on_platform: readonly string[]): boolean {
  return on_platform.some((name) => OWN.includes(name));
}

/** What decides which secrets are made. */
export interface Making {
  /** Whether this machine ends with the run: then none is made that somebody must read later. */
  isEphemeral: boolean;
  /** Whether the accounts are an account hub's. */
  hasHub: boolean;
  /** Whether a setup code is made that takes the place of another. */
  newSetupCode: boolean;
}

/**
 * @param on_platform names of the Worker's secrets
 * @param local what an earlier run kept
 * @param given the environment's variables
 */
export function chooseSecrets(
  on_platform: readonly string[],
  local: Record<string, string>,
  given: Record<string, string | undefined>,
  { isEphemeral, hasHub, newSetupCode }: Making,
): Secrets {
  const chosen: Secrets = { given: {}, made: {}, ignored: [], lacking: [] };
  const isMade = (name: string) => {
    if (name === HUB_SECRET) return hasHub;
    // A service that runs has its first owner, or a code that somebody has.
    if (name === SETUP_CODE) return !hasHub && !isOwn(on_platform);
    return !OPTIONAL.includes(name);
  };
  for (const name of [...SECRETS, ...OPTIONAL]) {
    const value = given[name] || local[name];
    if (name === SETUP_CODE && newSetupCode) chosen.given[name] = makeSecret(name);
    else if (on_platform.includes(name)) {
      if (given[name] && given[name] !== local[name]) chosen.ignored.push(name);
    } else if (value) chosen.given[name] = value;
    else if (isMade(name)) {
      if (!isEphemeral || UNSEEN.includes(name)) chosen.made[name] = makeSecret(name);
      else if (name === HUB_SECRET || name === SETUP_CODE) chosen.lacking.push(name);
    }
  }
  return chosen;
}

/** A new value: 32 random bytes in base64, or a setup code, which stands in an address. */
export function makeSecret(name: string): string {
  if (name === SETUP_CODE) return randomBytes(SETUP_CODE_BYTES).toString("base64url");
  const value = randomBytes(SECRET_BYTES).toString("base64");
  return PREFIXED.includes(name) ? `whsec_${value}` : value;
}
