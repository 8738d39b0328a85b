/**
 * Mails of accounts in the box: how many codes an address gets, and how they are sent. The identity Worker writes them; it
 * has neither the limits nor the binding.
 */
import { BUDGET, mailboxName, takeAccountMail } from "../../objects/mail/mail-budget.ts";
import { mailSettings } from "../../objects/mail/mail-settings.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../objects/platform/clock.ts";
import { logError } from "../../objects/platform/log.ts";
import { secretIn } from "../../objects/platform/secrets.ts";
import type { Following } from "../http/context.ts";
import { checkTogether } from "../http/exact-limit.ts";
import { tooMany } from "../http/too-many.ts";

/** A mail as the identity Worker writes it. */
export interface AccountMail {
  to: string;
  /** The sender's name. */
  sender: string;
  subject: string;
  text: string;
  html: string;
  /** Whether it has a code, of which each mailbox gets few. */
  is_code: boolean;
  /**
   * All mails to addresses of nobody share what one mailbox may have of the day's mails: users have the rest. One that is not
   * to be sent is here all the same, so that nothing tells whether it is.
   */
  whose: "user" | "nobody" | "unsent";
}

/** Codes that one mailbox gets in any time of this length, in milliseconds. */
const CODE_LIMITS = [
  { window_ms: MINUTE_MS, limit: 3 },
  { window_ms: HOUR_MS, limit: 5 },
  { window_ms: DAY_MS, limit: 20 },
] as const;

/** Whether mails can be sent. */
export function hasMail(env: Cloudflare.Env): boolean {
  return mailSettings(env).mail_from !== "";
}

/**
 * Sends them after the answer, whose time would tell otherwise which are sent. A mail for which nothing of the day is left
 * is lost: its reader asks again, or comes in by another way. Throws 429 RATE_LIMITED where a mailbox has too many codes,
 * whether or not it is a user's, and 503 while limits fail.
 */
export async function sendMails(
  { env, executionCtx }: Following,
  mails: readonly AccountMail[],
): Promise<void> {
  const { mail_from, accounts_per_day } = mailSettings(env);
  const send = async (
    mailbox: string,
    { sender, whose, ...mail }: Omit<AccountMail, "is_code">,
  ) => {
    const cause = whose === "user" ? mailbox : whose;
    const budget = env.LIMITER.getByName(BUDGET);
    const { admitted } = await takeAccountMail(budget, cause, accounts_per_day);
    if (!admitted) throw new Error("no mail of the day is left");
    await env.MAIL.send({ ...mail, from: { email: mail_from, name: sender } });
  };
  for (const { is_code, ...mail } of mails) {
    const mailbox = mailboxName(secretIn(env, "SENDER_KEY") ?? "", mail.to);
    if (is_code) await chargeCode(env, mailbox);
    if (mail.whose === "unsent") continue;
    const sending = send(mailbox, mail);
    executionCtx.waitUntil(sending.catch((error) => logError("account_mail_failed", {}, error)));
  }
}

async function chargeCode(env: Cloudflare.Env, sender: string): Promise<void> {
  for (const { window_ms, limit } of CODE_LIMITS) {
    const check = { scope: "code", window_ms, parts: [{ sender, limit }] };
    const { admitted, reset_ms } = await checkTogether(env, sender, check);
    const window_s = window_ms / SECOND_MS;
    if (!admitted) throw tooMany({ scope: "code", limit, window_s }, reset_ms);
  }
}
