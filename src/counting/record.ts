import { kindOf, type PageEvent } from "../../objects/events/event.ts";
import { MONITOR } from "../../objects/flush/flush-reports.ts";
import type { ShareCall } from "../../objects/monitor/day-events.ts";
import { DAY_MS, SECOND_MS } from "../../objects/platform/clock.ts";
import { logError } from "../../objects/platform/log.ts";
import { systemClock } from "../../objects/platform/ports.ts";
import { type ApiError, dependencyDown } from "../http/api-error.ts";
import { type AppContext, countingSettings, senderOf, timersOf } from "../http/context.ts";
import { requestCounts } from "../http/request-counts.ts";
import { tooMany } from "../http/too-many.ts";
import { type Claims, classify } from "./classify.ts";
import { DayBudget } from "./day-budget.ts";
import { type ClickIds, clickKey, eventKey, randomKey } from "./event-key.ts";
import { type Counted, Recorder, type RecordPorts } from "./recorder.ts";

/** Its values are `counted`, `duplicate` and `limited`. */
export const OUTCOME_HEADER = "X-Beacon-Outcome";

/** One per isolate, because it batches events. */
export const recorder = new Recorder(systemClock, randomKey, (n) => requestCounts.dropped(n));

/** One per isolate, because it holds shares of EVENTS_PER_DAY. */
const budget = new DayBudget(systemClock);
/** The scope in the 429, and among the refusals that operators see. */
const EVENTS_SCOPE = "events_day";

/** `link_id` is `''` for a view. */
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

/** Counts as {@link Recorder.record} does; throws 429 where the day's events are used up. */
export async function record(c: AppContext, page_id: string, event: PageEvent): Promise<Counted> {
  if (countingSettings(c).EVENTS_PER_DAY > 0 && !(await takeOfDay(c))) {
    throw usedUp(c) ?? dependencyDown();
  }
  requestCounts.counted(page_id);
  return recorder.record(portsOf(c), page_id, event);
}

/** Takes one event of the day for all tries to count it; false where they are used up. */
export async function takeOfDay(c: AppContext): Promise<boolean> {
  const limit = countingSettings(c).EVENTS_PER_DAY;
  const ask = (call: ShareCall) => c.env.MONITOR.getByName(MONITOR).share(call);
  return limit === 0 || budget.take(limit, { ...portsOf(c), ask });
}

/** The 429 of a beacon if this isolate knows that the day's events are used up, else null. */
export function usedUp(c: AppContext): ApiError | null {
  const limit = countingSettings(c).EVENTS_PER_DAY;
  const left_ms = limit === 0 ? null : budget.usedUpForMs();
  if (left_ms === null) return null;
  requestCounts.refused(EVENTS_SCOPE);
  return tooMany({ scope: EVENTS_SCOPE, limit, window_s: DAY_MS / SECOND_MS }, left_ms);
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
