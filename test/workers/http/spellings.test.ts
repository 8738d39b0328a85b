/** One address is one sender and one slug one page, in every spelling. */
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { describe, expect, test } from "vitest";
import { canonicalSlug } from "../../../src/http/ids.ts";
import { networkOf, parseSender, UNKNOWN_SENDER } from "../../../src/http/sender.ts";
import {
  arabic_letters,
  FORMS,
  LAST_LETTER,
  latin_letters,
  slugs,
} from "../authoring/slug-arbitrary.ts";
import { type Address, addresses, isIPv4, spellings } from "../kit/address-arbitrary.ts";
import { cases } from "../kit/cases.ts";
import { call, errorOf, freshAddress, useUp } from "../kit/kit.ts";

/** The sender by docs/security.md S14, from the numbers alone. */
function network(address: Address): string {
  return (isIPv4(address) ? address.slice(6) : address.slice(0, 4)).join();
}

function senderByLibrary(text: string): string {
  const { IPv4, IPv6 } = ipaddr;
  // Not `ipaddr.isValid`: like `inet_aton` it parses `1.2.3` as 1.2.0.3.
  if (!IPv4.isValidFourPartDecimal(text) && !IPv6.isValid(text)) return UNKNOWN_SENDER;
  // The library parses `::1.2.3.4` as `::ffff:1.2.3.4`, but `0::1.2.3.4` correctly.
  const parsed = ipaddr.process(text.replace(/^::(?=[\d.]+(?:%|$))/, "0::"));
  if (parsed.kind() === "ipv4") return parsed.toString();
  const prefix = parsed.toByteArray().slice(0, 8);
  return `${prefix.map((byte) => byte.toString(16).padStart(2, "0")).join("")}/64`;
}

describe("S14: the sender", () => {
  test("is the one that ipaddr.js finds, or for an illegal spelling unknown", () => {
    const damaged = addresses
      .chain((address) => fc.tuple(spellings(address), fc.nat(), fc.constantFrom(..."0f:.%g/x ")))
      .map(([text, at, character]) => {
        const cut = at % (text.length + 1);
        return text.slice(0, cut) + character + text.slice(cut + (at % 2));
      });
    const legal = addresses.chain(spellings);
    fc.assert(
      fc.property(legal, damaged, (text, other) => {
        expect(parseSender(text)).toBe(senderByLibrary(text));
        // The library also takes octets with leading zeros, in IPv6.
        expect([UNKNOWN_SENDER, senderByLibrary(other)]).toContain(parseSender(other));
      }),
      { numRuns: cases(20_000, 1 / 20) },
    );
    for (const text of ["", "1.2.3", "1.2.3.4.5", "1.2.3.4, 5.6.7.8", "::g"]) {
      expect(parseSender(text)).toBe(UNKNOWN_SENDER);
    }
  });

  test("is one for all of a /64, and another for another /64 or IPv4 address, be it one bit away", () => {
    /** Another address: other numbers, or one bit changed. */
    const others = (address: Address) =>
      fc.oneof(
        addresses,
        fc
          .tuple(fc.nat(7), fc.nat(15))
          .map(([at, bit]) => address.map((group, i) => (i === at ? group ^ (1 << bit) : group))),
      );
    fc.assert(
      fc.property(
        addresses
          .chain((one) => fc.tuple(fc.constant(one), others(one)))
          .chain(([one, other]) =>
            fc.tuple(fc.constant([one, other]), spellings(one), spellings(other)),
          ),
        ([[one = [], other = []], ...spelled]) => {
          const [sender, another] = spelled.map(parseSender);
          expect(sender === another).toBe(network(one) === network(other));
        },
      ),
      { numRuns: cases(20_000, 1 / 20) },
    );
  });

  test("is in one network with the senders of its /48 of IPv6, and alone with an IPv4 address", () => {
    const wide = (address: Address) =>
      (isIPv4(address) ? address.slice(6) : address.slice(0, 3)).join();
    const pairs = fc
      .tuple(addresses, addresses, fc.nat(8))
      .map(([one, other, same]) => [one, [...one.slice(0, same), ...other.slice(same)]] as const);
    fc.assert(
      fc.property(
        pairs.chain((pair) => fc.tuple(fc.constant(pair), ...pair.map(spellings))),
        ([[one, other], ...spelled]) => {
          const [network, another] = spelled.map((text) => networkOf(parseSender(text)));
          expect(network === another).toBe(
            wide(one) === wide(other) && isIPv4(one) === isIPv4(other),
          );
        },
      ),
      { numRuns: cases(20_000, 1 / 20) },
    );
  });

  test("is charged by CF-Connecting-IP in any spelling, whatever else the request claims", async () => {
    const ip = freshAddress().split(".").map(Number);
    const [high = 0, low = 0] = [0, 2].map((i) => (ip[i] ?? 0) * 256 + (ip[i + 1] ?? 0));
    const address = [0, 0, 0, 0, 0, 0xffff, high, low];
    const anywhere = addresses.chain(spellings);
    const claims = fc.record(
      {
        "X-Forwarded-For": fc
          .array(anywhere, { minLength: 1, maxLength: 3 })
          .map((ips) => ips.join(", ")),
        "X-Real-IP": anywhere,
        Forwarded: anywhere.map((claimed) => `for="[${claimed}]";proto=https`),
        "True-Client-IP": anywhere,
        "X-Client-IP": anywhere,
        "CF-Connecting-IPv6": anywhere,
        "CF-Pseudo-IPv4": anywhere,
        "X-Cluster-Client-IP": fc.string({ unit: fc.constantFrom(..."0123456789abcdef:.,") }),
      },
      { requiredKeys: [] },
    );
    const RUNS = 15;
    await useUp(ip.join("."), "public", RUNS);
    let left = RUNS;
    await fc.assert(
      fc.asyncProperty(spellings(address), claims, async (spelled, headers) => {
        left -= 1;
        const response = await call("/api/nothing", { ip: spelled, headers });
        expect(response.headers.get("RateLimit")).toContain(`;r=${left};`);
      }),
      // Every request counts, so none is sent again with simpler parameters.
      { numRuns: RUNS, endOnFailure: true },
    );
    expect((await call("/api/nothing", { ip: ip.join(".") })).status).toBe(429);
  });
});

