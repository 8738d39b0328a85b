/**
 * Tokens of downloads (docs/security.md S28): `dl_`, the payload in base64url, `.`, and HMAC-SHA256 by
 * SESSION_KEY over both.
 *
 * - A voucher is a creator's: many people may open it, and each gets a token.
 * - A token is one person's: all requests with it, resumptions included, are one use.
 */
import * as z from "zod/mini";
import { utf8 } from "../../http/bytes.ts";
import { requireConfig } from "../../http/config.ts";
import { Id } from "../../http/ids.ts";
import { SIGNATURE } from "../../http/secret.ts";
import { DOWNLOAD_TOKEN_CHARS_MAX } from "./limits.ts";

const Voucher = z.object({
  id: Id,
  uses_max: z.nullable(z.int()),
  /** Unix seconds. */
  expires_s: z.int(),
});

const Payload = z.object({
  /** Why the download is allowed: the block's access at that time, or a creator's link. */
  grant: z.enum(["free", "tip", "subscriber", "link"]),
  file_id: Id,
  page_id: Id,
  link_id: Id,
  voucher: z.nullable(Voucher),
  /** Null in a voucher. */
  token_id: z.nullable(Id),
  /** Unix seconds. */
  expires_s: z.int(),
});
export type DownloadToken = z.infer<typeof Payload>;

const PREFIX = "dl_";
const FORM = new RegExp(`^dl_([A-Za-z0-9_-]+)\\.(${SIGNATURE})$`);
/** SESSION_KEY has other uses. */
const LABEL = "download\n";
const ID_BYTES = 16;

export function signToken(env: Cloudflare.Env, token: DownloadToken): string {
  const payload = base64url(utf8(JSON.stringify({ v: 1, ...token })));
  return `${PREFIX}${payload}.${base64url(keyOf(env).sign(LABEL + payload))}`;
}

/** The token if its signature is right; it may have expired. */
export function verifyToken(env: Cloudflare.Env, text: string): DownloadToken | null {
  if (text.length > DOWNLOAD_TOKEN_CHARS_MAX) return null;
  const [, payload, signature] = FORM.exec(text) ?? [];
  if (payload === undefined || signature === undefined) return null;
  const signed = utf8(LABEL + payload);
  if (!keyOf(env).verify(bytesOf(signature), signed)) return null;
  // Another version of this code may have signed it.
  return Payload.safeParse(JSON.parse(new TextDecoder().decode(bytesOf(payload)))).data ?? null;
}

/** The id of this person's one use of each block of the page. */
export function personalTokenId(env: Cloudflare.Env, page_id: string, person: string): string {
  const mac = keyOf(env).sign(`download-person\n${page_id}\n${person}`);
  return base64url(mac.subarray(0, ID_BYTES));
}

function keyOf(env: Cloudflare.Env) {
  return requireConfig(env, "counting").SESSION_KEY;
}

function base64url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.fromBase64(text, { alphabet: "base64url" });
}
