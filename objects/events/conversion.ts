/**
 * What an object of a block tells the page's object: that somebody has tipped, downloaded or
 * subscribed. It counts as one click of the block, once for ever by its id (docs/contract.md section
 * 11).
 */
import type { EventClass, Origin } from "./event.ts";

export interface Conversion {
  /** Random, or made by the block's object; never used for another conversion of the page. */
  id: string;
  /** The block. */
  link_id: string;
  class: Exclude<EventClass, "limited">;
  /** Null where the visitor asked not to be tracked. */
  origin: Origin | null;
  /** The tip, for its page's owner; null for other conversions. */
  tip: Tip | null;
  /** Whether it is the confirmation of a newsletter's subscriber, whose id is `id`. */
  is_subscriber?: boolean;
}

/** Points that have reached the page's owner. */
export interface Tip {
  from_id: string;
  from_name: string;
  points: number;
  /** `''` without one. */
  message: string;
  /** Unix milliseconds. */
  at: number;
}
