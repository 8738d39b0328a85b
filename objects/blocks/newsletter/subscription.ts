/** What goes into and comes out of a newsletter's object. */
import type { Conversion } from "../../events/conversion.ts";
import type { MailLocale } from "../../mail/mail.ts";

/** A request to subscribe, as the router has checked it. */
export interface SubscriptionRequest extends Pick<Conversion, "link_id" | "class" | "origin"> {
  email: string;
  locale: MailLocale;
  /** Origin of this service, stored for a rollback: mails have the one of when they are sent. */
  site: string;
  /** The page's name in this language, for the text of mails. */
  page_name: string;
}

export interface ListedSubscriber {
  id: string;
  email: string;
  /** ISO 8601. */
  confirmed_at: string;
  source: { link_id: string; locale: MailLocale };
}

export interface SubscriberQuery {
  limit: number;
  /** The `next` of the answer before; null for the newest. */
  after: string | null;
  /** A part of the address; null for all. */
  q: string | null;
}

export interface SubscriberList {
  /** Newest first. */
  subscribers: ListedSubscriber[];
  /** All confirmed ones, whatever is searched for. */
  total: number;
  /** Those who have not confirmed yet. */
  pending: number;
  next: string | null;
}

export interface TokenState {
  state: "pending" | "confirmed" | "gone";
  /** Of the subscriber; of nobody where it is gone. */
  locale: MailLocale;
}
