/**
 * S27: which addresses may be called because a creator wrote them. `ipaddr.js` is the oracle for literal
 * addresses; spellings that the URL parser understands are tried in each form.
 */
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { describe, expect, test } from "vitest";
import { allowsLoopback } from "../../../objects/platform/local-setting.ts";
import {
  callable,
  ENDPOINT_RULES,
  isPublicHost,
  LINK_RULES,
  PAGE_RULES,
} from "../../../objects/platform/public-address.ts";

const RULES = { ...ENDPOINT_RULES, allows_loopback: false };
const RUNS = 20_000;

/** Bytes of IPv4 that meet the edges of the private ranges often. */
const octet = fc.oneof(
  fc.nat(255),
  fc.constantFrom(0, 1, 10, 15, 16, 18, 19, 31, 32, 63, 64, 100, 113, 127, 128, 168, 169, 172, 192),
  fc.constantFrom(51, 52, 88, 99, 175, 193, 198, 203, 223, 224, 240, 254, 255),
);
const four = fc.tuple(octet, octet, octet, octet);
const group = fc.oneof(
  fc.nat(0xffff),
  fc.constantFrom(0, 1, 0x64, 0x100, 0x1fff, 0x2000, 0x2001, 0x2002, 0x2620, 0x3fff, 0x4000),
  fc.constantFrom(0xdb8, 0x4f, 0x8000, 0xfc00, 0xfe80, 0xff02, 0xff9b, 0xffff, 0x1ff, 0x200),
);
const eight = fc.array(group, { minLength: 8, maxLength: 8 });

/** Whether the oracle takes an address for one of the public Internet. */
function isUnicast(address: string): boolean {
  const parsed = ipaddr.parse(address);
  return parsed.range() === "unicast";
}

test("S27: an IPv4 address is public where the oracle says so, in every spelling", () => {
  const seen = new Set<boolean>();
  fc.assert(
    fc.property(four, ([a, b, c, d]) => {
      const address = [a, b, c, d].join(".");
      const expected = isUnicast(address);
      seen.add(expected);
      const n = ((a * 256 + b) * 256 + c) * 256 + d;
      const spellings = [
        address,
        String(n),
        `0x${n.toString(16)}`,
        `0${n.toString(8)}`,
        `${a}.${(b * 256 + c) * 256 + d}`,
        `0x${a.toString(16)}.0${b.toString(8)}.${c * 256 + d}`,
        `${address}.`,
        [a, b, c, d].join("\u3002"),
        encodeURIComponent(address).replaceAll("1", "%31"),
      ];
      for (const spelling of spellings) {
        const taken = callable(`https://${spelling}/`, RULES) !== null;
        expect([spelling, taken]).toEqual([spelling, expected]);
      }
    }),
    { numRuns: RUNS },
  );
  expect(seen.size).toBe(2);
});

test("S27: an IPv6 address is public only where the oracle says so, and not within IPv4's mappings", () => {
  const seen = new Set<boolean>();
  fc.assert(
    fc.property(eight, (groups) => {
      const address = groups.map((part) => part.toString(16)).join(":");
      const taken = callable(`https://[${address}]/`, RULES) !== null;
      seen.add(taken);
      if (taken) expect([address, isUnicast(address)]).toEqual([address, true]);
      // The other way round: all of 2000::/3 that the oracle knows as nothing else.
      const isInternet = (groups[0] ?? 0) >> 13 === 1;
      const range = ipaddr.parse(address).range();
      const isOurs = /^(?:2001:[01]?[0-9a-f]{0,2}:|2620:4f:8000:|3fff:)/.test(address);
      if (isInternet && range === "unicast" && !isOurs)
        expect([address, taken]).toEqual([address, true]);
    }),
    { numRuns: RUNS },
  );
  expect(seen.size).toBe(2);
});

test("S27: an IPv4 address inside an IPv6 one is never public", () => {
  fc.assert(
    fc.property(four, (octets) => {
      const dotted = octets.join(".");
      for (const prefix of ["::ffff:", "::", "64:ff9b::", "::ffff:0:"]) {
        expect(callable(`https://[${prefix}${dotted}]/`, RULES)).toBeNull();
      }
      const [a, b, c, d] = octets.map((part) => part.toString(16).padStart(2, "0"));
      expect(callable(`https://[2002:${a}${b}:${c}${d}::1]/`, RULES)).toBeNull();
    }),
    { numRuns: 2_000 },
  );
});

