/**
 * NewsletterBook: the subscribers of one page, without the platform around it.
 *
 *   request ─▶ intake row ─▶ acknowledged
 *              alarm ─▶ pending subscriber, mail ─▶ confirmed by the mail's link ─▶ conversion
 *
 * A request costs one row whatever is known of its address, so its answer and its time tell nobody
 * who has subscribed. The alarm does the rest. Owns the addresses of the page, which no other place
 * has. Forgets an address that is not confirmed within 48 hours, one that leaves at once, and all of
 * them with the page.
 *
 * Mails are sent at least once: each is stored before it is sent and deleted after, so one whose
 * answer was lost is sent again, the same in every byte.
 */
import { ConversionOutbox, type SendConversions } from "../outbox/conversion-outbox.ts";
import { Alarm } from "../platform/alarm.ts";
import { Backoff } from "../platform/backoff.ts";
import { DAY_MS, HOUR_MS, SECOND_MS, withTimeout } from "../platform/clock.ts";
import type { Ports } from "../platform/ports.ts";
import { hasTables, migrate } from "../platform/schema.ts";
import { type ComposedMail, composeMail, type MailKind } from "./compose-mail.ts";
import {
  cursorAfter,
  hashOf,
  type QueuedMail,
  type Subscriber,
  SubscriberTables,
} from "./subscriber-tables.ts";
import { SUBSCRIBERS_STEPS } from "./subscribers-schema.ts";
import type {
  SubscriberList,
  SubscriberQuery,
  SubscriptionRequest,
  TokenState,
} from "./subscription.ts";

/** How long a request waits for the alarm. */
export const INTAKE_MS = SECOND_MS;
/** How long an address that nobody has confirmed is stored, since it was last given. */
export const PENDING_MS = 48 * HOUR_MS;
/** How long a mail waits to be sent. Its link then works for the rest of `PENDING_MS`, 24 hours at least. */
export const MAIL_WAIT_MS = 24 * HOUR_MS;
/** An address gets one mail of this page in this time, however often it is given. */
export const MAIL_PAUSE_MS = HOUR_MS;
/** One who has confirmed gets one mail that says so in this time, however often the address is given. */
export const WELCOME_PAUSE_MS = DAY_MS;
/** Tokens of a subscriber that are valid: those of the newest mails. */
export const TOKENS_KEPT = 5;
/** Requests and unconfirmed subscribers of a page; further requests are refused. */
export const WAITING_MAX = 20_000;

/** Requests and mails that one alarm deals with. */
const REQUESTS_MAX = 500;
const MAILS_MAX = 20;
/** Longest wait for the budget, for a mail to be taken, and for the page's object. */
const CALL_TIMEOUT_MS = 10 * SECOND_MS;
/** A mail that is refused this often is given up: after some five hours. */
export const MAIL_TRIES_MAX = 12;
/** Pauses between tries to send a mail grow threefold up to this. */
const MAIL_RETRY_MAX_MS = 2 * HOUR_MS;
/** Time of the next alarm, in milliseconds, should the one that runs be killed. */
const ALARM_LEASE_MS = 15 * SECOND_MS;

/** By it scanners find a token that leaked. */
const TOKEN_PREFIX = "nl_";

const SALT = "salt";
/** Counts the changes of the number of subscribers, and which of them the page's object has. */
const VERSION = "version";
const ANNOUNCED = "announced";

export interface NewsletterPorts extends Ports {
  pageId: () => string;
  /** The sender's address; `''`: nothing is sent. */
  mail_from: string;
  sendMail: (mail: ComposedMail) => Promise<unknown>;
  /** Takes one mail from the day's budget, or answers how long to wait. */
  admitMail: () => Promise<{ admitted: boolean; reset_ms: number }>;
  convert: SendConversions;
  /** Tells the page's object the number of subscribers; the larger version is the newer one. */
  announce: (n: number, version: number) => Promise<void>;
  /** `size` random bytes. */
  randomBytes: (size: number) => Uint8Array;
  failed: (event: string) => void;
}

export class NewsletterBook {
  readonly #ports: NewsletterPorts;
  readonly #alarm: Alarm;
  readonly #tables: SubscriberTables;
  readonly #outbox: ConversionOutbox;
  readonly #backoff: Backoff;

