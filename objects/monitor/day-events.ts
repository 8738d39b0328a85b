/**
 * EVENTS_PER_DAY: the events of a UTC day, given to isolates in shares. Pure.
 *
 * A share is as large as what its isolate has counted so far, so an isolate that ends loses at most
 * as many events as it has counted; and a sixteenth of what is left, so that near the end none
 * waits in one isolate while another refuses.
 */
import { DAY_MS } from "../platform/clock.ts";

/** One share may have this part of what is left, beside the events that wait for it. */
const PART = 16;
/** The most events of a share: larger ones save nothing any more. */
const SHARE_MAX = 1_000;

export interface DayEvents {
  /** Days since 1970. */
  day: number;
  given: number;
  /** Unix milliseconds at which an event first got no share; null if each has. */
  used_up_at: number | null;
}

export interface ShareCall {
  limit: number;
  wanted: number;
  /** Events that the isolate would like to count without asking again. */
  ahead: number;
}

export interface Share {
  n: number;
  /** The time until the next day. A duration, because the isolate's clock may be another one. */
  ends_in_ms: number;
}

/** A clock that steps back over midnight does not begin the day before anew. */
export function shareOf(
  before: DayEvents | undefined,
  { limit, wanted, ahead }: ShareCall,
  now: number,
): { events: DayEvents; share: Share } {
  const { day, given, used_up_at } = eventsAt(before, now);
  const left = Math.max(0, limit - given);
  const n = Math.min(left, wanted + Math.min(ahead, SHARE_MAX, Math.floor(left / PART)));
  return {
    events: { day, given: given + n, used_up_at: n < wanted ? (used_up_at ?? now) : null },
    share: { n, ends_in_ms: (day + 1) * DAY_MS - now },
  };
}

export function eventsAt(events: DayEvents | undefined, now: number): DayEvents {
  const day = Math.floor(now / DAY_MS);
  return events !== undefined && events.day >= day ? events : { day, given: 0, used_up_at: null };
}
