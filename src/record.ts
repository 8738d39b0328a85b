/** From a request to an event in its page's object: the one hop of the counts lane. */
import type { PageEvent, Receipt } from "../objects/event.ts";
import { type Claims, classify } from "./classify.ts";
import type { AppContext } from "./context.ts";
import { ApiError, dependencyDown } from "./errors.ts";
import { eventKey, randomKey } from "./event-key.ts";
import { Gatherer } from "./gather.ts";
import { RECORD_TIMEOUT_MS } from "./limits.ts";
import { logError } from "./log.ts";
import { parseSender } from "./sender.ts";

/** Says what became of an event: `counted`, `duplicate` or `limited`. */
export const OUTCOME_HEADER = "X-Beacon-Outcome";

/** Events on their way to page objects, by `page_id`. */
const recording = new Gatherer<PageEvent, Receipt>(
  (env, page_id, events) => env.PAGE.getByName(page_id).recordAll(events),
  RECORD_TIMEOUT_MS,
);

/** The answer to an event that is on disk. */
export type Counted = Extract<Receipt, { url: string }>;

/** The event this request stands for. `link_id` is `''` for a view. */
export async function eventOf(
  c: AppContext,
  page_id: string,
  link_id: string,
  event_id: string | undefined,
  claims: Claims,
): Promise<PageEvent> {
  const sender = parseSender(c.req.header("CF-Connecting-IP"));
  return {
    key: event_id === undefined ? randomKey() : await eventKey(event_id, link_id),
    link_id,
    ...(await classify(c.env, c.req.raw, page_id, sender, claims)),
  };
}

/**
 * Counts an event and waits until it is durable. Throws 404 for an unknown page or link, and 503
 * when the object fails: then nothing was acknowledged, and the same event id may be sent again.
 */
export async function record(c: AppContext, page_id: string, event: PageEvent): Promise<Counted> {
  let receipt: Receipt;
  try {
    receipt = await recording.submit(c, page_id, event);
    if (receipt.outcome === "failed") throw new Error(receipt.reason);
  } catch (error) {
    logError("record_failed", { page_id, request_id: c.get("requestId") }, error);
    throw dependencyDown(error);
  }
  if ("url" in receipt) return receipt;
  throw new ApiError(receipt.outcome === "unknown_page" ? "PAGE_NOT_FOUND" : "LINK_NOT_FOUND");
}
