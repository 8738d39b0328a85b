/**
 * Deliveries: one event for one endpoint each. A row is written when the event happens; it is sent
 * while the page is not suspended (`delivery-lanes.ts`), shown to the owner, and deleted after 30
 * days.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../platform/clock.ts";
import { DeliveryLanes } from "./delivery-lanes.ts";
import { PageStatus } from "./page-status.ts";
import { GIVE_UP_MS, RETRY_AFTER_MAX_MS } from "./retry-schedule.ts";
import { type Attempt, type Delivery, type DeliveryDetail, TEST_EVENT } from "./webhook.ts";
import { randomHex, type Store, type WebhookPorts } from "./webhook-ports.ts";
import type { DeliveryRow, OutgoingEvent, WebhookTables } from "./webhook-tables.ts";

/** While so many wait for one endpoint, further events are dropped. */
export const WAITING_MAX = 1_000;
export const DELIVERIES_KEPT = 3_000;
export const KEPT_MS = 30 * DAY_MS;
const SUSPENDED_PAUSE_MS = 15 * MINUTE_MS;
/** The minute of the last sending; shorter interruptions than `LOST_MIN_MS` are not made up for. */
const SENT_AT = "sent_at";
const LOST_MIN_MS = HOUR_MS;

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

  /** Belongs into a transaction. */
  add(id: string, event: Omit<OutgoingEvent, "event_id">): void {
    const now = this.#ports.clock.now();
    for (const row of this.#tables.endpoints()) {
      const isWanted = row.state === "on" && JSON.parse(row.events).includes(event.type);
      if (!isWanted) continue;
      if (this.#tables.waiting(row.id) < WAITING_MAX) {
        const event_id = this.#eventId(id);
        const until = now + GIVE_UP_MS;
        const made = { endpoint_id: row.id, now, next_at: now, until };
        this.#tables.addDelivery({ event_id, ...event }, made);
      } else this.#tables.putEndpoint({ ...row, dropped: row.dropped + 1 });
    }
  }

  /** Answers the delivery, `off` if the endpoint is off, null if there is none. */
  async sendTest(id: string): Promise<number | "off" | null> {
    const row = this.#tables.endpoint(id);
    if (row === null || row.state !== "on") return row && "off";
    const now = this.#ports.clock.now();
    const event_id = this.#eventId(`test_${randomHex(this.#ports, 12)}`);
    let seq = 0;
    await this.#store(() => {
      const next_at = this.#firstInLine(id, now);
      const made = { endpoint_id: id, now, next_at, until: now + GIVE_UP_MS };
      seq = this.#tables.addDelivery({ event_id, type: TEST_EVENT, at: now, data: {} }, made);
      this.#tables.putEndpoint({ ...row, rest_until: 0 });
    });
    this.kick();
    return seq;
  }

  /** Sends a delivery once more, with its id, for another three days. Answers as `sendTest`. */
  async sendAgain(seq: number): Promise<number | "off" | null> {
    const row = this.#tables.delivery(seq);
    const endpoint = row && this.#tables.endpoint(row.endpoint_id);
    if (row === null || endpoint === null) return null;
    if (endpoint.state !== "on") return "off";
    const now = this.#ports.clock.now();
    await this.#store(() => {
      const next_at = this.#firstInLine(row.endpoint_id, now);
      const until = now + GIVE_UP_MS;
      this.#tables.setDelivery(seq, { state: "waiting", tries: 0, next_at, until });
      this.#tables.putEndpoint({ ...endpoint, rest_until: 0 });
    });
    this.kick();
    return seq;
  }

  /** The newest come first; `before` is null for the newest of all. */
  list(before: number | null, limit: number): Delivery[] {
    const rests = new Map(this.#tables.endpoints().map(({ id, rest_until }) => [id, rest_until]));
    return this.#tables
      .deliveries(before ?? Number.MAX_SAFE_INTEGER, limit)
      .map((row) => viewOf(row, rests.get(row.endpoint_id)));
  }

  /** Rejects if the newsletter's object fails. */
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
    const view = viewOf(row, this.#tables.endpoint(row.endpoint_id)?.rest_until);
    return { ...view, payload: await this.#lanes.body(row), attempts };
  }

  /** Sends nothing if the page is suspended. Rejects if D1 does not say whether it is. */
  async send(): Promise<void> {
    if (this.#sendAt() > this.#ports.clock.now()) return;
    if (await this.#status.isSuspended()) return;
    if (!this.#tables.exist) return;
    this.#makeUp();
    await this.#lanes.run();
  }

  /** Sends at once, without being waited for: the alarm is set. */
  kick(): void {
    this.send().catch(this.#ports.failed);
  }

  /** A clock that was set back must not make anything wait for longer than by its schedule. */
  notLaterThan(now: number): void {
    this.#tables.notLaterThan(now + RETRY_AFTER_MAX_MS, now + GIVE_UP_MS);
  }

  /** Belongs into a transaction. */
  forget(now: number): void {
    this.#tables.forgetDeliveries(DELIVERIES_KEPT, now - KEPT_MS);
  }

  dueAt(): number {
    const now = this.#ports.clock.now();
    const send_at = this.#sendAt();
    const oldest = this.#tables.oldestDelivery();
    return Math.min(
      this.#status.wasSuspended ? Math.max(send_at, now + SUSPENDED_PAUSE_MS) : send_at,
      oldest === null ? Number.POSITIVE_INFINITY : Math.max(oldest + KEPT_MS, now + HOUR_MS),
    );
  }

  #sendAt(): number {
    const times = this.#tables.endpoints().map(({ id, state, rest_until }) => {
      const due = state === "on" ? this.#tables.nextDue(id) : null;
      return due === null ? Number.POSITIVE_INFINITY : Math.max(due, rest_until);
    });
    return Math.min(...times);
  }

  /**
   * Prolongs what waits by the time in which nothing could be sent: the page was suspended, D1
   * failed, or the clock was set forward.
   */
  #makeUp(): void {
    const { storage, clock } = this.#ports;
    const now = clock.now();
    const sent_at = storage.kv.get<number>(SENT_AT) ?? 0;
    if (sent_at <= now && now - sent_at < MINUTE_MS) return;
    const lost_ms = now - Math.max(sent_at, this.#sendAt());
    storage.transactionSync(() => {
      if (lost_ms >= LOST_MIN_MS) this.#tables.prolong(lost_ms, now + GIVE_UP_MS);
      storage.kv.put(SENT_AT, now);
    });
  }

  /** Goes before all that wait: the owner wants to see what is answered. */
  #firstInLine(endpoint_id: string, now: number): number {
    return Math.min(now, (this.#tables.nextDue(endpoint_id) ?? now) - 1);
  }

  /** Has the page's id, because a receiver may serve several pages. */
  #eventId(id: string): string {
    return `evt_${this.#ports.pageId()}_${id}`;
  }
}

function viewOf(row: DeliveryRow, rest_until = 0): Delivery {
  const { seq, endpoint_id, event_id, type, state, tries, created_at, next_at } = row;
  return {
    id: seq,
    webhook_id: endpoint_id,
    event_id,
    type,
    state,
    tries,
    created_at: iso(created_at),
    next_at: state === "waiting" ? iso(Math.max(next_at, rest_until)) : null,
  };
}

function iso(at_ms: number): string {
  return new Date(at_ms).toISOString();
}
