/** Keyed hashes: names that tell nothing to whoever does not have the deployment's secret. */
import { utf8 } from "./bytes.ts";

const ALGORITHM = { name: "HMAC", hash: "SHA-256" };

/** Keys by their secret: imported once per isolate, since secrets are the deployment's, not the request's. */
const imported = new Map<string, CryptoKey>();
/** More than a deployment has; only tests change secrets while the isolate lives. */
const KEYS_MAX = 8;

/** HMAC-SHA256, 32 bytes. `name` is what the secret is called, for whoever forgot to set it. */
export async function hmac(name: string, secret: string, text: string): Promise<Uint8Array> {
  return new Uint8Array(
    await crypto.subtle.sign("HMAC", await importKey(name, secret), utf8(text)),
  );
}

/** What is shared between requests is the key, never the promise of it, which belongs to one of them. */
async function importKey(name: string, secret: string): Promise<CryptoKey> {
  const known = imported.get(secret);
  if (known !== undefined) return known;
  // Without a secret every name could be guessed back into what it names.
  if (!secret) throw new Error(`${name} is not set`);
  const key = await crypto.subtle.importKey("raw", utf8(secret), ALGORITHM, false, ["sign"]);
  if (imported.size >= KEYS_MAX) imported.clear();
  imported.set(secret, key);
  return key;
}
