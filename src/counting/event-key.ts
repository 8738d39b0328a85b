/**
 * The key an event is remembered by: 64 bits of a keyed hash over the event id and its link, because one id
 * may stand for a view and for clicks on several links (docs/faults.md F12). 64 bits: at an hour of 1,000 events a
 * second, the chance that a new event is taken for a remembered one is 2 in 10^13.
 *
 * Keyed by the deployment's secret, because clients choose their ids: without it they could choose the keys
 * too, and with them the places in a page's tables (docs/faults.md F27).
 */
import { hex } from "../http/bytes.ts";
import type { Secret } from "../http/secret.ts";

/** Bytes of a key. */
const KEY_BYTES = 8;

/** The key of a beacon's event, 16 hex digits: the same for the same id and link, from any sender. */
export function eventKey(secret: Secret, event_id: string, link_id: string): Promise<string> {
  return keyOf(secret, `event\n${event_id}\n${link_id}`);
}

/**
 * The key of a redirect's click. Addresses of redirects get shared, so an id belongs to its sender; and to
 * people or to bots, because a browser that fetches an address ahead is no click.
 */
export function clickKey(
  secret: Secret,
  { sender, is_bot }: { sender: string; is_bot: boolean },
  event_id: string,
  link_id: string,
): Promise<string> {
  return keyOf(secret, `click\n${sender}\n${is_bot}\n${event_id}\n${link_id}`);
}

/** A key for an event whose client gave no id: it cannot be sent again, only tried again by us. */
export function randomKey(): string {
  return hex(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
}

async function keyOf(secret: Secret, text: string): Promise<string> {
  return hex((await secret.sign(text)).subarray(0, KEY_BYTES));
}
