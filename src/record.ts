/** From a request to an event in its page's object: the one hop of the counts lane. */
import { withTimeout } from "../objects/clock.ts";
import type { PageEvent, Receipt } from "../objects/event.ts";
import { systemClock } from "../objects/ports.ts";
import { type Claims, classify } from "./classify.ts";
import { requireConfig } from "./config.ts";
import type { AppContext } from "./context.ts";
import { type LimitedNumber, LimitedNumbers } from "./counting/limited-numbers.ts";
import { ApiError, dependencyDown } from "./errors.ts";
import { clickKey, eventKey, randomKey } from "./event-key.ts";
import { RECORD_TIMEOUT_MS } from "./limits.ts";
import { logError } from "./log.ts";
import { parseSender } from "./sender.ts";

/** Says what became of an event: `counted`, `duplicate` or `limited`. */
export const OUTCOME_HEADER = "X-Beacon-Outcome";

/** The answer to an event that is on disk. */
export type Counted = Extract<Receipt, { url: string }>;

/** What this isolate's requests were refused, on its way to the pages. */
const numbers = new LimitedNumbers(systemClock);

/** The event a beacon or a pixel stands for. `link_id` is `''` for a view. */
export async function eventOf(
  c: AppContext,
  page_id: string,
  link_id: string,
  event_id: string | undefined,
  claims: Claims,
): Promise<PageEvent> {
  const { SENDER_KEY } = requireConfig(c.env, "counting");
  const sender = parseSender(c.req.header("CF-Connecting-IP"));
  return {
    key: event_id === undefined ? randomKey() : await eventKey(SENDER_KEY, event_id, link_id),
    link_id,
    ...(await classify(c.env, c.req.raw, page_id, sender, claims)),
  };
}

/** The event a click through the redirect stands for. */
export async function clickOf(
  c: AppContext,
  page_id: string,
  link_id: string,
  event_id: string | undefined,
): Promise<PageEvent> {
  const { SENDER_KEY } = requireConfig(c.env, "counting");
  const sender = parseSender(c.req.header("CF-Connecting-IP"));
  const visit = await classify(c.env, c.req.raw, page_id, sender, {});
  const by = { sender, is_bot: visit.class === "bot" };
  return {
    key: event_id === undefined ? randomKey() : await clickKey(SENDER_KEY, by, event_id, link_id),
    link_id,
    ...visit,
  };
}

/** The same event from a sender that is over its limit. */
export function limitedEvent({ key, link_id }: Pick<PageEvent, "key" | "link_id">): PageEvent {
  return { key, link_id, class: "limited", visitor: null, origin: null };
}

/**
 * Counts an event and waits until it is durable. Throws 404 for an unknown page or link, 410 for a suspended
 * page, and 503 when the object fails: then nothing was acknowledged, and the same event id may be sent again.
 */
export async function record(c: AppContext, page_id: string, event: PageEvent): Promise<Counted> {
  let receipt: Receipt;
  try {
    const recording: Promise<Receipt> = c.env.PAGE.getByName(page_id).record(event);
    receipt = await withTimeout(recording, RECORD_TIMEOUT_MS);
  } catch (error) {
    logError("record_failed", { page_id, request_id: c.get("requestId") }, error);
    throw dependencyDown(error);
  }
  if ("url" in receipt) {
    numbers.know(page_id);
    return receipt;
  }
  throw new ApiError(REFUSALS[receipt.outcome]);
}

const REFUSALS = {
  unknown_page: "PAGE_NOT_FOUND",
  unknown_link: "LINK_NOT_FOUND",
  suspended: "PAGE_SUSPENDED",
} as const;

/** Hands an event that the limit refused to its page as a number, a second from now and behind the answer. */
export function recordRefused(c: AppContext, page_id: string, link_id: string): void {
  if (!numbers.add(page_id, link_id)) return;
  const handing = numbers.handOver(page_id, (refused) =>
    withTimeout(
      c.env.PAGE.getByName(page_id).recordNumbers(refused.map(toEvent)),
      RECORD_TIMEOUT_MS,
    ),
  );
  c.executionCtx.waitUntil(handing.catch((error) => logError("numbers_lost", { page_id }, error)));
}

function toEvent({ link_id, n }: LimitedNumber): PageEvent {
  return { ...limitedEvent({ key: randomKey(), link_id }), n };
}
