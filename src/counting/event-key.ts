/**
 * The key by which a page finds duplicates of an event: 64 bits of a keyed hash over the event id
 * and its link, because a client may use one id for a view and for clicks on several links
 * (docs/faults.md F12). With an hour of 1,000 events a second, the chance that a new event is taken
 * for a duplicate is 2 in 10^13.
 *
 * Keyed by the deployment's secret: clients choose their ids, and without a secret they could
 * choose the keys, and with them the positions in a page's hash tables (docs/faults.md F27).
 */
import { hex } from "../http/bytes.ts";
import type { Secret } from "../http/secret.ts";

const KEY_BYTES = 8;

/** The key does not depend on the sender. */
export function eventKey(secret: Secret, event_id: string, link_id: string): string {
  return keyOf(secret, `event\n${event_id}\n${link_id}`);
}

interface Follower {
  sender: string;
  is_bot: boolean;
}

export interface ClickIds {
  /** `?t=`, which a page's script sets for one tap. */
  tap_id: string | undefined;
  /** `?e=`, for an address that people share. */
  event_id: string | undefined;
}

/**
 * Null without an id. A tap is one click from whatever address it comes, because a phone may change
 * its network before it sends the request again. Of an address that people share, the sender is
 * part of the key. Either has whether it is a bot, because a browser's prefetch of an address must
 * not make the later click a duplicate.
 */
export function clickKey(
  secret: Secret,
  { sender, is_bot }: Follower,
  { tap_id, event_id }: ClickIds,
  link_id: string,
): string | null {
  if (tap_id !== undefined) return keyOf(secret, `tap\n${is_bot}\n${tap_id}\n${link_id}`);
  if (event_id === undefined) return null;
  return keyOf(secret, `click\n${sender}\n${is_bot}\n${event_id}\n${link_id}`);
}

export function randomKey(): string {
  return hex(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
}

function keyOf(secret: Secret, text: string): string {
  return hex(secret.sign(text).subarray(0, KEY_BYTES));
}
