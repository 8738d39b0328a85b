/** The identity Worker's events of accounts are applied as if a hub had sent them. */
import { withTimeout } from "../../objects/platform/clock.ts";
import { logError } from "../../objects/platform/log.ts";
import type { Following } from "../http/context.ts";
import { DEPENDENCY_TIMEOUT_MS } from "../http/limits.ts";
import {
  deleteEvent,
  listEvents,
  postponeEvent,
  type StoredEvent,
} from "./account-events-store.ts";
import { applyEvent } from "./apply-event.ts";
import { HubEvent } from "./hub-event.ts";

const EVENTS_MAX = 20;

/**
 * Applies the oldest events. One that fails is logged and retried after all others, so that it keeps no session
 * alive that another one ends. Call it after each request that may have changed an account, and by the cron.
 */
export async function applyAccountEvents(c: Following, now: number): Promise<void> {
  const { DB } = c.env;
  try {
    const inTime = <T>(work: Promise<T>) => withTimeout(work, DEPENDENCY_TIMEOUT_MS);
    for (const event of await inTime(listEvents(DB, EVENTS_MAX))) {
      const isDone = await apply(c, event, now);
      await inTime((isDone ? deleteEvent : postponeEvent)(DB, event.n).run());
    }
  } catch (error) {
    logError("account_events_failed", {}, error);
  }
}

async function apply(c: Following, { id, event }: StoredEvent, now: number): Promise<boolean> {
  try {
    await applyEvent(c, id, HubEvent.parse(event), now);
    return true;
  } catch (error) {
    logError("account_events_failed", { id }, error);
    return false;
  }
}
