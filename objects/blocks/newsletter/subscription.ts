import type { Conversion } from "../../events/conversion.ts";
import type { MailLocale } from "../../mail/mail.ts";

export interface SubscriptionRequest extends Pick<Conversion, "link_id" | "class" | "origin"> {
  email: string;
  locale: MailLocale;
  /** Stored for a rollback: mails have the origin of when they are sent. */
  site: string;
  page_name: string;
}

export interface ListedSubscriber {
  id: string;
  email: string;
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
  subscribers: ListedSubscriber[];
  /** All confirmed subscribers, whatever is searched for. */
  total: number;
  pending: number;
  next: string | null;
}

export interface TokenState {
  state: "pending" | "confirmed" | "gone";
  /** Means nothing if the subscription is gone. */
  locale: MailLocale;
}
