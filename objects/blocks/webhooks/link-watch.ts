/**
 * LinkWatch: whether the page's links still lead somewhere, for endpoints that want to know.
 *
 * A link is down after three looks in a row, over half an hour at least, at which it could not be
 * reached or answered 404, 410 or 5xx. Other answers are not down: many sites refuse programs with
 * 401, 403 or 429. D1 is asked for the links before each look, so a link that has left the page is
 * looked at no more.
 */
import { HOUR_MS, MINUTE_MS, SECOND_MS, withTimeout } from "../../platform/clock.ts";
import type { Database, Storage } from "../../platform/ports.ts";
import { hasTables } from "../../platform/schema.ts";
import type { LinkAnswer } from "./call-outside.ts";
import type { WebhookPorts } from "./webhook-ports.ts";
import type { OutgoingEvent } from "./webhook-tables.ts";

export const CHECK_EVERY_MS = 6 * HOUR_MS;
const CHECK_AGAIN_MS = 15 * MINUTE_MS;
const DOWN_FAILS = 3;
const DOWN_AFTER_MS = 30 * MINUTE_MS;
/** A new link is looked at within this time, at random, so that the links of a page spread. */
const SPREAD_MS = 10 * MINUTE_MS;
/** One alarm looks at so many links together; the rest waits for the next one. */
export const CHECKS_MAX = 3;
const PAUSE_MS = 5 * SECOND_MS;
const READ_TIMEOUT_MS = 10 * SECOND_MS;
const READ_AT = "links_at";

type LinkRow = {
  link_id: string;
  url: string;
  fails: number;
  failed_at: number;
  is_down: number;
  next_at: number;
};

const SELECT_LINKS = `SELECT value ->> 'link_id' AS link_id, value ->> 'url' AS url
  FROM pages, json_each(document, '$.links')
  WHERE page_id = ?1 AND status = 'published' AND ends_at IS NULL AND value ->> 'enabled'
    AND COALESCE(value ->> 'from', 0) <= ?2 AND ?2 < COALESCE(value ->> 'until', 9e15)
    AND value ->> 'url' LIKE 'http%'`;

export class LinkWatch {
  readonly #ports: WebhookPorts;
  readonly #storage: Storage;
  readonly #emit: (event: Omit<OutgoingEvent, "event_id">) => void;

  /** `emit` runs in the transaction that stores the state of the link. */
  constructor(ports: WebhookPorts, emit: (event: Omit<OutgoingEvent, "event_id">) => void) {
    this.#ports = ports;
    this.#storage = ports.storage;
    this.#emit = emit;
  }

