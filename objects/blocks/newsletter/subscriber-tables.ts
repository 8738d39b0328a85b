/** SubscriberTables: statements. Each write belongs into a transaction of the caller. */
import { createHash } from "node:crypto";
import type { MailLocale } from "../../mail/mail.ts";
import type { Storage } from "../../platform/ports.ts";
import type { MailKind } from "./compose-mail.ts";
import type { ListedSubscriber, SubscriberQuery, SubscriptionRequest } from "./subscription.ts";

export type Subscriber = Omit<SubscriptionRequest, "origin"> & {
  id: string;
  address: string;
  /** JSON, or null. */
  origin: string | null;
  /** When the last mail to confirm was sent, or while that waits when it was asked for. */
  asked_at: number;
  confirmed_at: number | null;
  /** When the last mail that says so was queued or sent. */
  welcomed_at: number | null;
};

export type QueuedMail = {
  id: string;
  mail_id: string;
  kind: MailKind;
  token: string;
  locale: MailLocale;
  site: string;
  page_name: string;
  is_charged: 0 | 1;
  tries: number;
  next_at: number;
  until: number;
};

export class SubscriberTables {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  addRequest(request: SubscriptionRequest): void {
    this.#run("INSERT INTO intake (request) VALUES (?1)", JSON.stringify(request));
  }

