/**
 * AlertBook: the alerts that are running, those that were, and what receivers have not taken yet.
 *
 * An alert begins and ends in one transaction with its deliveries, and a partial index allows one
 * running alert of a kind. So a kill at any line leaves an alert with all its deliveries or none,
 * and an alert never begins twice.
 */
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../platform/clock.ts";
import type { Sql } from "../platform/ports.ts";
import { pauseAfter, type RetrySchedule } from "../platform/retries.ts";
import type { Judgement } from "./alert-rules.ts";
import { alertText } from "./alert-texts.ts";

export type Channel = "webhook" | "mail";

export interface Alert {
  id: string;
  kind: string;
  /** Unix milliseconds. */
  began_at: number;
  ended_at: number | null;
  value: number;
}

export interface Delivery {
  seq: number;
  /** The `webhook-id`: the same in every try, another one for the end of the alert. */
  id: string;
  channel: Channel;
  subject: string;
  /** JSON for a webhook, text for a mail. */
  body: string;
  created_at: number;
  tries: number;
}

/** Alerts that have ended are kept as long as samples. */
const KEPT_MS = 90 * DAY_MS;
const ALERTS_MAX = 1_000;
export const DELIVER_MS = 7 * DAY_MS;
const RETRIES: RetrySchedule = {
  pauses_ms: [SECOND_MS],
  growth: 2,
  longest_ms: 10 * MINUTE_MS,
  jitter: 0.5,
};
const DELIVERIES_MAX = 500;
const ALERTS_LISTED_MAX = 200;

export class AlertBook {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Belongs into a transaction. */
  judged(judgements: readonly Judgement[], channels: readonly Channel[], now: number): void {
    const running = new Map(this.running().map((alert) => [alert.kind, alert]));
    for (const { kind, state, value } of judgements) {
      const alert = running.get(kind);
      if (state === "bad" && alert === undefined) {
        const began = { id: `${kind}-${now}`, kind, began_at: now, ended_at: null, value };
        this.#sql.exec(
          "INSERT INTO alerts (id, kind, began_at, ended_at, value) VALUES (?1, ?2, ?3, NULL, ?4)",
          began.id,
          kind,
          now,
          value,
        );
        this.#announce(began, channels, now);
      } else if (state === "calm" && alert !== undefined) {
        // A clock that stepped back does not end an alert before it began.
        const ended_at = Math.max(now, alert.began_at);
        this.#sql.exec("UPDATE alerts SET ended_at = ?2 WHERE id = ?1", alert.id, ended_at);
        this.#announce({ ...alert, ended_at }, channels, now);
      }
    }
    this.#forget(now);
  }

  running(): Alert[] {
    return this.#sql
      .exec<AlertRow>(`${SELECT_ALERT} WHERE ended_at IS NULL ORDER BY began_at`)
      .toArray();
  }

  newest(): Alert[] {
    return this.#sql
      .exec<AlertRow>(`${SELECT_ALERT} ORDER BY began_at DESC LIMIT ${ALERTS_LISTED_MAX}`)
      .toArray();
  }

  /** The end of an alert waits for its beginning. A pause that is too long is over: the clock stepped back. */
  due(now: number): Delivery | null {
    const [row] = this.#sql
      .exec<DeliveryRow>(
        `SELECT seq, id, channel, subject, body, created_at, tries FROM deliveries AS due
         WHERE (next_at <= ?1 OR next_at > ?2) AND ${IS_FIRST} ORDER BY seq LIMIT 1`,
        now,
        now + RETRIES.longest_ms,
      )
      .toArray();
    return row === undefined ? null : (row as unknown as Delivery);
  }

  /** Unix milliseconds. */
  dueAt(now: number): number | null {
    const [row] = this.#sql
      .exec<{ at: number | null }>(
        `SELECT MIN(iif(next_at > ?1, 0, next_at)) AS at FROM deliveries AS due WHERE ${IS_FIRST}`,
        now + RETRIES.longest_ms,
      )
      .toArray();
    return row?.at ?? null;
  }

  waiting(): number {
    const [row] = this.#sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM deliveries").toArray();
    return row?.n ?? 0;
  }

  /** The receiver has taken it, or its channel is gone. */
  settled({ seq }: Delivery): void {
    this.#sql.exec("DELETE FROM deliveries WHERE seq = ?1", seq);
  }

  failed({ seq, tries, created_at }: Delivery, now: number, random: number): void {
    if (now - created_at >= DELIVER_MS) {
      this.#sql.exec("DELETE FROM deliveries WHERE seq = ?1", seq);
      return;
    }
    this.#sql.exec(
      "UPDATE deliveries SET tries = tries + 1, next_at = ?2 WHERE seq = ?1",
      seq,
      now + pauseAfter(RETRIES, tries + 1, random),
    );
  }

  #announce(alert: Alert, channels: readonly Channel[], now: number): void {
    const { id, kind, began_at, ended_at } = alert;
    const what = ended_at === null ? "began" : "ended";
    const { subject, text } = alertText(alert);
    const data = {
      alert_id: id,
      alert: kind,
      began_at: new Date(began_at).toISOString(),
      ended_at: ended_at === null ? null : new Date(ended_at).toISOString(),
      text,
    };
    const json = JSON.stringify({
      type: `alert.${what}`,
      timestamp: new Date(now).toISOString(),
      data,
    });
    for (const channel of channels) {
      this.#sql.exec(
        `INSERT INTO deliveries (id, alert_id, channel, subject, body, created_at, tries, next_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, ?6)`,
        `${id}-${what}`,
        id,
        channel,
        subject,
        channel === "webhook" ? json : text,
        now,
      );
    }
    this.#sql.exec(
      "DELETE FROM deliveries WHERE seq IN (SELECT seq FROM deliveries ORDER BY seq DESC LIMIT -1 OFFSET ?1)",
      DELIVERIES_MAX,
    );
  }

  #forget(now: number): void {
    this.#sql.exec("DELETE FROM alerts WHERE ended_at < ?1", now - KEPT_MS);
    this.#sql.exec(
      `DELETE FROM alerts WHERE ended_at IS NOT NULL AND id IN
         (SELECT id FROM alerts ORDER BY began_at DESC LIMIT -1 OFFSET ?1)`,
      ALERTS_MAX,
    );
  }
}

type AlertRow = {
  id: string;
  kind: string;
  began_at: number;
  ended_at: number | null;
  value: number;
};
type DeliveryRow = Record<"seq" | "created_at" | "tries", number> &
  Record<"id" | "channel" | "subject" | "body", string>;

const SELECT_ALERT = "SELECT id, kind, began_at, ended_at, value FROM alerts";
const IS_FIRST = `NOT EXISTS (SELECT 1 FROM deliveries AS other
  WHERE other.alert_id = due.alert_id AND other.channel = due.channel AND other.seq < due.seq)`;
