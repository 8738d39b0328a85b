/**
 * The mails of a day, counted in one limiter object: those of all pages together, and those of each page, so that
 * pages whose forms are flooded leave mails to the others.
 */
import { createHash } from "node:crypto";
import { DAY_MS } from "../platform/clock.ts";

/** The limiter object, and the scope in it. */
export const BUDGET = "mail";
/** All pages together. */
const ALL_PAGES = "0".repeat(32);
/** Of what is left of the day's mails a page may have sent part, `1 / SHARE`: a quarter of all, if it is alone. */
const SHARE = 3;

interface Verdict {
  admitted: boolean;
  reset_ms: number;
}

interface Limiter {
  checkTogether: (check: {
    scope: string;
    window_ms: number;
    parts: { sender: string; limit: number; share?: number }[];
  }) => Promise<Verdict>;
}

/**
 * Takes one mail of a page from what all pages may send in any 24 hours. A page that has sent none is admitted while
 * any is left. A refusal takes nothing; `reset_ms` is when the next mail comes back.
 */
export function takeMail(
  limiter: Limiter,
  page_id: string,
  mail_per_day: number,
): Promise<Verdict> {
  const sender = createHash("sha256").update(page_id).digest("hex").slice(0, 32);
  const parts = [
    { sender, limit: mail_per_day, share: SHARE },
    { sender: ALL_PAGES, limit: mail_per_day },
  ];
  return limiter.checkTogether({ scope: BUDGET, window_ms: DAY_MS, parts });
}

/** Mails of all pages that were sent in the last 24 hours. */
export function mailsSent(limiter: {
  used: (which: { sender: string; scope: string; window_ms: number }) => Promise<number>;
}): Promise<number> {
  return limiter.used({ sender: ALL_PAGES, scope: BUDGET, window_ms: DAY_MS });
}
