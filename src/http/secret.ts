/**
 * Secrets of the deployment (docs/security.md S25). Only a `Secret` signs, and only `Secret.parse`
 * makes one, so a value that was not checked cannot name a sender, sign a cookie or verify a
 * webhook.
 *
 * The checks find values that people typed: each refuses random bytes less often than once in 10^9.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { utf8 } from "./bytes.ts";
import { SECRET_BYTES_MIN, SECRET_DISTINCT_BYTES_MIN } from "./limits.ts";

const HEX = /^[0-9a-f]+$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}$/;

/** Words of examples and defaults; random base64 has a given word of six letters once in 10^7. */
const EXAMPLE = /secret|change-?me|default|example|password|your-?key|placeholder|production/i;

/**
 * The source of a pattern for a signature in base64url. Its last character has two bits that decode to
 * nothing; they are 0, so that no other spelling of a signature is valid.
 */
export const SIGNATURE = "[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]";

export class Secret {
  readonly #bytes: Uint8Array<ArrayBuffer>;

  private constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes;
  }

  /** A string is the reason why the text is refused. */
  static parse(text: string): Secret | string {
    if (text === "") return "is empty";
    const bytes = decode(text);
    if (bytes === null) return "is neither hex nor base64";
    if (bytes.length < SECRET_BYTES_MIN) return `has fewer than ${SECRET_BYTES_MIN} bytes`;
    if (isPhrase(text) || EXAMPLE.test(text) || isText(bytes)) return "is a text, not random bytes";
    return isPattern(bytes) ? "is a pattern, not random bytes" : new Secret(bytes);
  }

  /**
   * Parses what is always base64. Standard Webhooks decodes hex digits behind `whsec_` as base64
   * too, and the hub signs with those bytes.
   */
  static parseBase64(text: string): Secret | string {
    const secret = Secret.parse(text);
    if (typeof secret === "string" || !HEX.test(text)) return secret;
    const bytes = decodeBase64(text);
    return bytes === null ? "is not base64" : new Secret(bytes);
  }

  /** Compares bytes, so encodings may differ. */
  equals(other: Secret): boolean {
    return (
      this.#bytes.length === other.#bytes.length &&
      this.#bytes.every((byte, i) => byte === other.#bytes[i])
    );
  }

  /** HMAC-SHA256, 32 bytes. Web Crypto's promises take three times as long as the hash. */
  sign(text: string): Uint8Array<ArrayBuffer> {
    return this.#hmac(utf8(text));
  }

  /** Constant time, so that the time of a refusal tells nothing of the right signature. */
  verify(signature: Uint8Array, signed: Uint8Array): boolean {
    const right = this.#hmac(signed);
    return signature.length === right.length && timingSafeEqual(signature, right);
  }

  #hmac(signed: Uint8Array): Uint8Array<ArrayBuffer> {
    return new Uint8Array(createHmac("sha256", this.#bytes).update(signed).digest());
  }
}

/** A text of hex digits is never taken for base64: 44 of them are 22 bytes, not 33. */
function decode(text: string): Uint8Array<ArrayBuffer> | null {
  if (HEX.test(text)) {
    if (text.length % 2 !== 0) return null;
    return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  }
  return decodeBase64(text);
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (!BASE64.test(text)) return null;
  try {
    // Not `Uint8Array.fromBase64`: the tests sign with secrets in Node 24, which lacks it.
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(binary, (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}

/** A pass phrase can be valid base64. 43 random characters have upper and lower case letters. */
function isPhrase(text: string): boolean {
  return !HEX.test(text) && !(/[a-z]/.test(text) && /[A-Z]/.test(text));
}

/** Printable ASCII is a text that was encoded, as by `base64("an example of a secret…")`. */
function isText(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte >= 0x20 && byte < 0x7f);
}

/** Few different bytes, a repeated part, or a sequence: `00…`, `deadbeefdeadbeef…`, `000102…`. */
function isPattern(bytes: Uint8Array): boolean {
  if (new Set(bytes).size < SECRET_DISTINCT_BYTES_MIN) return true;
  const steps = new Set(bytes.subarray(1).map((byte, i) => byte - (bytes[i] ?? 0)));
  if (steps.size === 1) return true;
  for (let period = 1; period <= bytes.length / 2; period += 1) {
    if (bytes.subarray(period).every((byte, i) => byte === bytes[i])) return true;
  }
  return false;
}
