/**
 * The mails of a day, counted in one limiter object: those of all pages together, and those of each page, so that
 * one page whose form is flooded leaves mails to the others.
 */
import { createHash } from "node:crypto";
import { DAY_MS } from "../platform/clock.ts";

/** The limiter object, and the scope in it. */
export const BUDGET = "mail";
/** All pages together. */
const ALL_PAGES = "0".repeat(32);
/** One page gets a part of the budget, `1 / PAGE_PART`. */
const PAGE_PART = 4;

interface Verdict {
  admitted: boolean;
  reset_ms: number;
}

interface Limiter {
  check: (check: {
    sender: string;
    scope: string;
    limit: number;
    window_ms: number;
  }) => Promise<Verdict>;
}

/** Takes one mail of a page from what it, and from what all pages, may send in any 24 hours. */
export async function takeMail(
  limiter: Limiter,
  page_id: string,
  mail_per_day: number,
): Promise<Verdict> {
  const rule = { scope: BUDGET, window_ms: DAY_MS };
  const sender = createHash("sha256").update(page_id).digest("hex").slice(0, 32);
  const limit = Math.max(1, Math.floor(mail_per_day / PAGE_PART));
  const own = await limiter.check({ ...rule, sender, limit });
  if (!own.admitted) return own;
  return limiter.check({ ...rule, sender: ALL_PAGES, limit: mail_per_day });
}

/** Mails of all pages that were sent in the last 24 hours. */
export function mailsSent(limiter: {
  used: (which: { sender: string; scope: string; window_ms: number }) => Promise<number>;
}): Promise<number> {
  return limiter.used({ sender: ALL_PAGES, scope: BUDGET, window_ms: DAY_MS });
}
