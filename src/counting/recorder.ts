/** Sends events to the objects of their pages. Has ports, so that the model can run it. */

import type { PageEvent, Receipt } from "../../objects/events/event.ts";
import { packEvents } from "../../objects/events/packed-events.ts";
import { withTimeout } from "../../objects/platform/clock.ts";
import type { Clock } from "../../objects/platform/ports.ts";
import { ApiError, dependencyDown } from "../http/api-error.ts";
import { Batcher, type BatchPorts } from "../http/batcher.ts";
import { LimitedCounts } from "./limited-counts.ts";
import { EVENTS_PER_CALL_MAX, RECORD_TIMEOUT_MS } from "./limits.ts";

export type Counted = Extract<Receipt, { url: string }>;

export interface RecordPorts
  extends Pick<BatchPorts<never, never>, "waitUntil" | "shares" | "clock"> {
  record: (page_id: string, events: Uint8Array<ArrayBuffer>) => Promise<readonly Receipt[]>;
  recordLimited: (page_id: string, events: readonly PageEvent[]) => Promise<unknown>;
  failed: (event: string, page_id: string, error: unknown) => void;
}

type Settled = Exclude<Receipt, { outcome: "unsettled" }>;

const REFUSALS = {
  unknown_page: "PAGE_NOT_FOUND",
  unknown_link: "LINK_NOT_FOUND",
  suspended: "PAGE_SUSPENDED",
  link_expired: "LINK_EXPIRED",
} as const;

/** One per isolate; it batches events, and those that the limit refused. */
export class Recorder {
  readonly #clock: Clock;
  readonly #randomKey: () => string;
  readonly #limited: LimitedCounts;
  readonly #batcher: Batcher<PageEvent, Receipt>;

  /**
   * @param randomKey makes the key of an event that no client can retry
   * @param dropped gets the number of events over the limit that will reach no page
   */
  constructor(clock: Clock, randomKey: () => string, dropped: (n: number) => void) {
    this.#clock = clock;
    this.#randomKey = randomKey;
    this.#limited = new LimitedCounts(clock, dropped);
    this.#batcher = new Batcher(clock, EVENTS_PER_CALL_MAX, RECORD_TIMEOUT_MS);
  }

  /**
   * Counts an event and waits until it is durable. Throws 404 for an unknown page or link, 410 for
   * a suspended page or a link outside its times, and 503 when the object fails: then nothing was
   * acknowledged, and the client may retry with the same id.
   */
  async record(ports: RecordPorts, page_id: string, event: PageEvent): Promise<Counted> {
    let receipt: Settled;
    try {
      receipt = await this.#send(ports, page_id, event);
    } catch (error) {
      ports.failed("record_failed", page_id, error);
      throw dependencyDown(error);
    }
    if ("url" in receipt) {
      if (this.#limited.addKnownPage(page_id)) this.#deliverLimited(ports, page_id);
      return receipt;
    }
    throw new ApiError(REFUSALS[receipt.outcome]);
  }

  /** An event that only D1 can settle goes alone, so that the others of its page do not wait for D1. */
  async #send(ports: RecordPorts, page_id: string, event: PageEvent): Promise<Settled> {
    const sent_at = this.#clock.now();
    const receipt = await this.#batcher.submit(page_id, event, {
      call: (events) => ports.record(page_id, packEvents(events)),
      waitUntil: ports.waitUntil,
      shares: ports.shares,
      clock: ports.clock,
    });
    if (receipt.outcome !== "unsettled") return receipt;
    // Both calls together have the time-out of one; a clock that is set back does not lengthen it.
    const left_ms = RECORD_TIMEOUT_MS - Math.max(0, this.#clock.now() - sent_at);
    const alone = ports.record(page_id, packEvents([event]));
    const clock = ports.clock ?? this.#clock;
    const [settled] = await withTimeout(alone, Math.max(0, left_ms), clock);
    if (settled === undefined || settled.outcome === "unsettled") {
      throw new Error("the object did not settle an event");
    }
    return settled;
  }

  /** The event is sent a second later, in the background, with others that the limit refused. */
  queueLimited(ports: RecordPorts, page_id: string, link_id: string): void {
    const due = this.#limited.add(page_id, link_id);
    if (due !== null) this.#deliverLimited(ports, due);
  }

  #deliverLimited(ports: RecordPorts, page_id: string): void {
    const delivery = this.#limited.deliver(page_id, async (refused) => {
      const events = refused.map(({ link_id, n }) => {
        return { ...limitedEvent({ key: this.#randomKey(), link_id }), n };
      });
      const recording = ports.recordLimited(page_id, events);
      await withTimeout(recording, RECORD_TIMEOUT_MS, this.#clock);
    });
    ports.waitUntil(delivery.catch((error) => ports.failed("limited_events_lost", page_id, error)));
  }
}

export function limitedEvent({ key, link_id }: Pick<PageEvent, "key" | "link_id">): PageEvent {
  return { key, link_id, class: "limited", visitor: null, origin: null };
}