describe("S13: slugs", () => {
  test("are of letters and digits with - _ . inside, of all the characters there are", () => {
    const odd = new Set<string>();
    for (let code = 0; code <= LAST_LETTER; code += 1) {
      const slug = canonicalSlug(`0${String.fromCodePoint(code)}0`);
      if (slug !== null && !/^[\p{L}\p{Nd}._-]+$/u.test(slug)) odd.add(slug);
      if (slug !== null && canonicalSlug(slug) !== slug) odd.add(slug);
    }
    expect([...odd]).toEqual([]);
  });

  test("in another case, form, keyboard layout, with tatweel or harakat, become canonical in one step", () => {
    fc.assert(
      fc.property(slugs, fc.constantFrom(...FORMS, null), ({ slug, spelled }, form) => {
        expect(canonicalSlug(slug)).toBe(slug);
        expect(canonicalSlug(form === null ? spelled : spelled.normalize(form))).toBe(slug);
      }),
      { numRuns: cases(20_000, 1 / 20) },
    );
  });

  test("never mix Latin and Arabic letters, in any spelling", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(latin_letters, arabic_letters), { minLength: 2, maxLength: 10 }),
        fc.constantFrom("", "-", "."),
        (letters, between) => {
          const slug = letters.map(({ spelled }) => spelled).join(between);
          const latin = letters.filter((letter) => /\p{Script=Latin}/u.test(letter.slug)).length;
          const one_script = latin === 0 || latin === letters.length;
          expect(canonicalSlug(slug) === null).toBe(!one_script);
        },
      ),
      { numRuns: cases(5_000, 1 / 20) },
    );
  });

  test("that are invalid UTF-8 are 404 and never 500", async () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 8 }).filter((octets) => {
      try {
        new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(octets);
        return false;
      } catch {
        return true;
      }
    });
    await fc.assert(
      fc.asyncProperty(bytes, async (octets) => {
        const segment = [...octets]
          .map((octet) => `%${octet.toString(16).padStart(2, "0")}`)
          .join("");
        for (const path of [`/${segment}`, `/vcard/${segment}.vcf`]) {
          const response = await call(path);
          expect(response.status).toBe(404);
          expect((await errorOf(response)).code).toBe("PAGE_NOT_FOUND");
        }
      }),
      { numRuns: cases(40, 1 / 4) },
    );
  });
});