  /** Call it after `run`. */
  dueAt(): number {
    const [row] = this.#storage.sql
      .exec<{ at: number | null }>("SELECT MIN(next_at) AS at FROM links")
      .toArray();
    return Math.min(this.#readAt, row?.at ?? Number.POSITIVE_INFINITY);
  }

  /** A clock that was set back must not make a look wait for longer than `CHECK_EVERY_MS`. */
  notLaterThan(now: number): void {
    const { sql, kv } = this.#storage;
    const next_at = now + CHECK_EVERY_MS + PAUSE_MS;
    sql.exec(
      `UPDATE links SET next_at = MIN(next_at, ?1), failed_at = MIN(failed_at, ?2)
       WHERE next_at > ?1 OR failed_at > ?2`,
      next_at,
      now,
    );
    if (this.#readAt > next_at) kv.put(READ_AT, now);
  }

  stop(): void {
    if (this.#storage.kv.get(READ_AT) === undefined) return;
    this.#storage.sql.exec("DELETE FROM links");
    this.#storage.kv.delete(READ_AT);
  }

  /** Rejects if D1 fails. */
  async run(): Promise<void> {
    const { clock } = this.#ports;
    if (this.dueAt() > clock.now()) return;
    await this.#read();
    if (!this.#exists) return;
    const due = this.#storage.sql
      .exec<LinkRow>(
        "SELECT * FROM links WHERE next_at <= ?1 ORDER BY next_at LIMIT ?2",
        clock.now(),
        CHECKS_MAX,
      )
      .toArray();
    await Promise.all(due.map((link) => this.#look(link)));
  }

  get #exists(): boolean {
    return hasTables(this.#storage);
  }

  get #readAt(): number {
    return this.#storage.kv.get<number>(READ_AT) ?? 0;
  }

  async #read(): Promise<void> {
    const { db, clock, pageId, random } = this.#ports;
    const found = await withTimeout(linksOf(db, pageId(), clock.now()), READ_TIMEOUT_MS, clock);
    if (!this.#exists) return;
    const now = clock.now();
    const links = new Map(found.map(({ link_id, url }) => [link_id, url]));
    this.#storage.transactionSync(() => {
      const known = this.#storage.sql.exec<LinkRow>("SELECT * FROM links").toArray();
      for (const { link_id, url } of known) {
        if (links.get(link_id) === url) links.delete(link_id);
        else this.#storage.sql.exec("DELETE FROM links WHERE link_id = ?1", link_id);
      }
      for (const [link_id, url] of links) {
        const next_at = Math.ceil(now + SPREAD_MS * random());
        this.#put({ link_id, url, fails: 0, failed_at: 0, is_down: 0, next_at });
      }
      this.#storage.kv.put(READ_AT, now + CHECK_EVERY_MS);
    });
  }

  async #look({ link_id, url }: LinkRow): Promise<void> {
    const { clock, checkLink, random } = this.#ports;
    const answer = await checkLink(url);
    if (!this.#exists) return;
    const now = clock.now();
    this.#storage.transactionSync(() => {
      const [link] = this.#storage.sql
        .exec<LinkRow>("SELECT * FROM links WHERE link_id = ?1 AND url = ?2", link_id, url)
        .toArray();
      if (link === undefined) return;
      const later = now + Math.ceil(CHECK_EVERY_MS * (1 - 0.1 * random()));
      if (!isFailure(answer)) {
        if (link.is_down === 1) this.#emit(eventOf("link.up", link, answer, now));
        this.#put({ ...link, fails: 0, failed_at: 0, is_down: 0, next_at: later });
        return;
      }
      const failed_at = link.fails === 0 ? now : link.failed_at;
      const fails = link.fails + 1;
      const isDown = fails >= DOWN_FAILS && now - failed_at >= DOWN_AFTER_MS;
      const failing = { ...link, fails, failed_at };
      if (isDown && link.is_down === 0) this.#emit(eventOf("link.down", failing, answer, now));
      const is_down = isDown || link.is_down === 1 ? 1 : 0;
      this.#put({ ...failing, is_down, next_at: is_down === 1 ? later : now + CHECK_AGAIN_MS });
    });
  }

  #put({ link_id, url, fails, failed_at, is_down, next_at }: LinkRow): void {
    this.#storage.sql.exec(
      "INSERT OR REPLACE INTO links VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
      link_id,
      url,
      fails,
      failed_at,
      is_down,
      // Links that are due together wait for one another.
      Math.ceil(next_at + PAUSE_MS * this.#ports.random()),
    );
  }
}

function isFailure(answer: LinkAnswer): boolean {
  if (answer === null) return false;
  if (answer === "unreachable" || answer === 404 || answer === 410) return true;
  // Some sites refuse programs with a status of their own, such as 999.
  return answer >= 500 && answer <= 599;
}

function eventOf(
  type: "link.down" | "link.up",
  { link_id, url, failed_at }: LinkRow,
  answer: LinkAnswer,
  now: number,
): Omit<OutgoingEvent, "event_id"> {
  const status = typeof answer === "number" ? answer : null;
  return {
    type,
    at: now,
    data: { link_id, url, status, since: new Date(failed_at).toISOString() },
  };
}

async function linksOf(
  db: Database,
  page_id: string,
  now: number,
): Promise<{ link_id: string; url: string }[]> {
  const { results } = await db
    .prepare(SELECT_LINKS)
    .bind(page_id, Math.floor(now / SECOND_MS))
    .all<{ link_id: string; url: string }>();
  return results;
}
