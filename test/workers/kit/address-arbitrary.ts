/** IP addresses as numbers, and every legal spelling of them, by fast-check. */
import fc from "fast-check";

/** Eight groups of 16 bits; IPv4 is mapped into the last two (RFC 4291 section 2.5.5.2). */
export type Address = readonly number[];

const MAPPED = [0, 0, 0, 0, 0, 0xffff] as const;

/** Zeros are common, because spellings differ in them. */
const group = fc.oneof(fc.constant(0), fc.constantFrom(1, 0xffff, 0x0a0b), fc.nat(0xffff));

export const ipv4: fc.Arbitrary<Address> = fc
  .tuple(group, group)
  .map((groups) => [...MAPPED, ...groups]);
export const ipv6: fc.Arbitrary<Address> = fc.oneof(
  fc.array(group, { minLength: 8, maxLength: 8 }),
  // Addresses that look like mapped IPv4 and are not (RFC 4291 section 2.5.5.1).
  fc.tuple(group, group).map((groups) => [0, 0, 0, 0, 0, 0, ...groups]),
);
export const addresses: fc.Arbitrary<Address> = fc.oneof(ipv4, ipv6);

export function isIPv4(address: Address): boolean {
  return MAPPED.every((group, i) => address[i] === group);
}

/** Any legal spelling of an address: RFC 4291 section 2.2, and dotted IPv4. */
export function spellings(address: Address): fc.Arbitrary<string> {
  const choices = fc.record({
    plain: fc.boolean(),
    dotted: fc.boolean(),
    capitals: fc.infiniteStream(fc.boolean()),
    digits: fc.infiniteStream(fc.constantFrom(1, 1, 2, 3, 4)),
    zeros: fc.nat(),
  });
  return choices.map(({ plain, dotted, capitals, digits, zeros }) => {
    const octets = address.slice(6).flatMap((group) => [group >> 8, group & 255]);
    if (plain && isIPv4(address)) return octets.join(".");
    const words = address.slice(0, dotted ? 6 : 8).map((group) => {
      const word = group.toString(16).padStart(digits.next().value ?? 1, "0");
      return capitals.next().value ? word.toUpperCase() : word;
    });
    const runs = runsOfZeros(address.slice(0, words.length));
    const run = runs[zeros % (runs.length + 1)];
    if (dotted) words.push(octets.join("."));
    if (run === undefined) return words.join(":");
    return `${words.slice(0, run.from).join(":")}::${words.slice(run.to).join(":")}`;
  });
}

/** With `::` at any legal place: it need not be the longest run of zeros, nor all of one. */
function runsOfZeros(groups: Address): { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = [];
  for (let from = 0; from < groups.length; from += 1) {
    for (let to = from + 1; to <= groups.length && groups[to - 1] === 0; to += 1) {
      runs.push({ from, to });
    }
  }
  return runs;
}
