/**
 * Webhooks: the endpoints of one page and what is delivered to them, without the platform around it.
 *
 *   page's object ─ news, numbered ─▶ take ─▶ delivery rows ─▶ acknowledged
 *   links, every six hours ──────────────────▶ delivery rows
 *                                              lanes ─▶ the endpoint ─▶ delivered, or again for three days
 *
 * Owns the endpoints with their secrets, the deliveries of 30 days, and whether links are down. Forgets
 * all with the page. An event is delivered at least once, always with the same id; order is not promised.
 */
import { Alarm } from "../platform/alarm.ts";
import { Backoff } from "../platform/backoff.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, withTimeout } from "../platform/clock.ts";
import { hasTables, migrate } from "../platform/schema.ts";
import { PAGE_EVENTS, type PageNewsBatch } from "../tables/webhook-outbox.ts";
import { DeliveryLanes } from "./delivery-lanes.ts";
import { LinkWatch } from "./link-watch.ts";
import { addNotice, forgetNotices } from "./notices.ts";
import { GIVE_UP_MS, RETRY_AFTER_MAX_MS } from "./retry-schedule.ts";
import { newSecret } from "./sign.ts";
import {
  type Attempt,
  type Delivery,
  type DeliveryDetail,
  ENDPOINTS_MAX,
  type Endpoint,
  type EndpointChange,
  type EndpointInput,
  TEST_EVENT,
} from "./webhook.ts";
import type { WebhookPorts } from "./webhook-ports.ts";
import {
  type DeliveryRow,
  type EndpointRow,
  type OutgoingEvent,
  WebhookTables,
} from "./webhook-tables.ts";
import { WEBHOOKS_STEPS } from "./webhooks-schema.ts";

/** Deliveries that wait for one endpoint. Further events are dropped; the owner sees their number. */
export const WAITING_MAX = 1_000;
/** Deliveries of a page that are kept, for as long as this. */
export const DELIVERIES_KEPT = 3_000;
export const KEPT_MS = 30 * DAY_MS;
/** How long the secret before the present one signs too. */
export const ROTATION_MS = DAY_MS;
/** How long D1's answer holds that the page is suspended, or is not. */
const STATUS_KEPT_MS = 10 * SECOND_MS;
/** While the page is suspended, deliveries wait, and D1 is asked again after this time. */
const SUSPENDED_PAUSE_MS = 15 * MINUTE_MS;
/** Time of the next alarm, should the object be killed while it sends. */
const LEASE_MS = 30 * SECOND_MS;
const CALL_TIMEOUT_MS = 10 * SECOND_MS;

/** Number of the last news of the page's object, and what that object could not keep. */
const TAKEN = "taken";
const OUTBOX_DROPPED = "outbox_dropped";
/** Counts the changes of what the page's object is to tell, and which of them it has. */
const VERSION = "version";
const ANNOUNCED = "announced";
const TYPES = "types";
/** All that is stored of a page that has ended. */
const ENDED = "ended";

export class Webhooks {
  readonly #ports: WebhookPorts;
  readonly #tables: WebhookTables;
  readonly #lanes: DeliveryLanes;
  readonly #watch: LinkWatch;
  readonly #alarm: Alarm;
  readonly #backoff: Backoff;
  #status: { is_suspended: boolean; at: number } | null = null;

