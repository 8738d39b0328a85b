/** What the router sends to a page object, and the object's answers. docs/contract.md sections 1 and 2. */

/** What kind of visitor made an event; totals mean `human`. */
export type EventClass = "human" | "bot" | "owner" | "limited";

/** Reserved link id of the contact button; every page that has a contact has it. */
export const CONTACT_LINK = "contact";

/** The dimensions a day is broken down by. */
export const DIMENSIONS = [
  "referrer",
  "country",
  "device",
  "utm_source",
  "utm_medium",
  "utm_campaign",
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Where an event came from; what is not known is absent. */
export type Origin = Partial<Record<Dimension, string>>;

export interface PageEvent {
  /** 16 hex digits: the keyed hash of (event id, link), or random where the client gave no id. */
  key: string;
  /** The link clicked, or `''` for a view. */
  link_id: string;
  class: EventClass;
  /** How many events this stands for; absent: one. Only of class `limited`, which are handed over as numbers. */
  n?: number;
  /**
   * Address, a line break and user agent, for counting people: hashed on arrival with the day's key and
   * never stored. Null where the visitor asked not to be followed, or is no person.
   */
  visitor: string | null;
  /** Null under the same conditions as `visitor`. */
  origin: Origin | null;
}

/**
 * Where an event belongs: `url` is the link's address as the object knows it, the page's slug for its
 * contact button, `''` for a view. Or why it cannot be counted.
 */
export type Place = { url: string } | { outcome: "unknown_page" | "unknown_link" | "suspended" };

export type Receipt =
  /** Durable. */
  | { outcome: "counted" | "duplicate"; url: string }
  /** Nothing was stored. */
  | Extract<Place, { outcome: string }>;

/** An event as the journal holds it: nothing in it tells who it was. */
export interface JournalEvent {
  key: string;
  link_id: string;
  class: EventClass;
  /** How many events it stands for; absent: one. */
  n?: number;
  /** 16 hex digits, a different one every day. */
  visitor: string | null;
  /** Each dimension with the value that the event counts under in its day, `(other)` where that is full. */
  origin: Origin | null;
  /** If the event brings new values into its day: 16 hex digits for the sender, different every day. */
  newcomer?: string;
}

/** Views carry no link. */
export function kindOf(link_id: string): "view" | "click" {
  return link_id === "" ? "view" : "click";
}