  constructor(ports: NewsletterPorts) {
    this.#ports = ports;
    this.#alarm = new Alarm(ports.storage);
    this.#tables = new SubscriberTables(ports.storage);
    this.#outbox = new ConversionOutbox(ports);
    this.#backoff = new Backoff(ports.storage.kv);
    if (this.#exists) migrate(ports.storage, SUBSCRIBERS_STEPS);
  }

  /** To be awaited before the first call. Replaces an alarm that the platform has lost. */
  async ready(): Promise<void> {
    await this.#alarm.load();
    if (!this.#exists) return;
    const now = this.#ports.clock.now();
    // One that is set was set for what there is to do, with the pauses after failures.
    if (this.#alarm.firesBy(Number.POSITIVE_INFINITY, now)) return;
    const next = this.#nextTime(now, now);
    if (next !== Number.POSITIVE_INFINITY) this.#alarm.arm(Math.max(now, next));
  }

  /**
   * Takes a request; it is durable when this resolves. False where too many wait, which does not
   * depend on the address.
   */
  async request(request: SubscriptionRequest): Promise<boolean> {
    const { storage, clock } = this.#ports;
    migrate(storage, SUBSCRIBERS_STEPS);
    if (this.#tables.waiting >= WAITING_MAX) return false;
    const now = clock.now();
    storage.transactionSync(() => this.#tables.addRequest(request));
    this.#armBy(now + INTAKE_MS, now);
    await storage.sync();
    return true;
  }

  tokenState(token: string): TokenState {
    const subscriber = this.#byToken(token);
    if (subscriber === null) return { state: "gone", locale: "ar" };
    const state = subscriber.confirmed_at === null ? "pending" : "confirmed";
    return { state, locale: subscriber.locale };
  }

  /** Confirms, once: repeated it changes nothing. Durable when it resolves. */
  async confirm(token: string): Promise<"confirmed" | "gone"> {
    const { storage, clock, pageId } = this.#ports;
    const now = clock.now();
    const subscriber = this.#byToken(token);
    if (subscriber === null) return "gone";
    if (subscriber.confirmed_at === null) {
      const { id, link_id, class: class_, origin } = subscriber;
      storage.transactionSync(() => {
        this.#tables.confirm(id, now);
        this.#outbox.add(pageId(), {
          id,
          link_id,
          class: class_,
          origin: origin === null ? null : JSON.parse(origin),
          tip: null,
        });
        this.#queueMail(subscriber, "welcome", now);
        this.#numberChanged();
      });
      this.#armBy(now, now);
    }
    await storage.sync();
    return "confirmed";
  }

  /** Deletes the address of the token's subscriber; durable when it resolves. */
  async unsubscribe(token: string): Promise<void> {
    const subscriber = this.#byToken(token);
    if (subscriber !== null) this.#delete(subscriber);
    await this.#ports.storage.sync();
  }

  /** Deletes a confirmed subscriber. False where there is none. */
  async remove(id: string): Promise<boolean> {
    const subscriber = this.#exists ? this.#tables.byId(id) : null;
    if (subscriber === null || subscriber.confirmed_at === null) return false;
    this.#delete(subscriber);
    await this.#ports.storage.sync();
    return true;
  }

  /** The id of the confirmed subscriber whose token this is, or null. */
  subscriberOf(token: string): string | null {
    const subscriber = this.#byToken(token);
    return subscriber === null || subscriber.confirmed_at === null ? null : subscriber.id;
  }

  /** Whether the subscriber has confirmed and not left. */
  isSubscriber(id: string): boolean {
    return this.#exists && (this.#tables.byId(id)?.confirmed_at ?? null) !== null;
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

  /** Deletes everything, because the page has ended. */
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
      this.#takeRequests(now);
      this.#forget(now);
    });
    const mails = this.#ports.mail_from === "" ? [] : this.#tables.dueMails(now, MAILS_MAX);
    // The calls below may take long, and the object may be killed during them.
    if (mails.length > 0 || this.#hasNews) this.#alarm.arm(now + ALARM_LEASE_MS);
    await Promise.all(mails.map((mail) => this.#sendMail(mail)));
    const is_delivered = await this.#deliver();
    if (!this.#exists) return;
    let retry_ms = 0;
    if (is_delivered) this.#backoff.succeeded();
    else retry_ms = this.#backoff.failed(random());
    const after = clock.now();
    const next = this.#nextTime(after, after + retry_ms);
    if (next !== Number.POSITIVE_INFINITY) this.#alarm.arm(Math.max(after, next));
  }

  get #exists(): boolean {
    return hasTables(this.#ports.storage);
  }

  /** Whether the page's object lacks a conversion, or the present number. */
  get #hasNews(): boolean {
    const { kv } = this.#ports.storage;
    const announced = kv.get<number>(ANNOUNCED) ?? 0;
    return (kv.get<number>(VERSION) ?? 0) > announced || !this.#outbox.isEmpty;
  }

  /** Null also where the time to confirm is over and the alarm has not deleted the row yet. */
  #byToken(token: string): Subscriber | null {
    const subscriber = this.#exists ? this.#tables.byToken(token) : null;
    if (subscriber === null || subscriber.confirmed_at !== null) return subscriber;
    return this.#ports.clock.now() - subscriber.asked_at < PENDING_MS ? subscriber : null;
  }

  #armBy(at_ms: number, now: number): void {
    if (!this.#alarm.firesBy(at_ms, now)) this.#alarm.arm(at_ms);
  }

  #takeRequests(now: number): void {
    const requests = this.#tables.requests(REQUESTS_MAX);
    for (const { request } of requests) this.#take(request, now);
    const last = requests.at(-1);
    if (last !== undefined) this.#tables.deleteRequestsTo(last.seq);
  }

  #take(request: SubscriptionRequest, now: number): void {
    const address = request.email.toLowerCase();
    const known = this.#tables.byAddress(address);
    const mailed_at = this.#tables.mailedAt(this.#addressHash(address));
    const may_mail_at = mailed_at === null ? now : Math.max(now, mailed_at + MAIL_PAUSE_MS);
    if (known === null) {
      const id = this.#randomText(16);
      this.#tables.insert(id, request, address, now);
      // A subscriber who left within the hour and signs up again gets the mail after that hour.
      this.#queueMail({ ...request, id, address }, "confirm", now, may_mail_at);
      return;
    }
    if (known.confirmed_at === null) this.#tables.askAgain(known.id, request, now);
    if (may_mail_at > now || this.#tables.mail(known.id) !== null) return;
    const { welcomed_at } = known;
    if (welcomed_at !== null && now - welcomed_at < WELCOME_PAUSE_MS) return;
    // To a subscriber goes the mail that says so, with a link to leave.
    const { locale, site, page_name } = known.confirmed_at === null ? request : known;
    const subscriber = { ...known, locale, site, page_name };
    this.#queueMail(subscriber, known.confirmed_at === null ? "confirm" : "welcome", now);
  }

  #queueMail(
    subscriber: Pick<Subscriber, "id" | "address" | "locale" | "site" | "page_name">,
    kind: MailKind,
    now: number,
    next_at = now,
  ): void {
    const { id, address, locale, site, page_name } = subscriber;
    const token = `${TOKEN_PREFIX}${this.#ports.pageId()}.${this.#randomText(32)}`;
    const mail_id = this.#randomText(16);
    this.#tables.addToken(id, token, TOKENS_KEPT);
    const state = { is_charged: 0, tries: 0, next_at, until: now + MAIL_WAIT_MS } as const;
    this.#tables.addMail({ id, mail_id, kind, token, locale, site, page_name, ...state });
    this.#tables.noteMailed(this.#addressHash(address), next_at);
    if (kind === "welcome") this.#tables.noteWelcomed(id, next_at);
  }

  /** Of an address that has left nothing else is known, and only for an hour. */
  #addressHash(address: string): string {
    const { kv } = this.#ports.storage;
    let salt = kv.get<string>(SALT);
    if (salt === undefined) {
      salt = this.#randomText(32);
      kv.put(SALT, salt);
    }
    return hashOf(`${salt}\n${address}`);
  }

