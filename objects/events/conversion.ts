/**
 * Somebody has tipped, downloaded or subscribed: an object of a block tells the page's object. It
 * counts as one click of the block, once for ever by its id (docs/contract.md section 11).
 */
import type { EventClass, Origin } from "./event.ts";

export interface Conversion {
  /** Random, or made by the block's object; never used for another conversion of the page. */
  id: string;
  link_id: string;
  class: Exclude<EventClass, "limited">;
  /** Null if the visitor asked not to be tracked. */
  origin: Origin | null;
  tip: Tip | null;
  /** Whether a newsletter's subscriber has confirmed; `id` is the subscriber's. */
  is_subscriber?: boolean;
}

export interface Tip {
  from_id: string;
  from_name: string;
  points: number;
  message: string;
  /** Unix milliseconds. */
  at: number;
}
