import type { SendConversions } from "../../events/conversion-outbox.ts";
import type { ComposedMail } from "../../mail/mail.ts";
import type { MailVerdict } from "../../mail/mail-budget.ts";
import { SECOND_MS, withTimeout } from "../../platform/clock.ts";
import type { Database, Ports } from "../../platform/ports.ts";

const CALL_TIMEOUT_MS = 10 * SECOND_MS;

export interface NewsletterPorts extends Ports {
  pageId: () => string;
  db: Database;
  /** The sender's address; `''`: nothing is sent. */
  mail_from: string;
  site: string;
  sendMail: (mail: ComposedMail) => Promise<unknown>;
  admitMail: (mail: { mail_id: string; address: string }) => Promise<MailVerdict>;
  convert: SendConversions;
  announce: (n: number, version: number) => Promise<void>;
  randomBytes: (size: number) => Uint8Array;
  failed: (event: string) => void;
}

export function inTime<T>(call: Promise<T>, { clock }: Pick<NewsletterPorts, "clock">): Promise<T> {
  return withTimeout(call, CALL_TIMEOUT_MS, clock);
}

export function randomText(
  bytes: number,
  { randomBytes }: Pick<NewsletterPorts, "randomBytes">,
): string {
  return Buffer.from(randomBytes(bytes)).toString("base64url");
}
