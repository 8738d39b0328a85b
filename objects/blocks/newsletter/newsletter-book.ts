/**
 * NewsletterBook: the subscribers of one page, without the platform around it.
 *
 *   request ─▶ intake row ─▶ acknowledged                                              (intake.ts)
 *              alarm ─▶ pending subscriber, mail ─▶ confirmed by the mail's link   (mail-queue.ts)
 *                                                   alarm ─▶ conversion, number     (page-news.ts)
 *
 * Owns the page's addresses, which no other place has. Forgets an address that is not confirmed
 * within 24 hours of its mail, one that leaves at once, and all of them with the page.
 */
import { Alarm } from "../../platform/alarm.ts";
import { HOUR_MS, SECOND_MS } from "../../platform/clock.ts";
import { AlarmPauses } from "../../platform/retries.ts";
import { hasTables, migrate } from "../../platform/schema.ts";
import { INTAKE_MS, Intake } from "./intake.ts";
import { MAIL_PAUSE_MS, MailQueue } from "./mail-queue.ts";
import type { NewsletterPorts } from "./newsletter-ports.ts";
import { SubscriberNews } from "./subscriber-news.ts";
import { cursorAfter, type Subscriber, SubscriberTables } from "./subscriber-tables.ts";
import { SUBSCRIBERS_STEPS } from "./subscribers-schema.ts";
import type {
  ListedSubscriber,
  SubscriberList,
  SubscriberQuery,
  SubscriptionRequest,
  TokenState,
} from "./subscription.ts";

/**
 * An address that nobody has confirmed is stored this long, and the links of its mails work: since
 * its last mail was sent, or while that waits since it was asked for.
 */
export const PENDING_MS = 24 * HOUR_MS;
/** The next alarm comes after this time if the one that runs is killed. */
const ALARM_LEASE_MS = 15 * SECOND_MS;

export class NewsletterBook {
  readonly #ports: NewsletterPorts;
  readonly #alarm: Alarm;
  readonly #tables: SubscriberTables;
  readonly #mails: MailQueue;
  readonly #intake: Intake;
  readonly #news: SubscriberNews;
  readonly #pauses: AlarmPauses;

