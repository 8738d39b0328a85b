/** WebhookTables: statements. Writes that belong together are in the caller's transaction. */
import type { Storage } from "../../platform/ports.ts";
import { hasTables } from "../../platform/schema.ts";
import type { DeliveryState, EndpointState, WebhookEvent } from "./webhook.ts";

export type EndpointRow = {
  id: string;
  url: string;
  events: string;
  state: EndpointState;
  secret: string;
  old_secret: string | null;
  old_until: number | null;
  created_at: number;
  failures: number;
  rest_until: number;
  ok_at: number | null;
  dropped: number;
};

export type DeliveryRow = {
  seq: number;
  endpoint_id: string;
  event_id: string;
  type: string;
  at: number;
  data: string;
  state: DeliveryState;
  tries: number;
  next_at: number;
  until: number;
  created_at: number;
};

export type AttemptRow = {
  at: number;
  outcome: string;
  status: number | null;
  latency_ms: number;
  answer: string;
};

export interface OutgoingEvent {
  /** The same in every attempt, and for ever. */
  event_id: string;
  type: WebhookEvent | "webhook.test";
  at: number;
  data: Record<string, string | number | null>;
}

interface NewDelivery {
  endpoint_id: string;
  now: number;
  next_at: number;
  until: number;
}

export class WebhookTables {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** False before the first endpoint, and once the page has ended. */
  get exist(): boolean {
    return hasTables(this.#storage);
  }

  endpoints(): EndpointRow[] {
    return this.#all("SELECT * FROM endpoints ORDER BY created_at, id");
  }

  endpoint(id: string): EndpointRow | null {
    return this.#first("SELECT * FROM endpoints WHERE id = ?1", id);
  }

  putEndpoint(row: EndpointRow): void {
    this.#run(
      "INSERT OR REPLACE INTO endpoints VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
      ...[row.id, row.url, row.events, row.state, row.secret, row.old_secret, row.old_until],
      ...[row.created_at, row.failures, row.rest_until, row.ok_at, row.dropped],
    );
  }

