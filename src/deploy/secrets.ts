/**
 * Which secrets a deployment uploads. The platform's are never replaced: a new value would void what the old
 * one made.
 */
import { randomBytes } from "node:crypto";
import { SECRETS } from "../http/secret-names.ts";

const SECRET_BYTES = 32;

/** The hub's, which is shared with it and so may be given. */
export const HUB_SECRET = "HUB_WEBHOOK_SECRET";
/** Of webhooks. */
const PREFIXED: readonly string[] = [HUB_SECRET, "ALERT_SECRET"];
/** Features that are off without them; somebody has to read their values in the local file. */
const READ_HERE: readonly string[] = ["BACKUP_KEY", "METRICS_TOKEN", "ALERT_SECRET"];

/** Without them the service is closed. */
export const NEEDED: readonly string[] = SECRETS.filter((name) => !READ_HERE.includes(name));
/** Secrets that a deployment may have; they are never made here. */
const OPTIONAL = ["AI_KEY"];

export interface Secrets {
  /** All that the local file shall hold. */
  file: Record<string, string>;
  /** What the platform lacks, to upload. */
  upload: Record<string, string>;
  /** Made now. */
  made: string[];
  /** On the platform, and not in the local file: their values cannot be read any more. */
  lost: string[];
  /** Neither there nor here, and not made because nobody could read them. */
  missing: string[];
  /** Given, but the platform has another one, or one that nobody can compare. */
  ignored: string[];
}

/**
 * @param onPlatform names of the Worker's secrets
 * @param file the local file
 * @param given the environment's variables
 * @param isEphemeral whether this machine ends after the run, and the local file with it
 */
export function chooseSecrets(
  onPlatform: readonly string[],
  file: Record<string, string>,
  given: Record<string, string | undefined>,
  isEphemeral: boolean,
): Secrets {
  const chosen: Secrets = {
    file: { ...file },
    upload: {},
    made: [],
    lost: [],
    missing: [],
    ignored: [],
  };
  for (const name of [...SECRETS, ...OPTIONAL]) {
    const given_value = given[name] === "" ? undefined : given[name];
    const isRequired = (SECRETS as readonly string[]).includes(name);
    if (onPlatform.includes(name)) {
      if (isRequired && file[name] === undefined) chosen.lost.push(name);
      if (given_value !== undefined && given_value !== file[name]) chosen.ignored.push(name);
      continue;
    }
    // Nothing is signed with the file's value yet, so another may take its place.
    const value = given_value ?? file[name];
    if (value !== undefined && value !== "") chosen.upload[name] = value;
    else if (!isRequired) continue;
    // The hub must get the same value, from the local file.
    else if (name === HUB_SECRET && isEphemeral) chosen.missing.push(name);
    else if (READ_HERE.includes(name) && isEphemeral) continue;
    else {
      chosen.upload[name] = makeSecret(name);
      chosen.made.push(name);
    }
  }
  Object.assign(chosen.file, chosen.upload);
  return chosen;
}

/** A new value: 32 random bytes in base64. */
export function makeSecret(name: string): string {
  const value = randomBytes(SECRET_BYTES).toString("base64");
  return PREFIXED.includes(name) ? `whsec_${value}` : value;
}