  requests(limit: number): { seq: number; request: SubscriptionRequest }[] {
    return this.#all<{ seq: number; request: string }>(
      "SELECT seq, request FROM intake ORDER BY seq LIMIT ?1",
      limit,
    ).map(({ seq, request }) => ({ seq, request: JSON.parse(request) }));
  }

  deleteRequestsTo(seq: number): void {
    this.#run("DELETE FROM intake WHERE seq <= ?1", seq);
  }

  get waiting(): number {
    return this.#number(
      `SELECT (SELECT COUNT(*) FROM intake)
         + (SELECT COUNT(*) FROM subscribers WHERE confirmed_at IS NULL) AS n`,
    );
  }

  get pending(): number {
    return this.#number("SELECT COUNT(*) AS n FROM subscribers WHERE confirmed_at IS NULL");
  }

  get confirmed(): number {
    return this.#number("SELECT COUNT(*) AS n FROM subscribers WHERE confirmed_at IS NOT NULL");
  }

  byAddress(address: string): Subscriber | null {
    return this.#first<Subscriber>("SELECT * FROM subscribers WHERE address = ?1", address);
  }

  byId(id: string): Subscriber | null {
    return this.#first<Subscriber>("SELECT * FROM subscribers WHERE id = ?1", id);
  }

  byToken(token: string): Subscriber | null {
    return this.#first<Subscriber>(
      "SELECT s.* FROM tokens AS t JOIN subscribers AS s ON s.id = t.id WHERE t.hash = ?1",
      hashOf(token),
    );
  }

  insert(id: string, request: SubscriptionRequest, address: string, now: number): void {
    const { email, link_id, locale, site, page_name, class: class_, origin } = request;
    this.#run(
      `INSERT INTO subscribers (id, email, address, link_id, locale, site, page_name, class, origin,
         asked_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`,
      ...[id, email, address, link_id, locale, site, page_name, class_],
      origin === null ? null : JSON.stringify(origin),
      now,
    );
  }

  /** A new request prolongs nothing unless a mail is sent. */
  askAgain(id: string, request: SubscriptionRequest): void {
    const { link_id, locale, site, page_name, class: class_, origin } = request;
    this.#run(
      `UPDATE subscribers SET link_id = ?2, locale = ?3, site = ?4, page_name = ?5, class = ?6,
         origin = ?7 WHERE id = ?1`,
      ...[id, link_id, locale, site, page_name, class_],
      origin === null ? null : JSON.stringify(origin),
    );
  }

  pendingSince(id: string, now: number): void {
    this.#run(
      "UPDATE subscribers SET asked_at = ?2 WHERE id = ?1 AND confirmed_at IS NULL",
      id,
      now,
    );
  }

  confirm(id: string, now: number): void {
    this.#run("UPDATE subscribers SET confirmed_at = ?2 WHERE id = ?1", id, now);
  }

  noteWelcomed(id: string, at: number): void {
    this.#run("UPDATE subscribers SET welcomed_at = ?2 WHERE id = ?1", id, at);
  }

  delete(id: string): void {
    this.#run("DELETE FROM tokens WHERE id = ?1", id);
    this.#run("DELETE FROM mails WHERE id = ?1", id);
    this.#run("DELETE FROM subscribers WHERE id = ?1", id);
  }

  unconfirmedSince(at: number): string[] {
    return this.#all<{ id: string }>(
      "SELECT id FROM subscribers WHERE confirmed_at IS NULL AND asked_at <= ?1",
      at,
    ).map(({ id }) => id);
  }

  addToken(id: string, token: string, kept: number): void {
    this.#run("INSERT INTO tokens (hash, id) VALUES (?1, ?2)", hashOf(token), id);
    this.#run(
      `DELETE FROM tokens WHERE id = ?1 AND seq NOT IN
         (SELECT seq FROM tokens WHERE id = ?1 ORDER BY seq DESC LIMIT ?2)`,
      id,
      kept,
    );
  }

  /** Replaces the mail that the subscriber would have got. */
  addMail(mail: QueuedMail): void {
    const { id, mail_id, kind, token, locale, site, page_name, next_at, until } = mail;
    this.#run(
      `INSERT OR REPLACE INTO mails (id, mail_id, kind, token, locale, site, page_name, is_charged,
         tries, next_at, until) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, 0, ?8, ?9)`,
      ...[id, mail_id, kind, token, locale, site, page_name, next_at, until],
    );
  }

  dueMails(now: number, limit: number): QueuedMail[] {
    return this.#all<QueuedMail>(
      "SELECT * FROM mails WHERE next_at <= ?1 AND until > ?1 ORDER BY next_at LIMIT ?2",
      now,
      limit,
    );
  }

  mail(id: string): QueuedMail | null {
    return this.#first<QueuedMail>("SELECT * FROM mails WHERE id = ?1", id);
  }

  chargeMail(mail_id: string): void {
    this.#run("UPDATE mails SET is_charged = 1 WHERE mail_id = ?1", mail_id);
  }

  deleteMailsPast(now: number): void {
    this.#run("DELETE FROM mails WHERE next_at <= ?1 AND until <= ?1", now);
  }

  /** A mail waits until this time, or for its end if that is sooner. */
  postponeMails(next_at: number): void {
    this.#run(
      "UPDATE mails SET next_at = MIN(?1, until) WHERE next_at < ?1 AND next_at < until",
      next_at,
    );
  }

  postponeUncharged(next_at: number): void {
    this.#run(
      `UPDATE mails SET next_at = MIN(?1, until)
       WHERE is_charged = 0 AND next_at < ?1 AND next_at < until`,
      next_at,
    );
  }

  retryMail(mail_id: string, tries: number, next_at: number): void {
    this.#run(
      "UPDATE mails SET tries = ?2, next_at = MIN(?3, until) WHERE mail_id = ?1",
      mail_id,
      tries,
      next_at,
    );
  }

  deleteMail(mail_id: string): void {
    this.#run("DELETE FROM mails WHERE mail_id = ?1", mail_id);
  }

  noteMailed(hash: string, now: number): void {
    this.#run("INSERT OR REPLACE INTO mailed (hash, at) VALUES (?1, ?2)", hash, now);
  }

  mailedAt(hash: string): number | null {
    return this.#first<{ at: number }>("SELECT at FROM mailed WHERE hash = ?1", hash)?.at ?? null;
  }

  forgetMailed(until: number): void {
    this.#run("DELETE FROM mailed WHERE at <= ?1", until);
  }

  /** A clock that was set back must not make anything stay for longer. */
  notLaterThan(now: number): void {
    this.#run(
      "UPDATE subscribers SET asked_at = ?1 WHERE confirmed_at IS NULL AND asked_at > ?1",
      now,
    );
    this.#run("UPDATE mailed SET at = ?1 WHERE at > ?1", now);
  }

  /** The first times of what the alarm has to do; null if there is nothing. */
  firstTimes() {
    return {
      request: this.#number("SELECT COUNT(*) AS n FROM (SELECT 1 FROM intake LIMIT 1)") > 0,
      mail: this.#first<{ at: number | null }>("SELECT MIN(next_at) AS at FROM mails")?.at ?? null,
      pending:
        this.#first<{ at: number | null }>(
          "SELECT MIN(asked_at) AS at FROM subscribers WHERE confirmed_at IS NULL",
        )?.at ?? null,
      mailed: this.#first<{ at: number | null }>("SELECT MIN(at) AS at FROM mailed")?.at ?? null,
    };
  }

  listed(id: string): ListedSubscriber | null {
    const found = this.byId(id);
    if (found === null || found.confirmed_at === null) return null;
    const { email, confirmed_at, link_id, locale } = found;
    return {
      id,
      email,
      confirmed_at: new Date(confirmed_at).toISOString(),
      source: { link_id, locale },
    };
  }

  /** Confirmed subscribers, newest first; one more than the limit if there are more. */
  list({ limit, after, q }: SubscriberQuery): ListedSubscriber[] {
    const [at, id] = cursorOf(after);
    return this.#all<{
      id: string;
      email: string;
      link_id: string;
      locale: MailLocale;
      confirmed_at: number;
    }>(
      `SELECT id, email, link_id, locale, confirmed_at FROM subscribers
       WHERE confirmed_at IS NOT NULL AND (confirmed_at, id) < (?1, ?2)
         AND (?3 IS NULL OR instr(address, ?3) > 0)
       ORDER BY confirmed_at DESC, id DESC LIMIT ?4`,
      at,
      id,
      q?.toLowerCase() ?? null,
      limit + 1,
    ).map(({ id, email, confirmed_at, ...source }) => ({
      id,
      email,
      confirmed_at: new Date(confirmed_at).toISOString(),
      source,
    }));
  }

  #run(query: string, ...values: (string | number | null)[]): void {
    this.#storage.sql.exec(query, ...values);
  }

  #all<R>(query: string, ...values: (string | number | null)[]): R[] {
    return this.#storage.sql.exec(query, ...values).toArray() as unknown as R[];
  }

  #first<R>(query: string, ...values: (string | number | null)[]): R | null {
    return this.#all<R>(query, ...values)[0] ?? null;
  }

  #number(query: string): number {
    return this.#first<{ n: number }>(query)?.n ?? 0;
  }
}

export function cursorAfter({ confirmed_at, id }: ListedSubscriber): string {
  return `${Date.parse(confirmed_at)}.${id}`;
}

/** Time and id of a cursor; without one, after those of every subscriber. */
function cursorOf(after: string | null): [at: number, id: string] {
  const [, at, id = ""] = /^(\d{1,15})\.(.*)$/.exec(after ?? "") ?? [];
  return at === undefined ? [Number.MAX_SAFE_INTEGER, ""] : [Number(at), id];
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