  deleteEndpoint(id: string): void {
    this.#run(
      "DELETE FROM attempts WHERE delivery IN (SELECT seq FROM deliveries WHERE endpoint_id = ?1)",
      id,
    );
    this.#run("DELETE FROM deliveries WHERE endpoint_id = ?1", id);
    this.#run("DELETE FROM endpoints WHERE id = ?1", id);
  }

  /** A secret that would end only after `last` ends then: the clock was set back. */
  forgetOldSecrets(now: number, last: number): void {
    this.#run("UPDATE endpoints SET old_until = ?1 WHERE old_until > ?1", last);
    this.#run(
      "UPDATE endpoints SET old_secret = NULL, old_until = NULL WHERE old_until <= ?1",
      now,
    );
  }

  waiting(endpoint_id: string): number {
    return this.#number(
      "SELECT COUNT(*) AS n FROM deliveries WHERE endpoint_id = ?1 AND state = 'waiting'",
      endpoint_id,
    );
  }

  addDelivery(
    { event_id, type, at, data }: OutgoingEvent,
    { endpoint_id, now, next_at, until }: NewDelivery,
  ): number {
    return this.#number(
      `INSERT INTO deliveries (endpoint_id, event_id, type, at, data, state, tries, next_at, until,
         created_at) VALUES (?1, ?2, ?3, ?4, ?5, 'waiting', 0, ?6, ?7, ?8) RETURNING seq AS n`,
      ...[endpoint_id, event_id, type, at, JSON.stringify(data), next_at, until, now],
    );
  }

  delivery(seq: number): DeliveryRow | null {
    return this.#first("SELECT * FROM deliveries WHERE seq = ?1", seq);
  }

  deliveries(before: number, limit: number): DeliveryRow[] {
    return this.#all(
      "SELECT * FROM deliveries WHERE seq < ?1 ORDER BY seq DESC LIMIT ?2",
      before,
      limit,
    );
  }

  due(endpoint_id: string, now: number, limit: number): DeliveryRow[] {
    return this.#all(
      `SELECT * FROM deliveries WHERE endpoint_id = ?1 AND state = 'waiting' AND next_at <= ?2
       ORDER BY next_at LIMIT ?3`,
      endpoint_id,
      now,
      limit,
    );
  }

  nextDue(endpoint_id: string): number | null {
    return this.#time(
      "SELECT MIN(next_at) AS at FROM deliveries WHERE endpoint_id = ?1 AND state = 'waiting'",
      endpoint_id,
    );
  }

  notLaterThan(next_at: number, until: number): void {
    this.#run(
      `UPDATE deliveries SET next_at = MIN(next_at, ?1), until = MIN(until, ?2)
       WHERE state = 'waiting' AND (next_at > ?1 OR until > ?2)`,
      next_at,
      until,
    );
    this.#run("UPDATE endpoints SET rest_until = ?1 WHERE rest_until > ?1", next_at);
  }

  prolong(ms: number, last: number): void {
    this.#run(
      "UPDATE deliveries SET until = MIN(until + ?1, ?2) WHERE state = 'waiting' AND until < ?2",
      ms,
      last,
    );
  }

  setDelivery(seq: number, row: Pick<DeliveryRow, "state" | "tries" | "next_at" | "until">): void {
    this.#run(
      "UPDATE deliveries SET state = ?2, tries = ?3, next_at = ?4, until = ?5 WHERE seq = ?1",
      ...[seq, row.state, row.tries, row.next_at, row.until],
    );
  }

  giveUp(endpoint_id: string): void {
    this.#run(
      "UPDATE deliveries SET state = 'failed' WHERE endpoint_id = ?1 AND state = 'waiting'",
      endpoint_id,
    );
  }

  addAttempt(seq: number, attempt: AttemptRow, kept: number): void {
    const n = this.#number("SELECT MAX(n) AS n FROM attempts WHERE delivery = ?1", seq) + 1;
    const { at, outcome, status, latency_ms, answer } = attempt;
    this.#run(
      `INSERT INTO attempts (delivery, n, at, outcome, status, latency_ms, answer)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`,
      ...[seq, n, at, outcome, status, latency_ms, answer],
    );
    this.#run("DELETE FROM attempts WHERE delivery = ?1 AND n <= ?2", seq, n - kept);
  }

  attempts(seq: number): AttemptRow[] {
    return this.#all(
      `SELECT at, outcome, status, latency_ms, answer FROM attempts WHERE delivery = ?1
       ORDER BY n DESC`,
      seq,
    );
  }

  /** Keeps the newest `kept`, except those made at `until` or before, and all that wait. */
  forgetDeliveries(kept: number, until: number): void {
    const [last] = this.#all<{ seq: number | null; first: number | null }>(
      "SELECT MAX(seq) AS seq, MIN(seq) AS first FROM deliveries",
    );
    const { seq, first } = last ?? {};
    if (seq == null || first == null) return;
    const oldest = this.delivery(first);
    if (seq - first < kept && (oldest?.created_at ?? until + 1) > until) return;
    const isOver = "state <> 'waiting' AND (seq <= ?1 OR created_at <= ?2)";
    this.#run(
      `DELETE FROM attempts WHERE delivery IN (SELECT seq FROM deliveries WHERE ${isOver})`,
      seq - kept,
      until,
    );
    this.#run(`DELETE FROM deliveries WHERE ${isOver}`, seq - kept, until);
  }

  oldestDelivery(): number | null {
    return this.#time(
      "SELECT created_at AS at FROM deliveries WHERE seq = (SELECT MIN(seq) FROM deliveries)",
    );
  }

  addNotice(id: string, host: string, reason: string, at: number): void {
    this.#run(
      "INSERT INTO notices (id, host, reason, at) VALUES (?1, ?2, ?3, ?4)",
      ...[id, host, reason, at],
    );
  }

  notices(): { id: string; host: string; reason: string; at: number }[] {
    return this.#all("SELECT id, host, reason, at FROM notices ORDER BY at LIMIT 20");
  }

  deleteNotice(id: string): void {
    this.#run("DELETE FROM notices WHERE id = ?1", id);
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

  #number(query: string, ...values: (string | number | null)[]): number {
    return this.#first<{ n: number | null }>(query, ...values)?.n ?? 0;
  }

  #time(query: string, ...values: (string | number | null)[]): number | null {
    return this.#first<{ at: number | null }>(query, ...values)?.at ?? null;
  }
}