  #forget(now: number): void {
    for (const id of this.#tables.unconfirmedSince(now - PENDING_MS)) this.#tables.delete(id);
    this.#tables.forgetMailed(now - MAIL_PAUSE_MS);
  }

  #delete({ id, confirmed_at }: Subscriber): void {
    const now = this.#ports.clock.now();
    this.#ports.storage.transactionSync(() => {
      this.#tables.delete(id);
      if (confirmed_at !== null) this.#numberChanged();
    });
    this.#armBy(now, now);
  }

  #numberChanged(): void {
    const { kv } = this.#ports.storage;
    kv.put(VERSION, (kv.get<number>(VERSION) ?? 0) + 1);
  }

  async #sendMail({ id, mail_id, ...mail }: QueuedMail): Promise<void> {
    const { storage, clock, mail_from, sendMail, random, failed } = this.#ports;
    if (mail.until <= clock.now()) {
      this.#tables.deleteMail(mail_id);
      return;
    }
    try {
      if (mail.is_charged === 0 && !(await this.#charge(mail_id))) return;
      // Charged once, also if the object is killed while the mail is sent.
      await storage.sync();
      // The subscriber may have left meanwhile, or the page may have ended.
      const subscriber = this.#exists ? this.#tables.byId(id) : null;
      if (subscriber === null || this.#tables.mail(id)?.mail_id !== mail_id) return;
      const { email, address } = subscriber;
      const parts = { ...mail, mail_id, from: mail_from, to: email };
      await this.#inTime(sendMail(composeMail(parts)));
      if (!this.#exists) return;
      storage.transactionSync(() => {
        this.#tables.deleteMail(mail_id);
        // The mail may have waited for a day.
        this.#tables.noteMailed(this.#addressHash(address), clock.now());
        if (mail.kind === "welcome") this.#tables.noteWelcomed(id, clock.now());
      });
    } catch {
      // Without the cause: what refused the mail may have named the address.
      failed("mail_failed");
      if (!this.#exists) return;
      const tries = mail.tries + 1;
      if (tries >= MAIL_TRIES_MAX) {
        this.#tables.deleteMail(mail_id);
        return;
      }
      const pause_ms = Math.min(MAIL_RETRY_MAX_MS, SECOND_MS * 3 ** mail.tries);
      const next_at = clock.now() + Math.ceil(pause_ms * (1 - random() / 2));
      this.#tables.retryMail(mail_id, tries, next_at);
    }
  }

  /** Takes the mail's part of the day's budget. False where nothing is left of it. */
  async #charge(mail_id: string): Promise<boolean> {
    const { admitted, reset_ms } = await this.#inTime(this.#ports.admitMail());
    if (!this.#exists) return false;
    if (admitted) this.#tables.chargeMail(mail_id);
    else this.#tables.postponeMails(this.#ports.clock.now() + reset_ms);
    return admitted;
  }

  /** Reports conversions and the number to the page's object; false if that failed. */
  async #deliver(): Promise<boolean> {
    if (!this.#exists) return true;
    const { kv } = this.#ports.storage;
    try {
      if (!this.#outbox.isEmpty) {
        await this.#outbox.deliver((page_id, conversions) =>
          this.#inTime(this.#ports.convert(page_id, conversions)),
        );
      }
      if (!this.#exists) return true;
      const version = kv.get<number>(VERSION) ?? 0;
      if (version > (kv.get<number>(ANNOUNCED) ?? 0)) {
        await this.#inTime(this.#ports.announce(this.#tables.confirmed, version));
        if (this.#exists) kv.put(ANNOUNCED, version);
      }
      return true;
    } catch {
      this.#ports.failed("newsletter_delivery_failed");
      return false;
    }
  }

  /** When the alarm has something to do; `deliver_at` is when it may call the page's object. */
  #nextTime(now: number, deliver_at: number): number {
    const { request, mail, pending, mailed } = this.#tables.firstTimes();
    const times = [
      request ? now + INTAKE_MS : null,
      // Without a sender mails wait for a deployment that has one, or for their end.
      mail === null || this.#ports.mail_from !== "" ? mail : now + HOUR_MS,
      pending === null ? null : pending + PENDING_MS,
      mailed === null ? null : mailed + MAIL_PAUSE_MS,
      this.#hasNews ? deliver_at : null,
    ];
    return Math.min(...times.filter((at) => at !== null));
  }

  #inTime<T>(work: Promise<T>): Promise<T> {
    return withTimeout(work, CALL_TIMEOUT_MS, this.#ports.clock);
  }

  #randomText(bytes: number): string {
    return Buffer.from(this.#ports.randomBytes(bytes)).toString("base64url");
  }
}
