/**
 * Deliveries: one event for one endpoint each. A row is written when the event happens; it is sent while the
 * page is not suspended (`delivery-lanes.ts`), shown to the owner, and deleted after 30 days.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../platform/clock.ts";
import { DeliveryLanes } from "./delivery-lanes.ts";
import { PageStatus } from "./page-status.ts";
import { GIVE_UP_MS, RETRY_AFTER_MAX_MS } from "./retry-schedule.ts";
import { type Attempt, type Delivery, type DeliveryDetail, TEST_EVENT } from "./webhook.ts";
import { randomHex, type Store, type WebhookPorts } from "./webhook-ports.ts";
import type { DeliveryRow, OutgoingEvent, WebhookTables } from "./webhook-tables.ts";

/** Deliveries that wait for one endpoint. Further events are dropped; the owner sees their number. */
export const WAITING_MAX = 1_000;
/** Deliveries of a page that are kept, for as long as this. */
export const DELIVERIES_KEPT = 3_000;
export const KEPT_MS = 30 * DAY_MS;
/** While the page is suspended, D1 is asked again after this time. */
const SUSPENDED_PAUSE_MS = 15 * MINUTE_MS;

export class Deliveries {
  readonly #ports: WebhookPorts;
  readonly #tables: WebhookTables;
  readonly #store: Store;
  readonly #lanes: DeliveryLanes;
  readonly #status: PageStatus;

  constructor(ports: WebhookPorts, tables: WebhookTables, store: Store) {
    this.#ports = ports;
    this.#tables = tables;
    this.#store = store;
    this.#lanes = new DeliveryLanes(ports, tables);
    this.#status = new PageStatus(ports);
  }

  /** Makes the deliveries of an event, for each endpoint that wants it; belongs into a transaction. */
  add(id: string, event: Omit<OutgoingEvent, "event_id">): void {
    const now = this.#ports.clock.now();
    for (const row of this.#tables.endpoints()) {
      const isWanted = row.state === "on" && JSON.parse(row.events).includes(event.type);
      if (!isWanted) continue;
      if (this.#tables.waiting(row.id) < WAITING_MAX) {
        const event_id = this.#eventId(id);
        this.#tables.addDelivery(row.id, { event_id, ...event }, now, now + GIVE_UP_MS);
      } else this.#tables.putEndpoint({ ...row, dropped: row.dropped + 1 });
    }
  }

  /** Sends a test event; answers its delivery, `off` where the endpoint is off, null where there is none. */
  async sendTest(id: string): Promise<number | "off" | null> {
    const row = this.#tables.endpoint(id);
    if (row === null || row.state !== "on") return row && "off";
    const now = this.#ports.clock.now();
    const event_id = this.#eventId(`test_${randomHex(this.#ports, 12)}`);
    await this.#store(() => {
      this.#tables.putEndpoint({ ...row, rest_until: 0 });
      this.#tables.addDelivery(
        id,
        { event_id, type: TEST_EVENT, at: now, data: {} },
        now,
        now + GIVE_UP_MS,
      );
    });
    const made = this.#tables.deliveries(Number.MAX_SAFE_INTEGER, 1)[0];
    this.kick();
    return made?.seq ?? null;
  }

  /** Sends a delivery once more, with its id, for another three days. As `sendTest` otherwise. */
  async sendAgain(seq: number): Promise<number | "off" | null> {
    const row = this.#tables.delivery(seq);
    const endpoint = row && this.#tables.endpoint(row.endpoint_id);
    if (row === null || endpoint === null) return null;
    if (endpoint.state !== "on") return "off";
    const now = this.#ports.clock.now();
    await this.#store(() => {
      const until = now + GIVE_UP_MS;
      this.#tables.setDelivery(seq, { state: "waiting", tries: 0, next_at: now, until });
      this.#tables.putEndpoint({ ...endpoint, rest_until: 0 });
    });
    this.kick();
    return seq;
  }

  /** The newest first, before this number; null for the newest of all. */
  list(before: number | null, limit: number): Delivery[] {
    return this.#tables.deliveries(before ?? Number.MAX_SAFE_INTEGER, limit).map(viewOf);
  }

  /** Null where there is none. Rejects if the newsletter's object fails. */
  async find(seq: number): Promise<DeliveryDetail | null> {
    const row = this.#tables.delivery(seq);
    if (row === null) return null;
    const attempts = this.#tables.attempts(seq).map(
      ({ at, outcome, ...attempt }): Attempt => ({
        at: iso(at),
        outcome: outcome as Attempt["outcome"],
        ...attempt,
      }),
    );
    return { ...viewOf(row), payload: await this.#lanes.body(row), attempts };
  }

  /** Sends what is due, unless the page is suspended. Rejects if D1 does not say whether it is. */
  async send(): Promise<void> {
    const now = this.#ports.clock.now();
    const isDue = this.#tables
      .endpoints()
      .some(({ id, state }) => state === "on" && (this.#tables.nextDue(id) ?? now + 1) <= now);
    if (isDue && !(await this.#status.isSuspended())) await this.#lanes.run();
  }

  /** Sends at once, without being waited for: the alarm is set. */
  kick(): void {
    this.send().catch(this.#ports.failed);
  }

  /** Deletes what is over, and mends times after a clock that was set back; belongs into a transaction. */
  tidy(now: number): void {
    this.#tables.notLaterThan(now + RETRY_AFTER_MAX_MS, now + GIVE_UP_MS);
    this.#tables.forgetDeliveries(DELIVERIES_KEPT, now - KEPT_MS);
  }

  /** When there is something to send or to delete. */
  dueAt(): number {
    const now = this.#ports.clock.now();
    const oldest = this.#tables.oldestDelivery();
    const times: number[] = oldest === null ? [] : [Math.max(oldest + KEPT_MS, now + HOUR_MS)];
    for (const row of this.#tables.endpoints()) {
      const due = row.state === "on" ? this.#tables.nextDue(row.id) : null;
      if (due === null) continue;
      const at = Math.max(due, row.rest_until);
      times.push(this.#status.wasSuspended ? Math.max(at, now + SUSPENDED_PAUSE_MS) : at);
    }
    return Math.min(...times);
  }

  /** With the page's id, because a receiver may serve several pages. */
  #eventId(id: string): string {
    return `evt_${this.#ports.pageId()}_${id}`;
  }
}

function viewOf(row: DeliveryRow): Delivery {
  const { seq, endpoint_id, event_id, type, state, tries, created_at, next_at } = row;
  return {
    id: seq,
    webhook_id: endpoint_id,
    event_id,
    type,
    state,
    tries,
    created_at: iso(created_at),
    next_at: state === "waiting" ? iso(next_at) : null,
  };
}

function iso(at_ms: number): string {
  return new Date(at_ms).toISOString();
}
