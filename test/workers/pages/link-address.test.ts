/** The addresses to which a page may link (docs/security.md S10). */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  LINK_ADDRESS_MAX_CHARACTERS,
  parseLinkAddress,
} from "../../../src/pages/document/link-address.ts";

const ALLOWED = ["http", "https", "mailto", "tel", "sms"];
const BIDI = [..."\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"];

const webAddress = fc.webUrl({
  validSchemes: ["http", "https"],
  withQueryParameters: true,
  withFragments: true,
});
const contactAddress = fc
  .tuple(
    fc.constantFrom("mailto:", "tel:", "sms:"),
    fc.stringMatching(/^[a-z0-9+@.-]{1,40}$/),
    fc.constantFrom("", "?body=%D8%B3%D9%84%D8%A7%D9%85", "?subject=a%20b"),
  )
  .map((parts) => parts.join(""));
const address = fc.oneof(webAddress, contactAddress);
const control = fc
  .oneof(fc.integer({ min: 0, max: 0x1f }), fc.integer({ min: 0x7f, max: 0x9f }))
  .map((point) => String.fromCodePoint(point));
const bidi = fc.constantFrom(...BIDI);
/** Text with a character inserted at any position. */
const withInside = (text: fc.Arbitrary<string>, character: fc.Arbitrary<string>) =>
  fc.tuple(text, character, fc.nat()).map(([whole, one, at]) => {
    const place = at % (whole.length + 1);
    return whole.slice(0, place) + one + whole.slice(place);
  });

describe("an address a page may link to", () => {
  it.each([
    ["HTTP://EXAMPLE.com:80/A b", "http://example.com/A%20b"],
    [
      "https://متجر.example/سلة?لون=أزرق",
      "https://xn--pgbep1f.example/%D8%B3%D9%84%D8%A9?%D9%84%D9%88%D9%86=%D8%A3%D8%B2%D8%B1%D9%82",
    ],
    ["  https://example.com/x  ", "https://example.com/x"],
    ["mailto:layan@example.com?subject=hi", "mailto:layan@example.com?subject=hi"],
    ["tel:+44-7700-900142", "tel:+44-7700-900142"],
    ["sms:+447700900142?body=hi", "sms:+447700900142?body=hi"],
  ])("is kept as the parser spells it: %s", (raw, href) => {
    expect(parseLinkAddress(raw)).toBe(href);
  });

  it("is every plain web, mail, telephone and message address", () => {
    fc.assert(
      fc.property(address, (raw) => {
        expect(parseLinkAddress(raw)).not.toBeNull();
      }),
    );
  });

  it("is at most 2048 characters long, as typed and as spelled by the parser", () => {
    const start = "https://example.com/";
    const longest = start + "a".repeat(LINK_ADDRESS_MAX_CHARACTERS - start.length);
    expect(parseLinkAddress(longest)).toBe(longest);
    expect(parseLinkAddress(`${longest}a`)).toBeNull();
    const growing = (letters: number) => parseLinkAddress(start + "س".repeat(letters));
    const room = Math.floor((LINK_ADDRESS_MAX_CHARACTERS - start.length) / 6);
    expect(growing(room)).not.toBeNull();
    expect(growing(room + 1)).toBeNull();
  });
});

describe("an address is refused", () => {
  it.each([
    "javascript:alert(1)",
    "java\nscript:alert(1)",
    " \u0001javascript:alert(1)",
    "blob:https://example.com/1",
    "//example.com/",
    "/r/demo/demo-shop",
    "example.com",
    "https://",
    " ",
    "mailto:?subject=x",
    "tel:",
    "tel://example.com",
  ])("when it is %j", (raw) => {
    expect(parseLinkAddress(raw)).toBeNull();
  });

  it("whatever its scheme, unless that is one of five", () => {
    const scheme = fc.stringMatching(/^[a-z][a-z0-9+.-]{0,12}$/);
    fc.assert(
      fc.property(scheme, fc.string(), (name, rest) => {
        fc.pre(!ALLOWED.includes(name));
        expect(parseLinkAddress(`${name}:${rest}`)).toBeNull();
      }),
    );
  });

  it("when it carries a user or a password", () => {
    const userinfo = fc.stringMatching(/^([a-z0-9.%]{1,9}:?[a-z0-9]{0,9}|:[a-z0-9]{1,9})$/);
    fc.assert(
      fc.property(webAddress, userinfo, (raw, info) => {
        expect(parseLinkAddress(raw.replace("://", `://${info}@`))).toBeNull();
      }),
    );
  });

  it("when a control or bidi character stands anywhere in it", () => {
    fc.assert(
      fc.property(withInside(address, fc.oneof(control, bidi)), (raw) => {
        expect(parseLinkAddress(raw)).toBeNull();
      }),
    );
  });

  it("when a control or bidi character hides percent-encoded in its host", () => {
    fc.assert(
      fc.property(fc.oneof(control, bidi), (character) => {
        const hidden = encodeURIComponent(character);
        expect(parseLinkAddress(`https://exa${hidden}mple.com/`)).toBeNull();
        expect(parseLinkAddress(`https://${hidden}example.com/`)).toBeNull();
        expect(parseLinkAddress(`https://example.com${hidden}/`)).toBeNull();
      }),
    );
  });
});

describe("any text", () => {
  it("never throws, and what comes back is short, of five schemes, and its own spelling", () => {
    const anything = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.webUrl(),
      withInside(address, fc.string({ unit: "binary", maxLength: 3 })),
    );
    fc.assert(
      fc.property(anything, (raw) => {
        const href = parseLinkAddress(raw);
        if (href === null) return;
        const url = new URL(href);
        expect(ALLOWED).toContain(url.protocol.slice(0, -1));
        expect(url.username + url.password).toBe("");
        expect(href.length).toBeLessThanOrEqual(LINK_ADDRESS_MAX_CHARACTERS);
        expect(href).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
        expect(parseLinkAddress(href)).toBe(href);
      }),
      { numRuns: 1000 },
    );
  });
});
