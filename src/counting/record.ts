/** Makes the event of a request and passes it to the recorder. */
import { logError } from "../../objects/platform/log.ts";
import { systemClock } from "../../objects/platform/ports.ts";
import { kindOf, type PageEvent } from "../../objects/tables/event.ts";
import { type AppContext, countingSettings, senderOf, timersOf } from "../http/context.ts";
import { requestCounts } from "../http/request-counts.ts";
import { type Claims, classify } from "./classify.ts";
import { type ClickIds, clickKey, eventKey, randomKey } from "./event-key.ts";
import { type Counted, Recorder, type RecordPorts } from "./recorder.ts";

/** The response header with an event's outcome: `counted`, `duplicate` or `limited`. */
export const OUTCOME_HEADER = "X-Beacon-Outcome";

/** One per isolate; it batches events, and those that the limit refused. */
export const recorder = new Recorder(systemClock, randomKey, (n) => requestCounts.dropped(n));

/** The event of a beacon or a pixel. `link_id` is `''` for a view. */
export function beaconEvent(
  c: AppContext,
  page_id: string,
  link_id: string,
  event_id: string | undefined,
  { language, ...claims }: Claims,
): PageEvent {
  const { SENDER_KEY } = countingSettings(c);
  const sender = senderOf(c);
  const claimed = kindOf(link_id) === "view" ? { ...claims, language } : claims;
  return {
    key: event_id === undefined ? randomKey() : eventKey(SENDER_KEY, event_id, link_id),
    link_id,
    ...classify(c.env, c.req.raw, page_id, sender, claimed),
  };
}

/** The event of a click through the redirect. */
export function clickEvent(
  c: AppContext,
  page_id: string,
  link_id: string,
  ids: ClickIds,
): PageEvent {
  const { SENDER_KEY } = countingSettings(c);
  const sender = senderOf(c);
  const visit = classify(c.env, c.req.raw, page_id, sender, {});
  const by = { sender, is_bot: visit.class === "bot" };
  return { key: clickKey(SENDER_KEY, by, ids, link_id) ?? randomKey(), link_id, ...visit };
}

export function record(c: AppContext, page_id: string, event: PageEvent): Promise<Counted> {
  requestCounts.counted(page_id);
  return recorder.record(portsOf(c), page_id, event);
}

export function queueLimited(c: AppContext, page_id: string, link_id: string): void {
  recorder.queueLimited(portsOf(c), page_id, link_id);
}

export function portsOf(c: AppContext): RecordPorts {
  return {
    record: (page_id, events) => c.env.PAGE.getByName(page_id).recordBatch(events),
    recordLimited: (page_id, events) => c.env.PAGE.getByName(page_id).recordLimited(events),
    failed: (event, page_id, error) =>
      logError(event, { page_id, request_id: c.get("requestId") }, error),
    waitUntil: (promise) => c.executionCtx.waitUntil(promise),
    shares: countingSettings(c).SHARED_CALLS === "on",
    clock: timersOf(c),
  };
}
