/**
 * Two readers of cards, independent of our writer and of each other: ical.js 2.2.1 and vcard4 4.0.5.
 *
 * Neither is without faults. Each fault that our cards meet is named below, and what meets it is
 * replaced before reading by a stand-in and put back afterwards; all else they read as we wrote it.
 */
import ICAL from "ical.js";
import { parse } from "vcard4";
import type { CardVersion } from "../../../src/pages/document/card-address.ts";

export interface Property {
  name: string;
  parameters: Record<string, string>;
  /** The parts of N and ADR; one string for the others. */
  value: string | string[];
}

export type Judge = (card: string, version: CardVersion) => Property[];

/** Characters of the private use area, which are in no text of the tests. */
const STAND_INS = { "\\": "\ue000", '"': "\ue001", ":": "\ue002", ";": "\ue003" } as const;

function standIn(char: string): string {
  return STAND_INS[char as keyof typeof STAND_INS];
}

function putBack<T extends string | string[]>(value: T): T {
  const one = (text: string) =>
    Object.entries(STAND_INS).reduce((left, [char, mark]) => left.replaceAll(mark, char), text);
  return (Array.isArray(value) ? value.map(one) : one(value)) as T;
}

/** Unfolds the lines of these properties and changes their values; the others stay unchanged. */
function edit(card: string, names: string, change: (value: string) => string): string {
  return card.replace(new RegExp(`^(${names}):((?:.|\r\n )*)`, "gmu"), (_, name, value: string) =>
    [name, change(value.replaceAll("\r\n ", ""))].join(":"),
  );
}

/**
 * 1. The `;` that separates two parts is taken for an escaped one after an escaped backslash: only
 *    the character before it is looked at (helpers.js, unescapedIndexOf).
 * 2. In 3.0 a telephone number loses its backslashes (design.js, "phone-number").
 */
export const readByIcal: Judge = (card, version) => {
  const parts = edit(card, "N|ADR", (value) =>
    value.replace(/\\(?:(\\)(?=;)|.)/gu, (pair, last) =>
      last === undefined ? pair : standIn("\\"),
    ),
  );
  const numbers = edit(parts, "TEL", (value) =>
    version === "3.0" ? value.replaceAll("\\\\", standIn("\\")) : value,
  );
  const [, properties]: [string, [string, Record<string, string>, string, Property["value"]][]] =
    ICAL.parse(numbers);
  return properties.map(([name, parameters, , value]) => ({
    name: name.toUpperCase(),
    parameters: Object.fromEntries(
      Object.entries(parameters).map(([key, parameter]) => [key.toUpperCase(), parameter]),
    ),
    // Dates and times are in the extended format.
    value: name === "rev" ? String(value).replace(/[-:]/g, "") : putBack(value),
  }));
};

/**
 * All in parse/Tokenizer.js, but for the last:
 * 1. `\\` is resolved after `\n`, so an escaped backslash before an n becomes a line break.
 * 2. A quotation mark quotes what follows, and one at each end is dropped.
 * 3. What looks like a URI, as every text does that begins with a word and a colon, is not unescaped.
 * 4. `;` separates parts in properties that have none.
 * 5. The last part is lost if it ends in an escaped `;`.
 * 6. It reads 4.0 alone, and of 3.0 not the parameter ENCODING (parse/Parser.js).
 */
export const readByVcard4: Judge = (card, version) => {
  const marks = edit(card, "FN|N|ORG|TITLE|TEL|EMAIL|ADR|NOTE", (value) =>
    value.replace(/\\\\|[":]/gu, (found) => standIn(found.charAt(0))),
  );
  const whole = edit(marks, "FN|TITLE|TEL|EMAIL|NOTE", (value) =>
    value.replaceAll(";", standIn(";")),
  );
  const flat = edit(whole, "ORG", (value) => value.replace(/\\;$/u, standIn(";")));
  const read = parse(
    version === "4.0"
      ? flat
      : flat.replace("\r\nVERSION:3.0", "\r\nVERSION:4.0").replace(";ENCODING=", ";X-ENCODING="),
  );
  if (Array.isArray(read)) throw new Error("more than one card");
  return [
    { name: "VERSION", parameters: {}, value: version },
    ...read.parsedVcard.map(({ property, parameters, value }) => ({
      name: property,
      parameters: Object.fromEntries(
        Object.entries(parameters).map(([key, parameter]) => [
          key.replace("X-ENCODING", "ENCODING"),
          String(parameter),
        ]),
      ),
      value: putBack(isParts(value) ? Object.values(value) : value),
    })),
  ];
};

/** Its types say string where N and ADR are an object of parts. */
function isParts(value: unknown): value is Record<string, string> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
