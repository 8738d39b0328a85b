/** What the parts of a newsletter's object need from outside. */

import type { SendConversions } from "../../events/conversion-outbox.ts";
import type { ComposedMail } from "../../mail/mail.ts";
import type { MailVerdict } from "../../mail/mail-budget.ts";
import { SECOND_MS, withTimeout } from "../../platform/clock.ts";
import type { Database, Ports } from "../../platform/ports.ts";

/** Longest wait for D1, for the budget, for a mail to be taken, and for the page's object. */
const CALL_TIMEOUT_MS = 10 * SECOND_MS;

export interface NewsletterPorts extends Ports {
  pageId: () => string;
  /** Asked whether the page is published. */
  db: Database;
  /** The sender's address; `''`: nothing is sent. */
  mail_from: string;
  /** This service's origin, with which the links of mails begin. */
  site: string;
  sendMail: (mail: ComposedMail) => Promise<unknown>;
  /** Takes one mail from what its mailbox may get and from the day's budget, or answers how long to wait. */
  admitMail: (mail: { mail_id: string; address: string }) => Promise<MailVerdict>;
  convert: SendConversions;
  /** Tells the page's object the number of subscribers; the larger version is the newer one. */
  announce: (n: number, version: number) => Promise<void>;
  /** `size` random bytes. */
  randomBytes: (size: number) => Uint8Array;
  failed: (event: string) => void;
}

/** The answer of a call to the outside, or a rejection when it takes too long. */
export function inTime<T>(call: Promise<T>, { clock }: Pick<NewsletterPorts, "clock">): Promise<T> {
  return withTimeout(call, CALL_TIMEOUT_MS, clock);
}

export function randomText(
  bytes: number,
  { randomBytes }: Pick<NewsletterPorts, "randomBytes">,
): string {
  return Buffer.from(randomBytes(bytes)).toString("base64url");
}
