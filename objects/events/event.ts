/** What the router sends to a page object, and its answers (docs/contract.md sections 1 and 2). */

import type { Key } from "../keys/key-list.ts";

/** The longest host name. */
export const LABEL_CHARS_MAX = 253;

/** Only `human` counts in the totals that owners see. */
export type EventClass = "human" | "bot" | "owner" | "limited";

export const CONTACT_LINK = "contact";

/** Rows of the journal have this order, so a new one comes last. `language`: of views only. */
export const DIMENSIONS = [
  "referrer",
  "country",
  "device",
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "language",
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Unknown dimensions are absent. */
export type Origin = Partial<Record<Dimension, string>>;

export interface PageEvent {
  /** 16 hex digits: the keyed hash of (event id, link), or random if the client gave no id. */
  key: string;
  /** The link clicked, or `''` for a view. */
  link_id: string;
  class: EventClass;
  /** How many events this stands for; absent means one. Only for class `limited`. */
  n?: number;
  /**
   * Address, a line break and user agent, to count people: hashed on arrival with the day's key and
   * never stored. Null if the visitor asked not to be tracked, or is not a person.
   */
  visitor: string | null;
  /** Null under the same conditions as `visitor`. */
  origin: Origin | null;
}

/**
 * `url` is the address of the link in the object's copy, the page's slug for its contact button,
 * `''` for a view. Otherwise: why the event cannot be counted.
 */
export type Place =
  | { url: string }
  | { outcome: "unknown_page" | "unknown_link" | "suspended" | "link_expired" };

export type Receipt =
  /** Durable. */
  | { outcome: "counted" | "duplicate"; url: string }
  /** Nothing was counted. */
  | Extract<Place, { outcome: string }>
  /** Nothing was counted: D1 must be asked, which the other events of the batch do not wait for. */
  | { outcome: "unsettled" };

/** An event as the journal holds it, without anything that identifies the visitor. */
export interface JournalEvent extends Pick<PageEvent, "link_id" | "class"> {
  key: Key;
  n: number;
  /** A different key every day; null if the visitor is not counted. */
  visitor: Key | null;
  /** The values under which the event counts in its day, which may be `(other)`. */
  origin: Origin | null;
  /** If a value of `origin` is new to the day: the sender's key, a different one every day. */
  newcomer: Key | null;
}

export function kindOf(link_id: string): "view" | "click" {
  return link_id === "" ? "view" : "click";
}