describe("S27: an endpoint", () => {
  test.each([
    "https://hooks.example.com:443/a?b=c",
    "https://hooks.example.com:8443/",
    "https://[2a00:1450:4001:80b::200e]/",
    "https://مثال.إختبار/",
  ])("may be %s", (address) => {
    expect(callable(address, RULES)).not.toBeNull();
  });

  test.each([
    "http://hooks.example.com/",
    "https://LOCALHOST/",
    "https://localhost./",
    "https://a.localhost/",
    "https://loca\u00adlhost/",
    "https://①②⑦.⓪.⓪.①/",
    "https://metadata.google.internal/",
    "https://1.0.0.127.in-addr.arpa/",
    "https://intranet/",
    "https://hooks.example.com./",
    "https://.example.com/",
    "https://a..example.com/",
    "https://user@hooks.example.com/",
    "https://:pass@hooks.example.com/",
    "https://hooks.example.com:8080/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "hooks.example.com",
    `https://hooks.example.com/${"a".repeat(2_048)}`,
    `https://${"a".repeat(64)}.example.com/`,
    `https://${"a.".repeat(130)}com/`,
  ])("may not be %s", (address) => {
    expect(callable(address, RULES)).toBeNull();
  });

  test("may be of this machine only where two settings say so", () => {
    const local = { ...ENDPOINT_RULES, allows_loopback: true };
    for (const address of [
      "http://localhost:8788/hooks",
      "http://127.0.0.1:1/",
      "http://[::1]:5/",
    ]) {
      expect(callable(address, local)).not.toBeNull();
      expect(callable(address, RULES)).toBeNull();
    }
    for (const address of ["http://10.0.0.1/", "http://192.168.0.1:80/", "http://0.0.0.0/"]) {
      expect(callable(address, local)).toBeNull();
    }
    const SITE_ORIGIN = "http://localhost:8787";
    expect(allowsLoopback({ ONE_MACHINE: true, SITE_ORIGIN })).toBe(true);
    expect(allowsLoopback({ ONE_MACHINE: true, SITE_ORIGIN: "http://127.0.0.1:1" })).toBe(true);
    expect(allowsLoopback({ SITE_ORIGIN })).toBe(false);
    expect(allowsLoopback({ ONE_MACHINE: "true" as never, SITE_ORIGIN })).toBe(false);
    for (const other of [
      ...[
        "",
        "localhost",
        "https://sila.example",
        "https://localhost",
        "http://localhost.evil.example",
      ],
      ...["http://localhost@evil.example", "http://192.168.0.7:8787", "http://0.0.0.0:8787"],
    ]) {
      expect([other, allowsLoopback({ ONE_MACHINE: true, SITE_ORIGIN: other })]).toEqual([
        other,
        false,
      ]);
    }
  });
});

test("S27: a link is looked at by http too, and only at public hosts", () => {
  const rules = { ...LINK_RULES, allows_loopback: false };
  expect(callable("http://shop.example/", rules)).not.toBeNull();
  expect(callable("http://shop.example:8080/", rules)).toBeNull();
  expect(callable("mailto:a@example.com", rules)).toBeNull();
  expect(callable("http://192.168.1.1/", rules)).toBeNull();
  expect(isPublicHost("shop.example")).toBe(true);
});

test("S27: a page elsewhere is at a name, by https and its own port", () => {
  const rules = { ...PAGE_RULES, allows_loopback: false };
  expect(callable("https://salma.example:443/links", rules)?.href).toBe(
    "https://salma.example/links",
  );
  expect(callable("https://xn--mgbh0fb.example/", rules)).not.toBeNull();
  for (const address of [
    ...["http://salma.example/", "https://salma.example:8443/", "https://u@salma.example/"],
    ...["https://[2a00:1450:4001:80b::200e]/", "https://[::ffff:8.8.8.8]/", "https://salma/"],
  ]) {
    expect([address, callable(address, rules)]).toEqual([address, null]);
  }
  fc.assert(
    fc.property(four, ([a, b, c, d]) => {
      const n = ((a * 256 + b) * 256 + c) * 256 + d;
      for (const spelling of [[a, b, c, d].join("."), String(n), `0x${n.toString(16)}`]) {
        expect([spelling, callable(`https://${spelling}/`, rules)]).toEqual([spelling, null]);
      }
    }),
    { numRuns: 2_000 },
  );
});
