/**
 * The key an event is remembered by: 64 bits of SHA-256 over the event id and its link, because
 * one id may stand for a view and for clicks on several links (FAULTS F12). 64 bits: at an hour of
 * 1,000 events a second, the chance that a new event is taken for a remembered one is 2 in 10^13.
 */
import { hex, utf8 } from "./bytes.ts";

/** Bytes of a key. */
const KEY_BYTES = 8;

/** 16 hex digits; the same for the same id and link, whoever sends it. */
export async function eventKey(event_id: string, link_id: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", utf8(`${event_id}\n${link_id}`));
  return hex(new Uint8Array(digest, 0, KEY_BYTES));
}

/** A key for an event whose client gave no id: it cannot be sent again, only tried again by us. */
export function randomKey(): string {
  return hex(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
}
