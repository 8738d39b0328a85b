/** The event a request stands for, and the way to its page's object (`counting/recorder.ts`). */
import { logError } from "../../objects/platform/log.ts";
import { systemClock } from "../../objects/platform/ports.ts";
import type { PageEvent, Receipt } from "../../objects/tables/event.ts";
import { requireConfig } from "../http/config.ts";
import { type AppContext, senderOf } from "../http/context.ts";
import { type Claims, classify } from "./classify.ts";
import { clickKey, eventKey, randomKey } from "./event-key.ts";
import { type Counted, Recorder, type RecordPorts } from "./recorder.ts";

/** Says what became of an event: `counted`, `duplicate` or `limited`. */
export const OUTCOME_HEADER = "X-Beacon-Outcome";

/** Per isolate: it gathers what the limit refused, on its way to the pages. */
export const recorder = new Recorder(systemClock, randomKey);

/** The event a beacon or a pixel stands for. `link_id` is `''` for a view. */
export async function beaconEvent(
  c: AppContext,
  page_id: string,
  link_id: string,
  event_id: string | undefined,
  claims: Claims,
): Promise<PageEvent> {
  const { SENDER_KEY } = requireConfig(c.env, "counting");
  const sender = senderOf(c);
  return {
    key: event_id === undefined ? randomKey() : await eventKey(SENDER_KEY, event_id, link_id),
    link_id,
    ...(await classify(c.env, c.req.raw, page_id, sender, claims)),
  };
}

/** The event a click through the redirect stands for. */
export async function clickEvent(
  c: AppContext,
  page_id: string,
  link_id: string,
  event_id: string | undefined,
): Promise<PageEvent> {
  const { SENDER_KEY } = requireConfig(c.env, "counting");
  const sender = senderOf(c);
  const visit = await classify(c.env, c.req.raw, page_id, sender, {});
  const by = { sender, is_bot: visit.class === "bot" };
  return {
    key: event_id === undefined ? randomKey() : await clickKey(SENDER_KEY, by, event_id, link_id),
    link_id,
    ...visit,
  };
}

/**
 * Counts an event and waits until it is durable. Throws 404 for an unknown page or link, 410 for a suspended
 * page, and 503 when the object fails: then nothing was acknowledged, and the same event id may be sent again.
 */
export function record(c: AppContext, page_id: string, event: PageEvent): Promise<Counted> {
  return recorder.record(portsOf(c), page_id, event);
}

/** Hands an event that the limit refused to its page as a number, a second from now and behind the answer. */
export function queueLimited(c: AppContext, page_id: string, link_id: string): void {
  recorder.queueLimited(portsOf(c), page_id, link_id);
}

/** What a request brings along for counting. */
export function portsOf(c: AppContext): RecordPorts {
  return {
    record: (page_id, event): Promise<Receipt> => c.env.PAGE.getByName(page_id).record(event),
    recordLimited: (page_id, events) => c.env.PAGE.getByName(page_id).recordLimited(events),
    failed: (event, page_id, error) =>
      logError(event, { page_id, request_id: c.get("requestId") }, error),
    waitUntil: (promise) => c.executionCtx.waitUntil(promise),
  };
}
