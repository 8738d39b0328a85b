/**
 * From an event to its page's object: the one hop of the counts lane. On ports, so that the model runs it.
 */
import { withTimeout } from "../../objects/platform/clock.ts";
import type { Clock } from "../../objects/platform/ports.ts";
import type { PageEvent, Receipt } from "../../objects/tables/event.ts";
import { ApiError, dependencyDown } from "../http/api-error.ts";
import { RECORD_TIMEOUT_MS } from "../http/limits.ts";
import { LimitedCounts } from "./limited-counts.ts";

/** The answer to an event that is on disk. */
export type Counted = Extract<Receipt, { url: string }>;

/** The request that counts: its calls, its log, and what it does behind its answer. */
export interface RecordPorts {
  /** Calls `record` of the page's object. */
  record: (page_id: string, event: PageEvent) => Promise<Receipt>;
  /** Calls `recordLimited` of the page's object. */
  recordLimited: (page_id: string, events: readonly PageEvent[]) => Promise<unknown>;
  /** Called for what failed, with the name of the log line. */
  failed: (event: string, page_id: string, error: unknown) => void;
  waitUntil: (promise: Promise<unknown>) => void;
}

const REFUSALS = {
  unknown_page: "PAGE_NOT_FOUND",
  unknown_link: "LINK_NOT_FOUND",
  suspended: "PAGE_SUSPENDED",
} as const;

/** One per isolate, for what its requests were refused. */
export class Recorder {
  readonly #clock: Clock;
  readonly #randomKey: () => string;
  readonly #numbers: LimitedCounts;

  /** @param randomKey makes the key of an event that no client can send again */
  constructor(clock: Clock, randomKey: () => string) {
    this.#clock = clock;
    this.#randomKey = randomKey;
    this.#numbers = new LimitedCounts(clock);
  }

  /**
   * Counts an event and waits until it is durable. Throws 404 for an unknown page or link, 410 for a suspended
   * page, and 503 when the object fails: then nothing was acknowledged, and the same event id may be sent again.
   */
  async record(ports: RecordPorts, page_id: string, event: PageEvent): Promise<Counted> {
    let receipt: Receipt;
    try {
      const recording = ports.record(page_id, event);
      receipt = await withTimeout(recording, RECORD_TIMEOUT_MS, this.#clock);
    } catch (error) {
      ports.failed("record_failed", page_id, error);
      throw dependencyDown(error);
    }
    if ("url" in receipt) {
      this.#numbers.know(page_id);
      return receipt;
    }
    throw new ApiError(REFUSALS[receipt.outcome]);
  }

  /** Hands an event that the limit refused to its page as a number, a second from now and behind the answer. */
  queueLimited(ports: RecordPorts, page_id: string, link_id: string): void {
    if (!this.#numbers.add(page_id, link_id)) return;
    const handing = this.#numbers.deliver(page_id, async (refused) => {
      const events = refused.map(({ link_id, n }) => {
        return { ...limitedEvent({ key: this.#randomKey(), link_id }), n };
      });
      const recording = ports.recordLimited(page_id, events);
      await withTimeout(recording, RECORD_TIMEOUT_MS, this.#clock);
    });
    ports.waitUntil(handing.catch((error) => ports.failed("numbers_lost", page_id, error)));
  }
}

/** The same event from a sender that is over its limit. */
export function limitedEvent({ key, link_id }: Pick<PageEvent, "key" | "link_id">): PageEvent {
  return { key, link_id, class: "limited", visitor: null, origin: null };
}
