/**
 * Numbers that the objects of a page's blocks announce to the page's object, which shows them live; and which events
 * are wanted, which routes and `WebhookSender.take` bring.
 *
 * Each has a version that grows with every change, and one that is overtaken on its way replaces
 * nothing. The block's object stays the owner: these are copies.
 */
import type { Kv } from "../platform/ports.ts";
import type { WantedEvents } from "./page-news.ts";

export interface LinkDownloads {
  link_id: string;
  /** One person's ranges and resumptions are one. */
  uses: number;
  /** All that was sent, also of downloads that were not finished. */
  bytes: number;
}

/** The names are the keys under which the numbers are stored. */
export interface AnnouncedNumbers {
  subscribers: { version: number; n: number };
  /** The most used block comes first. */
  downloads: { version: number; links: LinkDownloads[] };
  /** The events that an endpoint of the page wants (`webhook-outbox.ts`). */
  webhooks: WantedEvents;
}

/** False if this version or a newer one is stored. */
export function takeAnnounced<Block extends keyof AnnouncedNumbers>(
  kv: Kv,
  block: Block,
  numbers: AnnouncedNumbers[Block],
): boolean {
  const known = kv.get<AnnouncedNumbers[Block]>(block);
  if (known !== undefined && known.version >= numbers.version) return false;
  kv.put(block, numbers);
  return true;
}
