/**
 * MailQueue: the mails of one page that wait to be sent, and when each mailbox got its last one.
 *
 * Nothing is sent while the page is a draft, suspended or deleted: mails wait, and are given up
 * after a day. D1 is asked before each group of mails, because the hub may suspend a page at any
 * moment.
 *
 * Mails are sent at least once: each is stored before it is sent and deleted after, so one whose
 * answer was lost is sent again, the same in every byte.
 */

import { mailboxOf } from "../../mail/mailbox.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../platform/clock.ts";
import type { Database } from "../../platform/ports.ts";
import { pauseAfter, type RetrySchedule } from "../../platform/retries.ts";
import { hasTables } from "../../platform/schema.ts";
import { composeMail, type MailKind } from "./compose-mail.ts";
import { inTime, type NewsletterPorts, randomText } from "./newsletter-ports.ts";
import {
  hashOf,
  type QueuedMail,
  type Subscriber,
  type SubscriberTables,
} from "./subscriber-tables.ts";

/** A mail waits this long to be sent. Its link works for `PENDING_MS` from then on. */
export const MAIL_WAIT_MS = 24 * HOUR_MS;
/** A mailbox gets one mail of this page in this time, whatever spelling of it is given. */
export const MAIL_PAUSE_MS = HOUR_MS;
/** One who has confirmed gets one mail that says so in this time. */
export const WELCOME_PAUSE_MS = DAY_MS;
/**
 * Tokens of a subscriber that are valid, the newest: for a year, if somebody asks every day. A mail
 * says that its link unsubscribes at any time, and anybody may ask.
 */
export const TOKENS_KEPT = 366;

/** Mails wait this long for a sender or a published page. */
const NOT_YET_MS = HOUR_MS;
/** Shortest wait for a budget, which gets units back at any moment if many pages send. */
const NO_BUDGET_MS = 5 * MINUTE_MS;
const MAILS_MAX = 20;
/** A mail that is refused this often is given up: after some five hours. */
export const MAIL_TRIES_MAX = 12;
const MAIL_RETRIES: RetrySchedule = {
  pauses_ms: [SECOND_MS],
  growth: 3,
  longest_ms: 2 * HOUR_MS,
  jitter: 0.5,
};

/** Scanners find a leaked token by this prefix. */
const TOKEN_PREFIX = "nl_";

const SALT = "salt";

type ChargeOutcome = "charged" | "waits" | "no_budget";

export class MailQueue {
  readonly #ports: NewsletterPorts;
  readonly #tables: SubscriberTables;

  constructor(ports: NewsletterPorts, tables: SubscriberTables) {
    this.#ports = ports;
    this.#tables = tables;
  }

  mayMailAt(address: string, now: number): number {
    const mailed_at = this.#tables.mailedAt(this.#mailboxHash(address));
    return mailed_at === null ? now : Math.max(now, mailed_at + MAIL_PAUSE_MS);
  }

