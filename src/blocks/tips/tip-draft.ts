/**
 * A tip that is not sent yet. The address of its confirmation contains all of it and the key that makes it
 * one tip, so going back, reloading and signing in lead to the same confirmation.
 */
import * as z from "zod/mini";
import { KEY_KEPT_MS } from "../../../objects/blocks/tips/tip-book.ts";
import { HOUR_MS, SECOND_MS } from "../../../objects/platform/clock.ts";
import { Id } from "../../http/ids.ts";
import { newId } from "../../http/new-id.ts";
import { TIP_MESSAGE_CHARS_MAX, TIP_POINTS_MAX } from "../../pages/document/limits.ts";
import { OWN_AMOUNT, TIP_PATH } from "../../pages/document/tip-address.ts";
import { latinDigits } from "../../views/digits.ts";
import type { Locale } from "../../views/locale.ts";
import { LOCALES } from "../../views/locale.ts";
import { plainText } from "../../views/plain-text.ts";
import type { TipBody } from "./tip-body.ts";

export interface TipDraft {
  page_id: string;
  /** `''` for the page's first tip jar. */
  link_id: string;
  /** Null for a text that is no possible amount. */
  points: number | null;
  message: string;
  /** False for too long a message, which is cut in `message`. */
  is_whole: boolean;
}

const Text = z._default(z.string(), "");

/** Only ids are strict: the page tells what is wrong with the rest. */
export const TipFields = z.object({
  page_id: Id,
  link_id: z._default(z.union([Id, z.literal("")]), ""),
  points: Text,
  own: Text,
  message: Text,
  /** `message` in base64url: percent-encoding takes up to 12 bytes for a character. */
  m: Text,
  lang: z.optional(z.enum(LOCALES)),
  key: Text,
});

/** How long a key is accepted: shorter than it is remembered, because clocks differ. */
const KEY_TAKEN_MS = KEY_KEPT_MS - HOUR_MS;

/** The Idempotency-Key of a new confirmation: the time in base 36, and an id. */
export function newKey(now: number): string {
  return `${Math.floor(now / SECOND_MS).toString(36)}.${newId()}`;
}

/** Null for a foreign key, which may be too long for sign-in; it counts for its user alone. */
function keyTime(key: string): number | null {
  const [, second] = /^([\da-z]{1,8})\.[\w-]{22}$/.exec(key) ?? [];
  return second === undefined ? null : Number.parseInt(second, 36) * SECOND_MS;
}

export function isKey(key: string): boolean {
  return keyTime(key) !== null;
}

/** Whether the key may be forgotten, so that a tip could be sent with it once more. */
export function isOver(key: string, now: number): boolean {
  return Math.abs(now - (keyTime(key) ?? 0)) > KEY_TAKEN_MS;
}

/** Null where the amount or the message must be corrected. */
export function bodyOf({ page_id, link_id, points, message, is_whole }: TipDraft): TipBody | null {
  if (points === null || !is_whole) return null;
  return { page_id, points, message, ...(link_id === "" ? {} : { link_id }) };
}

export function draftOf(fields: z.output<typeof TipFields>): TipDraft {
  const { page_id, link_id, points, own, message, m } = fields;
  const amount = latinDigits(points === OWN_AMOUNT ? own : points).replace(/[\s,٬،']/g, "");
  const n = /^\d{1,7}$/.test(amount) ? Number(amount) : 0;
  const text = [...plainText((m === "" ? message : decoded(m)).toWellFormed())];
  return {
    page_id,
    link_id,
    points: n >= 1 && n <= TIP_POINTS_MAX ? n : null,
    message: text.slice(0, TIP_MESSAGE_CHARS_MAX).join(""),
    is_whole: text.length <= TIP_MESSAGE_CHARS_MAX,
  };
}

/** The path of the confirmation: at most 1,800 characters, the limit of sign-in. */
export function tipAddress(
  { page_id, link_id, points, message }: TipDraft,
  lang: Locale,
  key: string | null,
): string {
  const query = new URLSearchParams({ page_id, link_id, lang });
  if (key !== null) query.set("key", key);
  if (points !== null) query.set("points", String(points));
  if (message !== "") query.set("m", encoded(message));
  return `${TIP_PATH}?${query}`;
}

function encoded(text: string): string {
  return new TextEncoder().encode(text).toBase64({ alphabet: "base64url", omitPadding: true });
}

function decoded(text: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.fromBase64(text, { alphabet: "base64url" }));
  } catch {
    return "";
  }
}
