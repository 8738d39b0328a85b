import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Card, writeCard } from "../../../src/pages/cards/vcard.ts";
import type { CardVersion } from "../../../src/pages/document/card-address.ts";
import type { Contact } from "../../../src/pages/document/page-document.ts";
import { cases } from "../kit/cases.ts";
import { type Property, readByIcal, readByVcard4 } from "./vcard-judges.ts";

const VERSIONS: readonly CardVersion[] = ["3.0", "4.0"];
const JUDGES = [readByIcal, readByVcard4];

const NOBODY: Contact = {
  name: "Layla",
  organisation: null,
  title: null,
  phones: [],
  emails: [],
  address: null,
  note: null,
};

function cardOf(contact: Partial<Contact>, photo: Card["photo"] = null): Card {
  return {
    contact: { ...NOBODY, ...contact },
    page_name: "صفحة",
    page_url: "https://sila.example/%D9%84%D9%8A%D9%84%D9%89",
    uid: "urn:uuid:6b30c1c1-e9a9-5936-a6c1-af97ea75aefc",
    updated_at: Date.UTC(2026, 9, 4, 9, 5, 7),
    photo,
  };
}

/** The characters of texts, those with a meaning in cards among them. */
const PIECES = [
  ...[",", ";", ":", "\\", '"', "'", "\n", "\r\n", "\r", "\t", " ", "\\n", "\\,", "\\;", "^n", "="],
  ...["\u2028", "\u0085", "\v", "\0", "\u001b", "\u200e", "\u202e", "\u2067", "\u061c", "\ufeff"],
  ...["\ud83d", "\ude00", "😀", "👩🏽‍🚀", "🇱🇧", "𝔖", "é", "ß", "ह", "漢", "\u200d", "\u0301"],
  ...[
    "\r\nX-EVIL:1",
    "\nEND:VCARD\r\nBEGIN:VCARD",
    "\r\n ",
    "https://a.example/?a=1,2;3",
    "a: b\\, c",
  ],
];
const LATIN = [..."abcdefghijklmnopqrstuvwxyz0123456789.-+@ "];
const ARABIC = [..."ابتثجحخدذرزسشصضطظعغفقكلمنهويءىةؤئلآپچژگࢠ٠١٢٣٤٥٦٧٨٩۴ًٌٍَُِّْـ،؛؟ \u200c"];

function texts(letters: readonly string[], max: number): fc.Arbitrary<string> {
  const piece = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...letters) },
    { weight: 1, arbitrary: fc.constantFrom(...PIECES) },
  );
  return fc.array(piece, { maxLength: max, size: "max" }).map((pieces) => pieces.join(""));
}

/** Contacts of every shape; one note in five is thousands of characters long. */
function contacts(letters: readonly string[]): fc.Arbitrary<Contact> {
  const short = texts(letters, 40);
  const perhaps = fc.option(short);
  return fc.record({
    name: short,
    organisation: perhaps,
    title: perhaps,
    phones: fc.array(short, { maxLength: 3 }),
    emails: fc.array(short, { maxLength: 3 }),
    address: perhaps,
    note: fc.option(
      fc.oneof(
        { weight: 4, arbitrary: texts(letters, 200) },
        { weight: 1, arbitrary: texts(letters, 5_000) },
      ),
    ),
  });
}

/** A text in canonical form: every line break one LF, a lone surrogate a replacement character. */
function meant(raw: string): string {
  const kept = [...raw.replaceAll("\r\n", "\n").replaceAll(/[\r\v\f\u0085\u2028\u2029]/g, "\n")]
    .filter((char) => char >= " " || char === "\n" || char === "\t")
    .filter((char) => !/^[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]$/.test(char))
    .map((char) => (/^[\ud800-\udfff]$/.test(char) ? "\ufffd" : char));
  return kept.join("").trim();
}

function meantOnOneLine(raw: string): string {
  return meant(raw).split(/\s+/).join(" ");
}

function meantToDial(raw: string): string {
  const western = (digit: string, zero: string) =>
    String((digit.codePointAt(0) ?? 0) - (zero.codePointAt(0) ?? 0));
  return meantOnOneLine(raw)
    .replace(/[٠-٩]/g, (digit) => western(digit, "٠"))
    .replace(/[۰-۹]/g, (digit) => western(digit, "۰"));
}

/** The expected properties of a card of this version, in their order. */
function expected(version: CardVersion, { contact, page_name, ...card }: Card): Property[] {
  const properties: Property[] = [];
  const add = (name: string, value: string | string[], parameters: Property["parameters"] = {}) => {
    if (value !== "") properties.push({ name, parameters, value });
  };
  const name = meant(contact.name) || page_name;
  const street = meant(contact.address ?? "");
  add("VERSION", version);
  add("PRODID", "-//Sila//Sila//EN");
  add("UID", card.uid);
  add("REV", "20261004T090507Z");
  add("FN", name);
  add("N", ["", name, "", "", ""]);
  add("ORG", meant(contact.organisation ?? ""));
  add("TITLE", meant(contact.title ?? ""));
  for (const phone of contact.phones) add("TEL", meantToDial(phone));
  for (const email of contact.emails) add("EMAIL", meantOnOneLine(email));
  if (street !== "") add("ADR", ["", "", street, "", "", "", ""]);
  add("NOTE", meant(contact.note ?? ""));
  add("URL", card.page_url, version === "4.0" ? { PREF: "1" } : {});
  const { photo } = card;
  if (photo !== null && version === "4.0")
    add("PHOTO", `data:${photo.type};base64,${photo.base64}`);
  if (photo !== null && version === "3.0") {
    add("PHOTO", photo.base64, {
      ENCODING: "b",
      TYPE: photo.type.replace("image/", "").toUpperCase(),
    });
  }
  return properties;
}

/** The physical lines: CRLF, at most 75 octets, whole characters. */
function expectSoundLines(card: string): void {
  expect(card.endsWith("\r\n")).toBe(true);
  // Otherwise the sent bytes are not those that the readers get here.
  expect(card.isWellFormed()).toBe(true);
  const octets = new TextEncoder().encode(card);
  let from = 0;
  for (let at = octets.indexOf(10); at >= 0; at = octets.indexOf(10, from)) {
    expect(octets[at - 1]).toBe(13);
    const line = octets.subarray(from, at - 1);
    expect(line.length).toBeLessThanOrEqual(75);
    expect(line.includes(13)).toBe(false);
    // Throws if a character was split.
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(line);
    from = at + 1;
  }
  expect(from).toBe(octets.length);
}

describe("S20: a card is read back by two independent readers as what was written", () => {
  test.for([
    ["Arabic", ARABIC],
    ["Latin", LATIN],
  ] as const)("contacts in %s, in both versions", { timeout: 120_000 }, ([, letters]) => {
    const photos = fc.option(
      fc.record({
        type: fc.constantFrom("image/webp", "image/png", "image/jpeg", "image/avif"),
        base64: fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => bytes.toBase64()),
      }),
    );
    fc.assert(
      fc.property(contacts(letters), photos, (contact, photo) => {
        const card = cardOf(contact, photo);
        for (const version of VERSIONS) {
          const written = writeCard(version, card);
          expectSoundLines(written);
          for (const read of JUDGES) {
            expect(read(written, version)).toEqual(expected(version, card));
          }
        }
      }),
      { numRuns: cases(500) },
    );
  });
});