  constructor(ports: NewsletterPorts) {
    this.#ports = ports;
    this.#alarm = new Alarm(ports.storage);
    this.#tables = new SubscriberTables(ports.storage);
    this.#mails = new MailQueue(ports, this.#tables);
    this.#intake = new Intake(ports, { tables: this.#tables, mails: this.#mails });
    this.#news = new SubscriberNews(ports, this.#tables);
    this.#pauses = new AlarmPauses(ports.storage.kv);
    if (this.#exists) migrate(ports.storage, SUBSCRIBERS_STEPS);
  }

  /** Await it before the first call. Replaces an alarm that the platform has lost. */
  async ready(): Promise<void> {
    await this.#alarm.load();
    if (!this.#exists) return;
    const now = this.#ports.clock.now();
    // An alarm that is set was set for what there is to do, with the pauses after failures.
    if (this.#alarm.firesBy(Number.MAX_VALUE, now)) return;
    this.#alarm.armBy(Math.max(now, this.#nextTime(now)), now);
  }

  /** Durable when it resolves. False if too many wait, which does not depend on the address. */
  async request(request: SubscriptionRequest): Promise<boolean> {
    const { storage, clock } = this.#ports;
    migrate(storage, SUBSCRIBERS_STEPS);
    if (this.#intake.isFull) return false;
    const now = clock.now();
    storage.transactionSync(() => this.#intake.add(request));
    this.#alarm.armBy(now + INTAKE_MS, now);
    await storage.sync();
    return true;
  }

  tokenState(token: string): TokenState {
    const subscriber = this.#byToken(token);
    if (subscriber === null) return { state: "gone", locale: "ar" };
    const state = subscriber.confirmed_at === null ? "pending" : "confirmed";
    return { state, locale: subscriber.locale };
  }

  /** Repeated, it changes nothing. Durable when it resolves. */
  async confirm(token: string): Promise<"confirmed" | "gone"> {
    const { storage, clock } = this.#ports;
    const now = clock.now();
    const subscriber = this.#byToken(token);
    if (subscriber === null) return "gone";
    if (subscriber.confirmed_at === null) {
      const { id } = subscriber;
      storage.transactionSync(() => {
        this.#tables.confirm(id, now);
        this.#news.addConversion(subscriber, now);
        this.#mails.add(subscriber, "welcome", now);
        this.#news.numberChanged();
      });
      this.#alarm.armBy(now, now);
    }
    await storage.sync();
    return "confirmed";
  }

  /** Durable when it resolves. */
  async unsubscribe(token: string): Promise<void> {
    const subscriber = this.#byToken(token);
    if (subscriber !== null) this.#delete(subscriber);
    await this.#ports.storage.sync();
  }

  async remove(id: string): Promise<boolean> {
    const subscriber = this.#exists ? this.#tables.byId(id) : null;
    if (subscriber === null || subscriber.confirmed_at === null) return false;
    this.#delete(subscriber);
    await this.#ports.storage.sync();
    return true;
  }

  subscriberOf(token: string): string | null {
    const subscriber = this.#byToken(token);
    return subscriber === null || subscriber.confirmed_at === null ? null : subscriber.id;
  }

  isSubscriber(id: string): boolean {
    return this.#exists && (this.#tables.byId(id)?.confirmed_at ?? null) !== null;
  }

  subscriber(id: string): ListedSubscriber | null {
    return this.#exists ? this.#tables.listed(id) : null;
  }

  list(query: SubscriberQuery): SubscriberList {
    if (!this.#exists) return { subscribers: [], total: 0, pending: 0, next: null };
    const found = this.#tables.list(query);
    const subscribers = found.slice(0, query.limit);
    const last = subscribers.at(-1);
    return {
      subscribers,
      total: this.#tables.confirmed,
      pending: this.#tables.pending,
      next: found.length > query.limit && last !== undefined ? cursorAfter(last) : null,
    };
  }

  async end(): Promise<void> {
    const { storage } = this.#ports;
    if (!this.#exists) return;
    await storage.deleteAll();
    this.#alarm.fired();
    await storage.sync();
  }

  async onAlarm(): Promise<void> {
    this.#alarm.fired();
    if (!this.#exists) return;
    const { storage, clock, random } = this.#ports;
    const now = clock.now();
    storage.transactionSync(() => {
      this.#tables.notLaterThan(now);
      this.#intake.takeAll(now);
      this.#forget(now);
    });
    // The calls below may take long, and the object may be killed during them.
    if (this.#mails.isDue(now) || this.#news.isWaiting) this.#alarm.arm(now + ALARM_LEASE_MS);
    const is_asked = await this.#mails.sendDue();
    const is_delivered = await this.#news.deliver();
    if (!this.#exists) return;
    let retry_ms = 0;
    if (is_asked && is_delivered) this.#pauses.succeeded();
    else retry_ms = this.#pauses.failed(random());
    const after = clock.now();
    const next = this.#nextTime(after, {
      mail_at: is_asked ? after : after + retry_ms,
      announce_at: is_delivered ? after : after + retry_ms,
    });
    this.#alarm.fired();
    this.#alarm.armBy(Math.max(after, next), after);
  }

  get #exists(): boolean {
    return hasTables(this.#ports.storage);
  }

  /** Null also if the time to confirm is over and the alarm has not deleted the row yet. */
  #byToken(token: string): Subscriber | null {
    const subscriber = this.#exists ? this.#tables.byToken(token) : null;
    if (subscriber === null || subscriber.confirmed_at !== null) return subscriber;
    return this.#ports.clock.now() - subscriber.asked_at < PENDING_MS ? subscriber : null;
  }

  #forget(now: number): void {
    for (const id of this.#tables.unconfirmedSince(now - PENDING_MS)) this.#tables.delete(id);
    this.#mails.forget(now);
  }

  #delete({ id, confirmed_at }: Subscriber): void {
    const now = this.#ports.clock.now();
    this.#ports.storage.transactionSync(() => {
      this.#tables.delete(id);
      if (confirmed_at !== null) this.#news.numberChanged();
    });
    this.#alarm.armBy(now, now);
  }

  /** `mail_at` and `announce_at`: what failed must not be tried before. */
  #nextTime(now: number, { mail_at, announce_at } = { mail_at: now, announce_at: now }): number {
    const { request, mail, pending, mailed } = this.#tables.firstTimes();
    const times = [
      request ? now + INTAKE_MS : null,
      mail === null ? null : Math.max(mail, mail_at),
      pending === null ? null : pending + PENDING_MS,
      mailed === null ? null : mailed + MAIL_PAUSE_MS,
      this.#news.dueAt,
      this.#news.isNumberWaiting ? announce_at : null,
    ];
    return Math.min(...times.filter((at) => at !== null));
  }
}
