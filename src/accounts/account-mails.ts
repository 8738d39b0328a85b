/** Sends the mails that the identity Worker writes: it has neither their limits nor the binding. */
import { BUDGET, mailboxName, takeAccountMail } from "../../objects/mail/mail-budget.ts";
import { mailSettings } from "../../objects/mail/mail-settings.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../objects/platform/clock.ts";
import { logError } from "../../objects/platform/log.ts";
import { secretIn } from "../../objects/platform/secrets.ts";
import type { Following } from "../http/context.ts";
import { checkTogether } from "../http/exact-limit.ts";
import { tooMany } from "../http/too-many.ts";

export interface AccountMail {
  to: string;
  sender: string;
  subject: string;
  text: string;
  html: string;
  /** Whether it has a code, of which a mailbox gets few. */
  is_code: boolean;
  /**
   * Mails to addresses of nobody share what one mailbox may have of the day: users have the rest. `unsent` ones
   * count as codes too, so that nothing tells whether one is sent.
   */
  whose: "user" | "nobody" | "unsent";
}

const CODE_LIMITS = [
  { window_ms: MINUTE_MS, limit: 3 },
  { window_ms: HOUR_MS, limit: 5 },
  { window_ms: DAY_MS, limit: 20 },
] as const;

export function hasMail(env: Cloudflare.Env): boolean {
  return mailSettings(env).mail_from !== "";
}

/**
 * Sends after the answer, whose time would tell which mails are sent. A mail past the day's limit is lost: its reader
 * asks again. Throws 429 RATE_LIMITED for a mailbox with too many codes, a user's or not, and 503 while limits fail.
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