  constructor(ports: WebhookPorts) {
    this.#ports = ports;
    this.#tables = new WebhookTables(ports.storage);
    this.#lanes = new DeliveryLanes(ports, this.#tables);
    this.#watch = new LinkWatch(ports, (event) => {
      this.#emit({ ...event, event_id: this.#eventId(`link_${this.#random(12)}`) });
    });
    this.#alarm = new Alarm(ports.storage);
    this.#backoff = new Backoff(ports.storage.kv);
    if (this.#exists) migrate(ports.storage, WEBHOOKS_STEPS);
  }

  /** To be awaited before the first call. Replaces an alarm that the platform has lost. */
  async ready(): Promise<void> {
    await this.#alarm.load();
    const now = this.#ports.clock.now();
    if (this.#exists && !this.#alarm.firesBy(Number.POSITIVE_INFINITY, now)) this.#armNext(0);
  }

  /** Of the page, and how many events could not be kept before they reached this object. */
  list(): { endpoints: Endpoint[]; dropped: number } {
    if (!this.#exists) return { endpoints: [], dropped: 0 };
    const dropped = this.#number(OUTBOX_DROPPED);
    return { endpoints: this.#tables.endpoints().map((row) => this.#view(row)), dropped };
  }

  /** Adds an endpoint with a secret of its own; null where the page has as many as it may. */
  async create({ url, events }: EndpointInput): Promise<Endpoint | null> {
    const { storage, clock } = this.#ports;
    if (storage.kv.get(ENDED) !== undefined) return null;
    migrate(storage, WEBHOOKS_STEPS);
    if (this.#tables.endpoints().length >= ENDPOINTS_MAX) return null;
    const row: EndpointRow = {
      id: `wh_${this.#random(12)}`,
      url,
      events: JSON.stringify(events),
      state: "on",
      secret: newSecret(this.#ports.randomBytes),
      old_secret: null,
      old_until: null,
      created_at: clock.now(),
      failures: 0,
      rest_until: 0,
      ok_at: null,
      dropped: 0,
    };
    await this.#change(() => this.#tables.putEndpoint(row));
    return this.#view(row);
  }

  /** Changes an endpoint; switched on, it starts afresh. Null where there is none. */
  async change(id: string, { url, events, enabled }: EndpointChange): Promise<Endpoint | null> {
    const row = this.#endpoint(id);
    if (row === null) return null;
    const turned =
      enabled === undefined ? row.state : enabled ? "on" : row.state === "on" ? "off" : row.state;
    const isFresh = turned === "on" && (row.state !== "on" || (url ?? row.url) !== row.url);
    const changed: EndpointRow = {
      ...row,
      url: url ?? row.url,
      events: events === undefined ? row.events : JSON.stringify(events),
      state: turned,
      // A new address is not to blame for what the one before did.
      ...(isFresh ? { failures: 0, rest_until: 0, ok_at: this.#ports.clock.now() } : {}),
    };
    await this.#change(() => {
      this.#tables.putEndpoint(changed);
      if (turned !== "on") this.#tables.giveUp(id);
    });
    return this.#view(changed);
  }

  /** Deletes an endpoint with all its deliveries. False where there is none. */
  async remove(id: string): Promise<boolean> {
    if (this.#endpoint(id) === null) return false;
    await this.#change(() => this.#tables.deleteEndpoint(id));
    return true;
  }

  /** Makes a new secret; the present one signs too for a day. Null where there is no endpoint. */
  async rotate(id: string): Promise<Endpoint | null> {
    const row = this.#endpoint(id);
    if (row === null) return null;
    const { clock, randomBytes } = this.#ports;
    const rotated: EndpointRow = {
      ...row,
      secret: newSecret(randomBytes),
      old_secret: row.secret,
      old_until: clock.now() + ROTATION_MS,
    };
    await this.#change(() => this.#tables.putEndpoint(rotated));
    return this.#view(rotated);
  }

  /** Sends a test event; answers its delivery, `off` where the endpoint is off, null where there is none. */
  async sendTest(id: string): Promise<number | "off" | null> {
    const row = this.#endpoint(id);
    if (row === null || row.state !== "on") return row && "off";
    const now = this.#ports.clock.now();
    const event_id = this.#eventId(`test_${this.#random(12)}`);
    this.#store(() => {
      this.#tables.putEndpoint({ ...row, rest_until: 0 });
      this.#tables.addDelivery(
        id,
        { event_id, type: TEST_EVENT, at: now, data: {} },
        now,
        now + GIVE_UP_MS,
      );
    });
    await this.#ports.storage.sync();
    const made = this.#tables.deliveries(Number.MAX_SAFE_INTEGER, 1)[0];
    this.#kick();
    return made?.seq ?? null;
  }

  /** The newest first, before this number; null for the newest of all. */
  deliveries(before: number | null, limit: number): Delivery[] {
    if (!this.#exists) return [];
    const rows = this.#tables.deliveries(before ?? Number.MAX_SAFE_INTEGER, limit);
    return rows.map(viewOfDelivery);
  }

  /** Null where there is none. Rejects if the newsletter's object fails. */
  async delivery(seq: number): Promise<DeliveryDetail | null> {
    const row = this.#exists ? this.#tables.delivery(seq) : null;
    if (row === null) return null;
    const attempts = this.#tables.attempts(seq).map(
      ({ at, outcome, ...attempt }): Attempt => ({
        at: iso(at),
        outcome: outcome as Attempt["outcome"],
        ...attempt,
      }),
    );
    return { ...viewOfDelivery(row), payload: await this.#lanes.body(row), attempts };
  }

  /** Sends a delivery once more, with its id, for another three days. As `sendTest` otherwise. */
  async sendAgain(seq: number): Promise<number | "off" | null> {
    const row = this.#exists ? this.#tables.delivery(seq) : null;
    const endpoint = row && this.#tables.endpoint(row.endpoint_id);
    if (row === null || endpoint === null) return null;
    if (endpoint.state !== "on") return "off";
    const now = this.#ports.clock.now();
    this.#store(() => {
      const until = now + GIVE_UP_MS;
      this.#tables.setDelivery(seq, { state: "waiting", tries: 0, next_at: now, until });
      this.#tables.putEndpoint({ ...endpoint, rest_until: 0 });
    });
    await this.#ports.storage.sync();
    this.#kick();
    return seq;
  }

  /** Takes news of the page's object, each once by its number; durable when it resolves. */
  async take({ news, dropped }: PageNewsBatch): Promise<void> {
    if (!this.#exists) return;
    const taken = this.#number(TAKEN);
    const fresh = news.filter(({ seq }) => seq > taken);
    this.#store(() => {
      const { kv } = this.#ports.storage;
      for (const { id, type, at, data } of fresh) {
        this.#emit({ event_id: this.#eventId(id), type, at, data });
      }
      const last = fresh.at(-1);
      if (last !== undefined) kv.put(TAKEN, last.seq);
      if (dropped > this.#number(OUTBOX_DROPPED)) kv.put(OUTBOX_DROPPED, dropped);
    });
    await this.#ports.storage.sync();
    this.#kick();
  }

  /** Deletes everything, because the page has ended. Rejects, and is to be repeated, if D1 fails. */
  async end(): Promise<void> {
    const { storage, db, clock, pageId } = this.#ports;
    if (this.#exists) {
      await storage.deleteAll();
      this.#alarm.fired();
      storage.kv.put(ENDED, clock.now());
      await storage.sync();
    }
    if (storage.kv.get(ENDED) !== undefined) await this.#inTime(forgetNotices(db, pageId()));
  }

  /** Never rejects: the platform gives up after six failures. */
  async onAlarm(): Promise<void> {
    this.#alarm.fired();
    if (!this.#exists) return;
    const { clock, random, failed } = this.#ports;
    const now = clock.now();
    // Before the work, which may take long; what comes next replaces it.
    if (this.#nextTime() <= now) this.#alarm.arm(now + LEASE_MS);
    this.#ports.storage.transactionSync(() => {
      this.#tables.forgetOldSecrets(now);
      this.#tables.notLaterThan(now + RETRY_AFTER_MAX_MS, now + GIVE_UP_MS);
      if (this.#watches) this.#watch.notLaterThan(now);
      this.#tables.forgetDeliveries(DELIVERIES_KEPT, now - KEPT_MS);
    });
    const work = await Promise.allSettled([this.#send(), this.#look()]);
    if (!this.#exists) return;
    // An endpoint may have been switched off.
    this.#ports.storage.transactionSync(() => this.#noteWanted());
    work.push(...(await Promise.allSettled([this.#tellPage(), this.#notify()])));
    if (!this.#exists) return;
    let pause_ms = 0;
    const broken = work.find((result) => result.status === "rejected");
    if (broken === undefined) this.#backoff.succeeded();
    else {
      failed(broken.reason);
      pause_ms = this.#backoff.failed(random());
    }
    this.#alarm.fired();
    this.#armNext(pause_ms);
  }

  get #exists(): boolean {
    return hasTables(this.#ports.storage);
  }

  #endpoint(id: string): EndpointRow | null {
    return this.#exists ? this.#tables.endpoint(id) : null;
  }

  /** Sends what is due, unless the page is suspended. Rejects if D1 does not say whether it is. */
  async #send(): Promise<void> {
    const now = this.#ports.clock.now();
    const isDue = this.#tables
      .endpoints()
      .some(({ id, state }) => state === "on" && (this.#tables.nextDue(id) ?? now + 1) <= now);
    if (isDue && !(await this.#isSuspended())) await this.#lanes.run();
  }

  /** A page that D1 does not have is going to end. */
  async #isSuspended(): Promise<boolean> {
    const { db, clock, pageId } = this.#ports;
    const age_ms = clock.now() - (this.#status?.at ?? Number.NEGATIVE_INFINITY);
    if (this.#status !== null && age_ms >= 0 && age_ms < STATUS_KEPT_MS) {
      return this.#status.is_suspended;
    }
    const { results } = await this.#inTime(
      db
        .prepare("SELECT status FROM pages WHERE page_id = ?1 AND ends_at IS NULL")
        .bind(pageId())
        .all<{ status: string }>(),
    );
    const is_suspended = (results[0]?.status ?? "suspended") === "suspended";
    this.#status = { is_suspended, at: clock.now() };
    return is_suspended;
  }

  async #look(): Promise<void> {
    if (this.#watches) await this.#watch.run();
  }

  async #notify(): Promise<void> {
    const { db, pageId } = this.#ports;
    for (const notice of this.#tables.notices()) {
      await this.#inTime(addNotice(db, pageId(), notice));
      if (!this.#exists) return;
      this.#tables.deleteNotice(notice.id);
    }
  }

  /** Tells the page's object which events are wanted, if it does not know yet. */
  async #tellPage(): Promise<void> {
    const version = this.#number(VERSION);
    if (version <= this.#number(ANNOUNCED)) return;
    const { storage, announce } = this.#ports;
    await this.#inTime(announce(storage.kv.get<string[]>(TYPES) ?? [], version));
    if (this.#exists && version > this.#number(ANNOUNCED)) storage.kv.put(ANNOUNCED, version);
  }

  /** Changes endpoints, and tells the page's object what is wanted now. */
  async #change(change: () => void): Promise<void> {
    const { storage, failed } = this.#ports;
    this.#store(() => {
      change();
      this.#noteWanted();
    });
    await storage.sync();
    // If it fails, the alarm repeats it.
    await this.#tellPage().catch(failed);
  }

  /** Notes that other events are wanted now; belongs into a transaction. */
  #noteWanted(): void {
    const { kv } = this.#ports.storage;
    const wanted = new Set(this.#wanted());
    const types = PAGE_EVENTS.filter((type) => wanted.has(type));
    if (types.join() !== (kv.get<string[]>(TYPES) ?? []).join()) {
      kv.put(TYPES, types);
      kv.put(VERSION, this.#number(VERSION) + 1);
    }
    if (!this.#watches) this.#watch.stop();
  }

  /** The kinds of events that an endpoint that is on has chosen. */
  #wanted(): string[] {
    return this.#tables
      .endpoints()
      .filter(({ state }) => state === "on")
      .flatMap(({ events }) => JSON.parse(events) as string[]);
  }

  get #watches(): boolean {
    return this.#wanted().some((type) => type.startsWith("link."));
  }

  /** Makes the deliveries of an event; belongs into a transaction. */
  #emit(event: OutgoingEvent): void {
    const now = this.#ports.clock.now();
    for (const row of this.#tables.endpoints()) {
      const isWanted = row.state === "on" && JSON.parse(row.events).includes(event.type);
      if (!isWanted) continue;
      if (this.#tables.waiting(row.id) < WAITING_MAX) {
        this.#tables.addDelivery(row.id, event, now, now + GIVE_UP_MS);
      } else this.#tables.putEndpoint({ ...row, dropped: row.dropped + 1 });
    }
  }

  /** A change, with the alarm that goes on with it should the object end. */
  #store(change: () => void): void {
    const now = this.#ports.clock.now();
    this.#ports.storage.transactionSync(change);
    if (!this.#alarm.firesBy(now + LEASE_MS, now)) this.#alarm.arm(now + SECOND_MS);
  }

  /** Sends at once, without being waited for: the alarm is set. */
  #kick(): void {
    this.#send().catch(this.#ports.failed);
  }

  #armNext(pause_ms: number): void {
    const next = this.#nextTime();
    const now = this.#ports.clock.now();
    if (next !== Number.POSITIVE_INFINITY) this.#alarm.arm(Math.max(next, now + pause_ms));
  }

  /** When the alarm has something to do. */
  #nextTime(): number {
    const now = this.#ports.clock.now();
    const isSuspended = this.#status?.is_suspended === true;
    const oldest = this.#tables.oldestDelivery();
    const times: number[] = oldest === null ? [] : [Math.max(oldest + KEPT_MS, now + HOUR_MS)];
    for (const row of this.#tables.endpoints()) {
      if (row.old_until !== null) times.push(row.old_until);
      const due = row.state === "on" ? this.#tables.nextDue(row.id) : null;
      if (due === null) continue;
      const at = Math.max(due, row.rest_until);
      times.push(isSuspended ? Math.max(at, now + SUSPENDED_PAUSE_MS) : at);
    }
    if (this.#watches) times.push(this.#watch.dueAt());
    const isLate = this.#number(VERSION) > this.#number(ANNOUNCED);
    if (isLate || this.#tables.notices().length > 0) times.push(now);
    return Math.min(...times);
  }

  #view(row: EndpointRow): Endpoint {
    const { id, url, events, state, secret, old_until, created_at, dropped } = row;
    return {
      id,
      url,
      events: JSON.parse(events),
      state,
      secret,
      old_secret_until: old_until === null ? null : iso(old_until),
      created_at: iso(created_at),
      dropped,
      waiting: this.#tables.waiting(id),
    };
  }

  /** With the page's id, because a receiver may serve several pages. */
  #eventId(id: string): string {
    return `evt_${this.#ports.pageId()}_${id}`;
  }

  #random(bytes: number): string {
    return Buffer.from(this.#ports.randomBytes(bytes)).toString("hex");
  }

  #number(key: string): number {
    return this.#ports.storage.kv.get<number>(key) ?? 0;
  }

  #inTime<T>(call: Promise<T>): Promise<T> {
    return withTimeout(call, CALL_TIMEOUT_MS, this.#ports.clock);
  }
}

function viewOfDelivery(row: DeliveryRow): Delivery {
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