  /** Belongs into a transaction of the caller. */
  add(
    subscriber: Pick<Subscriber, "id" | "locale" | "site" | "page_name">,
    kind: MailKind,
    now: number,
  ): void {
    const { id, locale, site, page_name } = subscriber;
    const token = `${TOKEN_PREFIX}${this.#ports.pageId()}.${randomText(32, this.#ports)}`;
    const mail_id = randomText(16, this.#ports);
    this.#tables.addToken(id, token, TOKENS_KEPT);
    this.#tables.pendingSince(id, now);
    const state = { is_charged: 0, tries: 0, next_at: now, until: now + MAIL_WAIT_MS } as const;
    this.#tables.addMail({ id, mail_id, kind, token, locale, site, page_name, ...state });
    if (kind === "welcome") this.#tables.noteWelcomed(id, now);
  }

  forget(now: number): void {
    this.#tables.deleteMailsPast(now);
    this.#tables.forgetMailed(now - MAIL_PAUSE_MS);
  }

  isDue(now: number): boolean {
    return this.#tables.dueMails(now, 1).length > 0;
  }

  /** False if D1 did not say whether the page is published. */
  async sendDue(): Promise<boolean> {
    const { clock, db, failed, pageId, mail_from } = this.#ports;
    if (!this.isDue(clock.now())) return true;
    let may_send: boolean;
    try {
      may_send = mail_from !== "" && (await inTime(isPublished(db, pageId()), this.#ports));
    } catch {
      failed("newsletter_status_failed");
      return false;
    }
    if (!this.#exists) return true;
    const now = clock.now();
    if (may_send) await this.#sendAll(this.#tables.dueMails(now, MAILS_MAX));
    else this.#tables.postponeMails(now + NOT_YET_MS);
    return true;
  }

  /** A budget that has refused one mail, or fails, is not asked for the others. */
  async #sendAll(mails: readonly QueuedMail[]): Promise<void> {
    const sending: Promise<void>[] = [];
    let outcome: ChargeOutcome = "charged";
    for (const mail of mails) {
      if (mail.is_charged === 0 && outcome !== "no_budget") outcome = await this.#charge(mail);
      if (mail.is_charged === 1 || outcome === "charged") sending.push(this.#send(mail));
    }
    await Promise.all(sending);
  }

  /** Never rejects because of what is outside. */
  async #send({ id, mail_id, ...mail }: QueuedMail): Promise<void> {
    const { storage, clock, mail_from, site, sendMail } = this.#ports;
    try {
      // The mail is charged once, also if the object is killed while it is sent.
      await storage.sync();
      // The subscriber may have left meanwhile, or the page may have ended.
      const subscriber = this.#exists ? this.#tables.byId(id) : null;
      if (subscriber === null || this.#tables.mail(id)?.mail_id !== mail_id) return;
      // This comes first, because a mail whose answer is lost may have arrived.
      this.#tables.pendingSince(id, clock.now());
      const { email, address } = subscriber;
      const parts = { ...mail, site, mail_id, from: mail_from, to: email };
      await inTime(sendMail(composeMail(parts)), this.#ports);
      if (!this.#exists) return;
      storage.transactionSync(() => {
        this.#tables.deleteMail(mail_id);
        // The mail may have waited for a day.
        this.#tables.noteMailed(this.#mailboxHash(address), clock.now());
        if (mail.kind === "welcome") this.#tables.noteWelcomed(id, clock.now());
      });
    } catch {
      this.#failed({ mail_id, tries: mail.tries });
    }
  }

  #failed({ mail_id, tries }: Pick<QueuedMail, "mail_id" | "tries">): void {
    const { clock, random, failed } = this.#ports;
    // The cause is not reported: what refused the mail may have named the address.
    failed("mail_failed");
    if (!this.#exists) return;
    if (tries + 1 >= MAIL_TRIES_MAX) {
      this.#tables.deleteMail(mail_id);
      return;
    }
    const next_at = clock.now() + pauseAfter(MAIL_RETRIES, tries + 1, random());
    this.#tables.retryMail(mail_id, tries + 1, next_at);
  }

  get #exists(): boolean {
    return hasTables(this.#ports.storage);
  }

  /** Nothing else is known of an address that has left, and this only for an hour. */
  #mailboxHash(address: string): string {
    const { kv } = this.#ports.storage;
    let salt = kv.get<string>(SALT);
    if (salt === undefined) {
      salt = randomText(32, this.#ports);
      kv.put(SALT, salt);
    }
    return hashOf(`${salt}\n${mailboxOf(address)}`);
  }

  /**
   * Takes the mail from what its mailbox may get and from the day's budget. If the mailbox's limit
   * refuses, this mail waits; if the day's budget does, all uncharged mails of the page wait.
   */
  async #charge(mail: QueuedMail): Promise<ChargeOutcome> {
    const { mail_id, kind, tries } = mail;
    try {
      const address = this.#exists ? this.#tables.byId(mail.id)?.address : undefined;
      if (address === undefined) return "waits";
      const now = this.#ports.clock.now();
      // The mail that says that a subscription is confirmed follows at once: its reader has asked
      // for it.
      const may_mail_at = kind === "confirm" ? this.mayMailAt(address, now) : now;
      if (may_mail_at > now) {
        this.#tables.retryMail(mail_id, tries, may_mail_at);
        return "waits";
      }
      const verdict = await inTime(this.#ports.admitMail({ mail_id, address }), this.#ports);
      if (!this.#exists) return "no_budget";
      const { admitted, refused_by, reset_ms } = verdict;
      const charged_at = this.#ports.clock.now();
      if (admitted) {
        this.#tables.chargeMail(mail_id);
        // The others of the group, which are charged next, may be to this mailbox too.
        this.#tables.noteMailed(this.#mailboxHash(address), charged_at);
        return "charged";
      }
      const next_at = charged_at + Math.max(NO_BUDGET_MS, reset_ms);
      if (refused_by === "mailbox") {
        this.#tables.retryMail(mail_id, tries, next_at);
        return "waits";
      }
      this.#tables.postponeUncharged(next_at);
      return "no_budget";
    } catch {
      this.#failed(mail);
      return "no_budget";
    }
  }
}

/** A page that is being deleted, or that D1 does not have, is not published. */
async function isPublished(db: Database, page_id: string): Promise<boolean> {
  const { results } = await db
    .prepare(
      "SELECT 1 AS n FROM pages WHERE page_id = ?1 AND status = 'published' AND ends_at IS NULL",
    )
    .bind(page_id)
    .all();
  return results.length > 0;
}
