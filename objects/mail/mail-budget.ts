/**
 * The limiter objects that mails are charged to.
 *
 * One object has the mails of a day: of all pages together, and of each page, so that pages whose
 * forms are flooded leave mails to the others; and likewise those of accounts, which have a part of
 * their own. Each mailbox has an object of its own, named by its keyed hash, so that another
 * person's address in the forms of many pages causes few mails.
 */
import { createHash, createHmac } from "node:crypto";
import { DAY_MS } from "../platform/clock.ts";
import { mailboxOf } from "./mailbox.ts";

export const BUDGET = "mail";
const ALL_PAGES = "0".repeat(32);
const ALL_ACCOUNTS = "1".repeat(32);
/** A page may use `1 / SHARE` of what is left: a quarter of all mails, if it is alone. */
const SHARE = 3;
/**
 * Mails of all pages to one mailbox. A subscription makes two, so a reader who subscribes to two
 * creators within the hour waits for none.
 */
export const MAILBOX_PER_HOUR = 4;
export const MAILBOX_PER_DAY = 10;

interface Verdict {
  admitted: boolean;
  reset_ms: number;
}

export interface MailVerdict extends Verdict {
  /** Only this mailbox has to wait, and not the other mails of the page. */
  refused_by?: "mailbox";
}

type Mailbox = Record<
  "reserve" | "settle" | "giveBack",
  (unit: { id: string; limit: number; per_hour: number }) => Promise<Verdict>
>;

interface Limiter {
  checkTogether: (check: {
    scope: string;
    window_ms: number;
    parts: { sender: string; limit: number; share?: number }[];
  }) => Promise<Verdict>;
}

/**
 * A page that has sent none is admitted while any mail of the last 24 hours is left. A refusal
 * takes nothing; `reset_ms` is when the next mail comes back.
 */
export function takeMail(limiter: Limiter, page_id: string, limit: number): Promise<Verdict> {
  return take(limiter, ALL_PAGES, page_id, limit);
}

export function takeAccountMail(limiter: Limiter, cause: string, limit: number): Promise<Verdict> {
  return take(limiter, ALL_ACCOUNTS, cause, limit);
}

function take(limiter: Limiter, all: string, cause: string, limit: number): Promise<Verdict> {
  const sender = createHash("sha256").update(cause).digest("hex").slice(0, 32);
  const parts = [
    { sender, limit, share: SHARE },
    { sender: all, limit },
  ];
  return limiter.checkTogether({ scope: BUDGET, window_ms: DAY_MS, parts });
}

export function mailboxName(sender_key: string, address: string): string {
  const mac = createHmac("sha256", sender_key).update(`mailbox\n${mailboxOf(address)}`);
  return mac.digest("hex").slice(0, 32);
}

/**
 * Takes one mail from what its mailbox may get, and by `take` from the day's mails: from both or
 * from none. Repeated with the same id it takes nothing more from the mailbox.
 */
export async function takeMailTo(
  mailbox: Mailbox,
  mail_id: string,
  take: () => Promise<Verdict>,
): Promise<MailVerdict> {
  const unit = { id: mail_id, limit: MAILBOX_PER_DAY, per_hour: MAILBOX_PER_HOUR };
  const reserved = await mailbox.reserve(unit);
  if (!reserved.admitted) return { ...reserved, refused_by: "mailbox" };
  const taken = await take();
  const { admitted } = await (taken.admitted ? mailbox.settle(unit) : mailbox.giveBack(unit));
  // The mail is tried again. Sent now, it would not be counted.
  if (!admitted) throw new Error("the mailbox's reservation is over");
  return taken;
}

export function mailsSent(limiter: {
  used: (which: { sender: string; scope: string; window_ms: number }) => Promise<number>;
}): Promise<number> {
  return limiter.used({ sender: ALL_PAGES, scope: BUDGET, window_ms: DAY_MS });
}
