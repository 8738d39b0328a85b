/**
 * The link by which one subscriber leaves, for mails that creators send themselves (docs/security.md S28). Its
 * token is `nu_`, the ids of page and subscriber, and HMAC-SHA256 by SESSION_KEY over both, with dots between. It
 * can neither confirm nor open files. It stays valid with the key, so that a second use is no error.
 */
import { utf8 } from "../../http/bytes.ts";
import { requireConfig, siteOrigin } from "../../http/config.ts";
import { SIGNATURE } from "../../http/secret.ts";

export const UNSUBSCRIBE_PATH = "/newsletter/unsubscribe";

const PREFIX = "nu_";
const ID = "[A-Za-z0-9_-]{1,64}";
const FORM = new RegExp(`^nu_(${ID})\\.(${ID})\\.(${SIGNATURE})$`);

export function unsubscribeLinks(
  env: Cloudflare.Env,
  page_id: string,
): (subscriber_id: string) => string | null {
  const [key, origin] = [keyOf(env), siteOrigin(env)];
  return (id) => {
    if (origin === "") return null;
    const mac = key
      .sign(signed(page_id, id))
      .toBase64({ alphabet: "base64url", omitPadding: true });
    return `${origin}${UNSUBSCRIBE_PATH}?token=${PREFIX}${page_id}.${id}.${mac}`;
  };
}

export function isUnsubscribeToken(token: string): boolean {
  return token.startsWith(PREFIX);
}

/** The id of a subscriber, who may have left; null for a wrong signature. */
export function subscriberOfUnsubscribeToken(
  env: Cloudflare.Env,
  token: string,
): { page_id: string; id: string } | null {
  const [, page_id, id, mac] = FORM.exec(token) ?? [];
  if (page_id === undefined || id === undefined || mac === undefined) return null;
  const bytes = Uint8Array.fromBase64(mac, { alphabet: "base64url" });
  return keyOf(env).verify(bytes, utf8(signed(page_id, id))) ? { page_id, id } : null;
}

/** SESSION_KEY has other uses. */
function signed(page_id: string, id: string): string {
  return `unsubscribe\n${page_id}\n${id}`;
}

function keyOf(env: Cloudflare.Env) {
  return requireConfig(env, "counting").SESSION_KEY;
}
