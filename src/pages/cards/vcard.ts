/**
 * A contact card as text: vCard 4.0 (RFC 6350), or 3.0 (RFC 2426) for Android's contacts app.
 * Written here because no maintained library on npm writes both versions. The only one that folds
 * lines correctly writes 3.0 alone, and lets a line break in a phone number start a new property.
 */
import * as z from "zod/mini";
import { withoutControls } from "../../views/plain-text.ts";
import type { CardVersion } from "../document/card-address.ts";
import type { Contact } from "../document/page-document.ts";

export const Version = z._default(z.enum(["3", "4"]), "4");

export interface Photo {
  /** A raster type, `image/…`. */
  type: string;
  base64: string;
}

export interface Card {
  contact: Contact;
  /** Used if the contact has no name: a card must have one. */
  page_name: string;
  /** Absolute and percent-encoded. */
  page_url: string;
  /** A URI that never changes, so that a new card replaces the old one in address books. */
  uid: string;
  /** Unix milliseconds. */
  updated_at: number;
  photo: Photo | null;
}

/** RFC 6350 section 3.2, RFC 2426 section 2.6; without the CRLF. */
const LINE_OCTETS_MAX = 75;

/** CRLF ends every line. Empty properties are left out. */
export function writeCard(version: CardVersion, card: Card): string {
  const { contact, photo } = card;
  const name = clean(contact.name) || clean(card.page_name);
  const lines = [
    "BEGIN:VCARD",
    `VERSION:${version}`,
    "PRODID:-//Sila//Sila//EN",
    `UID:${card.uid}`,
    `REV:${timestamp(card.updated_at)}`,
    `FN:${text(name)}`,
    // The name is one given name: which part is the family name cannot be guessed.
    `N:;${part(name)};;;`,
    ...optional("ORG", contact.organisation, part),
    ...optional("TITLE", contact.title, text),
    ...contact.phones.flatMap((phone) => optional("TEL", dialled(phone), text)),
    ...contact.emails.flatMap((email) => optional("EMAIL", collapse(email), text)),
    // The address is one text, so it is one street.
    ...optional("ADR", contact.address, (street) => `;;${part(street)};;;;`),
    ...optional("NOTE", contact.note, text),
    version === "4.0" ? `URL;PREF=1:${card.page_url}` : `URL:${card.page_url}`,
    ...(photo === null ? [] : [photoLine(version, photo)]),
    "END:VCARD",
  ];
  return lines.map((line) => `${fold(line)}\r\n`).join("");
}

function optional(
  property: string,
  raw: string | null,
  escaped: (value: string) => string,
): string[] {
  const value = clean(raw ?? "");
  return value === "" ? [] : [`${property}:${escaped(value)}`];
}

function photoLine(version: CardVersion, { type, base64 }: Photo): string {
  return version === "4.0"
    ? `PHOTO:data:${type};base64,${base64}`
    : `PHOTO;ENCODING=b;TYPE=${type.slice("image/".length).toUpperCase()}:${base64}`;
}

/** Every line break other than the line feed, which alone has an escape. */
const LINE_BREAK = /\r\n?|[\v\f\u0085\u2028\u2029]/g;

/**
 * Removes bidi controls and line breaks other than line feeds. The text is made well-formed first,
 * because a lone surrogate has no octets to count.
 */
function clean(raw: string): string {
  return withoutControls(raw.toWellFormed().replace(LINE_BREAK, "\n"));
}

function collapse(raw: string): string {
  return clean(raw).replace(/\s+/g, " ");
}

/** Arabic and Persian keyboards type these; the low four bits are the digit. */
const EASTERN_DIGIT = /[\u0660-\u0669\u06f0-\u06f9]/g;

/** Every phone can dial ASCII digits. */
function dialled(phone: string): string {
  return collapse(phone).replace(EASTERN_DIGIT, (digit) => String(digit.charCodeAt(0) & 15));
}

/**
 * Escapes a whole value (docs/security.md S20). RFC 2426 escapes the semicolon too, but it needs no escape
 * in a value without parts, and readers of 4.0 would keep the backslash.
 */
function text(value: string): string {
  return value.replace(/[\\,\n]/g, (char) => (char === "\n" ? "\\n" : `\\${char}`));
}

/** Parts of a value are separated by semicolons. */
function part(value: string): string {
  return text(value).replaceAll(";", "\\;");
}

/** `20261004T090000Z`, which both versions allow. */
function timestamp(unix_ms: number): string {
  return new Date(unix_ms).toISOString().replace(/[-:]|\.\d{3}/g, "");
}

/** Folds a content line into physical lines, never inside a character. */
function fold(line: string): string {
  const physical: string[] = [];
  let from = 0;
  let to = 0;
  let octets = 0;
  for (const char of line) {
    const size = octetsOf(char);
    if (octets + size > LINE_OCTETS_MAX) {
      physical.push(line.slice(from, to));
      from = to;
      // A continued line begins with a space.
      octets = 1;
    }
    to += char.length;
    octets += size;
  }
  return [...physical, line.slice(from)].join("\r\n ");
}

function octetsOf(char: string): number {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x1_0000 ? 3 : 4;
}
