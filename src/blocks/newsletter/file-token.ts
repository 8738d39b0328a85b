/**
 * A subscriber's token for files (docs/security.md S28): `sf_`, the subscriber's id, `.`, and
 * HMAC-SHA256 by SESSION_KEY over page and id. It can neither confirm nor unsubscribe, unlike a
 * mail's: people share addresses of downloads. It ends with the subscription.
 */
import { utf8 } from "../../http/bytes.ts";
import { requireConfig } from "../../http/config.ts";
import { SIGNATURE } from "../../http/secret.ts";

const FORM = new RegExp(`^sf_([A-Za-z0-9_-]{1,64})\\.(${SIGNATURE})$`);

export function signFileToken(env: Cloudflare.Env, page_id: string, id: string): string {
  const mac = keyOf(env).sign(signed(page_id, id));
  return `sf_${id}.${mac.toBase64({ alphabet: "base64url", omitPadding: true })}`;
}

/** The id of a subscriber, who may have left; null for a wrong token. */
export function subscriberOfFileToken(
  env: Cloudflare.Env,
  page_id: string,
  token: string,
): string | null {
  const [, id, mac] = FORM.exec(token) ?? [];
  if (id === undefined || mac === undefined) return null;
  const bytes = Uint8Array.fromBase64(mac, { alphabet: "base64url" });
  return keyOf(env).verify(bytes, utf8(signed(page_id, id))) ? id : null;
}

/** SESSION_KEY has other uses. */
function signed(page_id: string, id: string): string {
  return `subscriber-file\n${page_id}\n${id}`;
}

function keyOf(env: Cloudflare.Env) {
  return requireConfig(env, "counting").SESSION_KEY;
}
