/**
 * The secrets that only this service uses. Each is set by its own name, or else derived from
 * SILA_KEY, so that a deployment needs one secret: HKDF-SHA-256 (RFC 5869) of its text, without a
 * salt, with the info `sila ` and the secret's name. A name must never change, nor be used again
 * for something else.
 */
import { hkdfSync } from "node:crypto";

export const DERIVED = [
  "SENDER_KEY",
  "SESSION_KEY",
  "SETUP_CODE",
  "BACKUP_KEY",
  "METRICS_TOKEN",
  "ALERT_SECRET",
] as const;

export type DerivedName = (typeof DERIVED)[number];

const KEY_BYTES = 32;
/** Short, because somebody types it. */
const SETUP_CODE_BYTES = 16;

/** Checks nothing; undefined without the secret and SILA_KEY. */
export function secretIn(
  settings: { readonly [name in DerivedName | "SILA_KEY"]?: string | undefined },
  name: DerivedName,
): string | undefined {
  const { SILA_KEY } = settings;
  return settings[name] || (SILA_KEY ? deriveSecret(SILA_KEY, name) : undefined);
}

/** Hex; `whsec_` and base64 for webhooks; base64url for typing. */
export function deriveSecret(sila_key: string, name: DerivedName): string {
  const bytes = (length: number) =>
    Buffer.from(hkdfSync("sha256", sila_key, "", `sila ${name}`, length));
  if (name === "SETUP_CODE") return bytes(SETUP_CODE_BYTES).toString("base64url");
  if (name === "ALERT_SECRET") return `whsec_${bytes(KEY_BYTES).toString("base64")}`;
  // Base64 would have the word of an example once in some ten million, and be refused for ever.
  return bytes(KEY_BYTES).toString("hex");
}
