/**
 * Who sent a request, for limits and for telling visitors apart: `CF-Connecting-IP` and nothing a
 * client can choose (docs/security.md S14). Any two spellings of one address give one sender.
 */
import ipaddr from "ipaddr.js";
import { hex } from "./bytes.ts";
import type { Secret } from "./secret.ts";

/** All requests without a usable address share one sender: refused together rather than never. */
export const UNKNOWN_SENDER = "unknown";

/** Bytes of an IPv6 address that name a sender: one subscriber holds a whole /64. */
const PREFIX_BYTES = 8;

/** `203.0.113.7` for IPv4 and IPv4 mapped into IPv6, `20010db800000000/64` for IPv6. */
export function parseSender(address: string | undefined): string {
  // Not `ipaddr.isValid`: it takes `1.2.3` for 1.2.0.3, as C programs of old did.
  const valid =
    address !== undefined &&
    (ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address));
  if (!valid) return UNKNOWN_SENDER;
  // The parser takes `::1.2.3.4` for `::ffff:1.2.3.4`, but `0::1.2.3.4` for what both are.
  const parsed = ipaddr.process(address.replace(/^::(?=[\d.]+$)/, "0::"));
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${hex(new Uint8Array(parsed.toByteArray().slice(0, PREFIX_BYTES)))}/64`;
}

/**
 * HMAC(SENDER_KEY, sender): 32 hex digits that name the sender to the limiter without saying who
 * it is. It does not change at midnight, because the window must not (docs/contract.md section 2).
 */
export async function senderName(sender_key: Secret, sender: string): Promise<string> {
  return hex((await sender_key.sign(sender)).subarray(0, 16));
}
