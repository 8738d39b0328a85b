/**
 * Tokens of downloads (docs/security.md S28): `dl_`, the payload in base64url, `.`, and HMAC-SHA256 by
 * SESSION_KEY over both.
 *
 * - A voucher is what a creator hands out: it may be opened by many, and each gets a token of its own.
 * - A token is one person's: whatever is requested with it, a resumption included, is one use.
 */
import * as z from "zod/mini";
import { utf8 } from "../../http/bytes.ts";
import { requireConfig } from "../../http/config.ts";
import { Id } from "../../http/ids.ts";
import { SIGNATURE } from "../../http/secret.ts";
import { DOWNLOAD_TOKEN_CHARS_MAX } from "./limits.ts";

const Voucher = z.object({
  id: Id,
  /** How many people may use it; null is no limit. */
  uses_max: z.nullable(z.int()),
  /** Unix seconds. */
  expires_s: z.int(),
});

const Payload = z.object({
  /** Why the download is allowed: the access that the block had, or a creator's link. */
  grant: z.enum(["free", "tip", "subscriber", "link"]),
  file_id: Id,
  page_id: Id,
  link_id: Id,
  /** The creator's link by which the token was got; null for another grant. */
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
/** Of an id that is derived. */
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
  // Ours, but another version of this code may have made it.
  return Payload.safeParse(JSON.parse(new TextDecoder().decode(bytesOf(payload)))).data ?? null;
}

/** The id of the one use that this person has of each block of the page. */
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
