/**
 * Standard Webhooks (standardwebhooks.com, specification 1.0), signatures `v1` (docs/security.md
 * S15).
 */
import { ApiError } from "../http/api-error.ts";
import { utf8 } from "../http/bytes.ts";
import type { Secret } from "../http/secret.ts";
import { WEBHOOK_ID_CHARS_MAX, WEBHOOK_SIGNATURES_MAX, WEBHOOK_TOLERANCE_S } from "./limits.ts";

/** No full stop: it separates the id from the rest of the signed text. */
export const WEBHOOK_ID = new RegExp(`^[\\x21-\\x2d\\x2f-\\x7e]{1,${WEBHOOK_ID_CHARS_MAX}}$`);
const TIMESTAMP = /^\d{1,12}$/;
/** 32 bytes in canonical base64: the two unused bits of the last character are zero. */
const SIGNATURE = /^v1,([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)$/;

/**
 * Returns the webhook's id if this secret made one of its signatures over `id.timestamp.body` and its time is
 * within 300 s of `now_ms`. Else throws 401 without the reason.
 */
export async function verifyWebhook(
  secret: Secret,
  headers: Headers,
  body: Uint8Array,
  now_ms: number,
): Promise<string> {
  const id = headers.get("webhook-id") ?? "";
  const timestamp = headers.get("webhook-timestamp") ?? "";
  const age_s = Math.abs(Math.floor(now_ms / 1_000) - Number(timestamp));
  if (!WEBHOOK_ID.test(id) || !TIMESTAMP.test(timestamp) || age_s > WEBHOOK_TOLERANCE_S)
    throw refused();
  const prefix = utf8(`${id}.${timestamp}.`);
  const signed = new Uint8Array(prefix.length + body.length);
  signed.set(prefix);
  signed.set(body, prefix.length);
  // There may be several signatures: during a rotation of the secret, or of other versions.
  const signatures = (headers.get("webhook-signature") ?? "").split(" ", WEBHOOK_SIGNATURES_MAX);
  for (const signature of signatures) {
    const encoded = SIGNATURE.exec(signature)?.[1];
    if (encoded === undefined) continue;
    const bytes = Uint8Array.fromBase64(encoded);
    if (secret.verify(bytes, signed)) return id;
  }
  throw refused();
}

function refused(): ApiError {
  return new ApiError("WEBHOOK_SIGNATURE_INVALID");
}
