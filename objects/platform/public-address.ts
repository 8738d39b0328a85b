/**
 * Addresses that this service may call because a creator wrote them: of public hosts alone
 * (docs/security.md S27). Everything is decided after the URL parser, which turns each odd spelling
 * of an IPv4 address (`0x7f.1`, `2130706433`) into four decimals, each IPv6 one into its canonical
 * form, and the dots of other scripts into `.`.
 *
 * A name may still resolve to a private address. The platform's `fetch` reaches the public Internet
 * alone, so nothing private answers (read, not yet run on the platform).
 */

export const ADDRESS_CHARS_MAX = 2_048;
const HOST_CHARS_MAX = 253;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Names with these last labels are of private networks, or of none. */
const PRIVATE_NAMES: ReadonlySet<string> = new Set(
  "localhost local localdomain internal intranet private corp home lan arpa onion invalid alt".split(
    " ",
  ),
);

/** Prefixes of IPv4 that are not of public hosts: the first address and the number of bits. */
const PRIVATE_4: readonly (readonly [first: number, bits: number])[] = (
  [
    ["0.0.0.0", 8],
    ["10.0.0.0", 8],
    ["100.64.0.0", 10],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
    ["172.16.0.0", 12],
    ["192.0.0.0", 24],
    ["192.0.2.0", 24],
    ["192.31.196.0", 24],
    ["192.52.193.0", 24],
    ["192.88.99.0", 24],
    ["192.168.0.0", 16],
    ["192.175.48.0", 24],
    ["198.18.0.0", 15],
    ["198.51.100.0", 24],
    ["203.0.113.0", 24],
    ["224.0.0.0", 3],
  ] as const
).map(([first, bits]) => [numberOf(first), bits]);

/**
 * Prefixes within 2000::/3, the unicast addresses of the Internet, that are not of public hosts:
 * the protocols of 2001::/23, documentation, 6to4, AS112.
 */
const PRIVATE_6: readonly (readonly [first: readonly number[], bits: number])[] = [
  [[0x2001, 0], 23],
  [[0x2001, 0xdb8], 32],
  [[0x2002], 16],
  [[0x2620, 0x4f, 0x8000], 48],
  [[0x3fff], 20],
];

export interface AddressRules {
  schemes: readonly string[];
  ports: readonly string[];
  /** Allows addresses of this machine, by any port, in development and tests. */
  allows_loopback: boolean;
  /** Refuses IP addresses, public ones too. */
  names_only?: boolean;
}

/** The port is empty if it is the scheme's own. */
export const ENDPOINT_RULES = { schemes: ["https:"], ports: ["", "8443"] } as const;
/** Pages and their pictures are at names. */
export const PAGE_RULES = { schemes: ["https:"], ports: [""], names_only: true } as const;
/** Visitors may follow a link of a page to anywhere. */
export const LINK_RULES = {
  schemes: ["https:", "http:"],
  ports: ["", "80", "443", "8443"],
} as const;

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

export function callable(address: string, rules: AddressRules): URL | null {
  const url = address.length > ADDRESS_CHARS_MAX ? null : URL.parse(address);
  if (url === null || url.username !== "" || url.password !== "") return null;
  const { protocol, hostname, port } = url;
  if (rules.allows_loopback && isLoopback(url)) {
    return protocol === "http:" || protocol === "https:" ? url : null;
  }
  if (!rules.schemes.includes(protocol) || !rules.ports.includes(port)) return null;
  if (rules.names_only === true && isLiteral(hostname)) return null;
  return isPublicHost(hostname) ? url : null;
}

export function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK.test(hostname);
}

/** `host` is spelt as by the URL parser. */
export function isPublicHost(host: string): boolean {
  if (host.startsWith("[")) return isPublic6(groupsOf(host.slice(1, -1)));
  if (isLiteral(host)) return isPublic4(numberOf(host));
  const labels = host.split(".");
  return (
    host.length <= HOST_CHARS_MAX &&
    labels.length > 1 &&
    labels.every((label) => LABEL.test(label)) &&
    !PRIVATE_NAMES.has(labels.at(-1) ?? "")
  );
}

/** The URL parser refuses a host that ends in a number and is no IPv4 address. */
function isLiteral(host: string): boolean {
  return host.startsWith("[") || /^[\d.]+$/.test(host);
}

function isPublic4(address: number): boolean {
  return !PRIVATE_4.some(([first, bits]) => {
    const size = 2 ** (32 - bits);
    return address >= first && address < first + size;
  });
}

function isPublic6(groups: readonly number[]): boolean {
  if (!isWithin(groups, [0x2000], 3)) return false;
  return !PRIVATE_6.some(([first, bits]) => isWithin(groups, first, bits));
}

function isWithin(groups: readonly number[], first: readonly number[], bits: number): boolean {
  for (let i = 0; i * 16 < bits; i += 1) {
    const shift = Math.max(0, 16 - (bits - i * 16));
    if ((groups[i] ?? 0) >> shift !== (first[i] ?? 0) >> shift) return false;
  }
  return true;
}

function numberOf(four_decimals: string): number {
  return four_decimals.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

/** The URL parser spells an IPv6 address in hex alone, with one `::` at most. */
function groupsOf(address: string): number[] {
  const [first = [], last = []] = address
    .split("::")
    .map((part) => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16))));
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => 0);
  return [...first, ...zeros, ...last];
}
