/**
 * The sender of a request, for limits and for unique visitors: `CF-Connecting-IP` and nothing that
 * a client can choose (docs/security.md S14). Two spellings of one address give one sender.
 */
import { hex } from "./bytes.ts";
import type { Secret } from "./secret.ts";

/** Requests without a valid address share this sender, and so one limit: none is without. */
export const UNKNOWN_SENDER = "unknown";

const FOUR_DECIMALS = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
/** The spellings of RFC 4291, and a zone as in `fe80::1%eth0`. The URL parser decides. */
const SIX = /^([0-9a-f:.]+)(?:%[0-9a-z]+)?$/i;
/** A subscriber has a whole /64: four groups of 16 bits. */
const PREFIX_GROUPS = 4;
/** A /48 is twelve digits of four bits. */
const NETWORK_DIGITS = 12;
const MAPPED = `${"0000".repeat(5)}ffff`;

/** `203.0.113.7` for IPv4 and IPv4 mapped into IPv6, `20010db800000000/64` for IPv6. */
export function parseSender(address = ""): string {
  if (FOUR_DECIMALS.test(address)) return address;
  const [, six] = SIX.exec(address) ?? [];
  const url = six === undefined ? null : URL.parse(`http://[${six}]/`);
  if (url === null) return UNKNOWN_SENDER;
  const groups = groupsOf(url.hostname.slice(1, -1));
  const prefix = groups.slice(0, PREFIX_GROUPS).join("");
  if (!groups.join("").startsWith(MAPPED)) return `${prefix}/64`;
  const octets = groups.slice(6).flatMap((group) => [group.slice(0, 2), group.slice(2)]);
  return octets.map((octet) => Number.parseInt(octet, 16)).join(".");
}

/** `20010db80000/48` for IPv6: a customer may have its 65,536 senders. IPv4 is its own network. */
export function networkOf(sender: string): string {
  return sender.endsWith("/64") ? `${sender.slice(0, NETWORK_DIGITS)}/48` : sender;
}

/** Eight groups of four digits: the URL parser spells an address with at most one `::`. */
function groupsOf(address: string): string[] {
  const [first = [], last = []] = address
    .split("::")
    .map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => "0");
  return [...first, ...zeros, ...last].map((group) => group.padStart(4, "0"));
}

/**
 * The limiter's name for a sender, which does not reveal the address: HMAC(SENDER_KEY, sender) in
 * 32 hex digits. Unlike a visitor's hash it does not change at midnight, because a window may span
 * it (docs/contract.md section 2).
 */
export function senderName(sender_key: Secret, sender: string): string {
  return hex(sender_key.sign(sender).subarray(0, 16));
}
