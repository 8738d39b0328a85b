/**
 * The sender of a request, for limits and for unique visitors: `CF-Connecting-IP` and nothing that
 * a client can choose (docs/security.md S14). Two spellings of one address give one sender.
 */
import ipaddr from "ipaddr.js";
import { hex } from "./bytes.ts";
import type { Secret } from "./secret.ts";

/** All requests without a valid address share this sender, and so one limit. */
export const UNKNOWN_SENDER = "unknown";

/** Bytes of an IPv6 address that name a sender: a subscriber has a whole /64. */
const PREFIX_BYTES = 8;

/** `203.0.113.7` for IPv4 and IPv4 mapped into IPv6, `20010db800000000/64` for IPv6. */
export function parseSender(address: string | undefined): string {
  // Not `ipaddr.isValid`: like `inet_aton` it parses `1.2.3` as 1.2.0.3.
  const valid =
    address !== undefined &&
    (ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address));
  if (!valid) return UNKNOWN_SENDER;
  // The library parses `::1.2.3.4` as `::ffff:1.2.3.4`, but `0::1.2.3.4` correctly.
  const parsed = ipaddr.process(address.replace(/^::(?=[\d.]+$)/, "0::"));
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${hex(new Uint8Array(parsed.toByteArray().slice(0, PREFIX_BYTES)))}/64`;
}

/**
 * HMAC(SENDER_KEY, sender) in 32 hex digits: the limiter's name for a sender, which does not reveal
 * the address. Unlike a visitor's hash it does not change at midnight, because a window may span it
 * (docs/contract.md section 2).
 */
export async function senderName(sender_key: Secret, sender: string): Promise<string> {
  return hex((await sender_key.sign(sender)).subarray(0, 16));
}
