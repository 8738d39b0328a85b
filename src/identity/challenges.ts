/**
 * Challenges for passkeys, stored nowhere until they are answered: the time in 8 bytes, 16 random bytes, and the first
 * 16 bytes of an HMAC by SESSION_KEY over both and the purpose, in base64url.
 *
 * A purpose says for what and for whom an answer counts, such as `sign-in` or `add u_…`.
 */
import { timingSafeEqual } from "node:crypto";
import type { Secret } from "../http/secret.ts";
import { base64url, fromBase64url } from "./base64url.ts";
import { CHALLENGE_MS, CLOCK_SKEW_MS } from "./limits.ts";

const TIME_BYTES = 8;
const RANDOM_BYTES = 16;
const HEAD_BYTES = TIME_BYTES + RANDOM_BYTES;
const TAG_BYTES = 16;

const FORM = /^[A-Za-z0-9_-]{54}$/;

/** @param now unix milliseconds */
export function makeChallenge(key: Secret, purpose: string, now: number): string {
  const challenge = new Uint8Array(HEAD_BYTES + TAG_BYTES);
  new DataView(challenge.buffer).setBigUint64(0, BigInt(now));
  crypto.getRandomValues(challenge.subarray(TIME_BYTES, HEAD_BYTES));
  challenge.set(tagOf(key, purpose, challenge), HEAD_BYTES);
  return base64url(challenge);
}

/** When it ends, in unix milliseconds; null for an expired challenge, and for one not made here for this purpose. */
export function challengeEnd(
  key: Secret,
  purpose: string,
  challenge: string,
  now: number,
): number | null {
  if (!FORM.test(challenge)) return null;
  const bytes = fromBase64url(challenge);
  // The last character has four unused bits: another spelling would be another row of `auth_used`.
  if (base64url(bytes) !== challenge) return null;
  if (!timingSafeEqual(bytes.subarray(HEAD_BYTES), tagOf(key, purpose, bytes))) return null;
  const made_at = Number(new DataView(bytes.buffer).getBigUint64(0));
  const end = made_at + CHALLENGE_MS;
  return made_at <= now + CLOCK_SKEW_MS && now < end ? end : null;
}

function tagOf(key: Secret, purpose: string, challenge: Uint8Array): Uint8Array {
  const head = base64url(challenge.subarray(0, HEAD_BYTES));
  return key.sign(`challenge\n${head}\n${purpose}`).subarray(0, TAG_BYTES);
}
