/**
 * Webhooks: the endpoints of one page and what is delivered to them.
 *
 *   page's object ─ news, numbered ─▶ take ─▶ delivery rows ─▶ answer: what is wanted
 *   links, every six hours ──────────────────▶ delivery rows
 *                                              lanes ─▶ the endpoint ─▶ delivered, or again for three days
 *
 * Owns the alarm, the news of the page's object, and the end of the page, with which all is deleted.
 * An event is delivered at least once, always with the same id; order is not promised.
 */

import type { PageNewsBatch, WantedEvents } from "../../events/page-news.ts";
import { Alarm } from "../../platform/alarm.ts";
import { SECOND_MS, withTimeout } from "../../platform/clock.ts";
import { AlarmPauses } from "../../platform/retries.ts";
import { migrate } from "../../platform/schema.ts";
import { Deliveries } from "./deliveries.ts";
import { Endpoints } from "./endpoints.ts";
import { LinkWatch } from "./link-watch.ts";
import { addNotice, forgetNotices } from "./notices.ts";
import type {
  Delivery,
  DeliveryDetail,
  Endpoint,
  EndpointChange,
  EndpointInput,
} from "./webhook.ts";
import { randomHex, type WebhookPorts } from "./webhook-ports.ts";
import { WebhookTables } from "./webhook-tables.ts";
import { WEBHOOKS_STEPS } from "./webhooks-schema.ts";

/** The next alarm comes after this time if the object is killed while it sends. */
const LEASE_MS = 30 * SECOND_MS;
const D1_TIMEOUT_MS = 10 * SECOND_MS;

/** Number of the last news of the page's object, and what that object could not keep. */
const TAKEN = "taken";
const OUTBOX_DROPPED = "outbox_dropped";
const ENDED = "ended";

export class Webhooks {
  readonly #ports: WebhookPorts;
  readonly #tables: WebhookTables;
  readonly #endpoints: Endpoints;
  readonly #deliveries: Deliveries;
  readonly #watch: LinkWatch;
  readonly #alarm: Alarm;
  readonly #pauses: AlarmPauses;

  constructor(ports: WebhookPorts) {
    this.#ports = ports;
    const store = (change: () => void) => this.#store(change);
    this.#tables = new WebhookTables(ports.storage);
    this.#endpoints = new Endpoints(ports, this.#tables, store);
    this.#deliveries = new Deliveries(ports, this.#tables, store);
    this.#watch = new LinkWatch(ports, (event) => {
      this.#deliveries.add(`link_${randomHex(ports, 12)}`, event);
    });
    this.#alarm = new Alarm(ports.storage);
    this.#pauses = new AlarmPauses(ports.storage.kv);
    if (this.#exists) migrate(ports.storage, WEBHOOKS_STEPS);
  }

  /** Await it before the first call. Replaces an alarm that is lost or too late. */
  async ready(): Promise<void> {
    await this.#alarm.load();
    if (!this.#exists) return;
    const now = this.#ports.clock.now();
    this.#notLaterThan(now);
    this.#armNext(0);
  }

  /** `dropped` events could not be kept before they reached this object. */
  list(): { endpoints: Endpoint[]; dropped: number } {
    const endpoints = this.#exists ? this.#endpoints.list() : [];
    return { endpoints, dropped: this.#number(OUTBOX_DROPPED) };
  }

  /** What a route brings to the page's object after a change. */
  wanted(): WantedEvents {
    return this.#endpoints.wanted;
  }

  /** Null also if the page has ended, as from `Endpoints.create`. */
  async create(input: EndpointInput): Promise<Endpoint | null> {
    const { storage } = this.#ports;
    if (storage.kv.get(ENDED) !== undefined) return null;
    migrate(storage, WEBHOOKS_STEPS);
    return this.#endpoints.create(input);
  }

  async change(id: string, change: EndpointChange): Promise<Endpoint | null> {
    return this.#exists ? this.#endpoints.change(id, change) : null;
  }

  async remove(id: string): Promise<boolean> {
    return this.#exists && this.#endpoints.remove(id);
  }

  async rotate(id: string): Promise<Endpoint | null> {
    return this.#exists ? this.#endpoints.rotate(id) : null;
  }

  async sendTest(id: string): Promise<number | "off" | null> {
    return this.#exists ? this.#deliveries.sendTest(id) : null;
  }

  async sendAgain(seq: number): Promise<number | "off" | null> {
    return this.#exists ? this.#deliveries.sendAgain(seq) : null;
  }

  deliveries(before: number | null, limit: number): Delivery[] {
    return this.#exists ? this.#deliveries.list(before, limit) : [];
  }

  async delivery(seq: number): Promise<DeliveryDetail | null> {
    return this.#exists ? this.#deliveries.find(seq) : null;
  }

  /** Takes each news once by its number; durable when it resolves, with what is wanted. */
  async take({ news, dropped }: PageNewsBatch): Promise<WantedEvents> {
    if (!this.#exists) return this.#endpoints.wanted;
    const taken = this.#number(TAKEN);
    const fresh = news.filter(({ seq }) => seq > taken);
    await this.#store(() => {
      const { kv } = this.#ports.storage;
      for (const { id, type, at, data } of fresh) this.#deliveries.add(id, { type, at, data });
      const last = fresh.at(-1);
      if (last !== undefined) kv.put(TAKEN, last.seq);
      if (dropped > this.#number(OUTBOX_DROPPED)) kv.put(OUTBOX_DROPPED, dropped);
    });
    this.#deliveries.kick();
    return this.#endpoints.wanted;
  }

  /** The page has ended. Rejects, and must be repeated, if D1 fails. */
  async end(): Promise<void> {
    const { storage, db, clock, pageId } = this.#ports;
    if (storage.kv.get(ENDED) === undefined) {
      // These are two commits. Cut off between them the object is empty, and the caller calls
      // again.
      await storage.deleteAll();
      this.#alarm.fired();
      storage.kv.put(ENDED, clock.now());
      await storage.sync();
    }
    await this.#inTime(forgetNotices(db, pageId()));
  }

  /** Never rejects: the platform gives up after six failures. */
  async onAlarm(): Promise<void> {
    this.#alarm.fired();
    if (!this.#exists) return;
    const { storage, clock, random, failed } = this.#ports;
    const now = clock.now();
    // The work may take long; what comes next replaces this alarm.
    if (this.#nextTime() <= now) this.#alarm.arm(now + LEASE_MS);
    this.#notLaterThan(now);
    storage.transactionSync(() => {
      this.#endpoints.forgetOldSecrets(now);
      this.#deliveries.forget(now);
    });
    const work = await Promise.allSettled([this.#deliveries.send(), this.#look()]);
    if (!this.#exists) return;
    storage.transactionSync(() => {
      // An endpoint may have been switched off; the page's object learns it by its next news.
      this.#endpoints.noteWanted();
      if (!this.#endpoints.wantLinks) this.#watch.stop();
    });
    work.push(...(await Promise.allSettled([this.#notify()])));
    if (!this.#exists) return;
    let pause_ms = 0;
    const broken = work.find((result) => result.status === "rejected");
    if (broken === undefined) this.#pauses.succeeded();
    else {
      failed(broken.reason);
      pause_ms = this.#pauses.failed(random());
    }
    this.#alarm.fired();
    this.#armNext(pause_ms);
  }

  /** Mends times that are too late because the clock was set back. */
  #notLaterThan(now: number): void {
    this.#ports.storage.transactionSync(() => {
      this.#deliveries.notLaterThan(now);
      if (this.#endpoints.wantLinks) this.#watch.notLaterThan(now);
    });
  }

  get #exists(): boolean {
    return this.#tables.exist;
  }

  async #look(): Promise<void> {
    if (this.#endpoints.wantLinks) await this.#watch.run();
  }

  async #notify(): Promise<void> {
    const { db, pageId } = this.#ports;
    for (const notice of this.#tables.notices()) {
      await this.#inTime(addNotice(db, pageId(), notice));
      if (!this.#exists) return;
      this.#tables.deleteNotice(notice.id);
    }
  }

  /** Sets the alarm that goes on with the change. Durable when it resolves. */
  async #store(change: () => void): Promise<void> {
    const { storage, clock } = this.#ports;
    const now = clock.now();
    storage.transactionSync(change);
    this.#alarm.armBy(now + LEASE_MS, now, now + SECOND_MS);
    await storage.sync();
  }

  #armNext(pause_ms: number): void {
    const now = this.#ports.clock.now();
    this.#alarm.armBy(Math.max(this.#nextTime(), now + pause_ms), now);
  }

  #nextTime(): number {
    const times = [this.#deliveries.dueAt()];
    for (const { old_until } of this.#tables.endpoints()) {
      if (old_until !== null) times.push(old_until);
    }
    if (this.#endpoints.wantLinks) times.push(this.#watch.dueAt());
    if (this.#tables.notices().length > 0) times.push(this.#ports.clock.now());
    return Math.min(...times);
  }

  #number(key: string): number {
    return this.#ports.storage.kv.get<number>(key) ?? 0;
  }

  #inTime<T>(call: Promise<T>): Promise<T> {
    return withTimeout(call, D1_TIMEOUT_MS, this.#ports.clock);
  }
}
