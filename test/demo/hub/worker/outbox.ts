/**
 * Webhooks to the service by Standard Webhooks, stored until they are delivered. Each is sent at least
 * once, in order of time, and retried with the same id until the answer is 2xx.
 */
import { Webhook } from "standardwebhooks";

/** Pauses between tries, in milliseconds; a webhook is dropped after the last. */
const PAUSES_MS = [500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000, 900_000] as const;
const TIMEOUT_MS = 5_000;
/** Statuses for which a retry is useless. */
const IN_VAIN = (status: number) => status >= 400 && status < 500 && ![408, 429].includes(status);

export interface Event {
  type: "session.revoked" | "user.updated" | "notification.created" | "user.deleted";
  data: { user_id: string } & Record<string, string | null>;
}

export class Outbox {
  readonly #ctx: DurableObjectState;
  readonly #env: Env;

  constructor(ctx: DurableObjectState, env: Env) {
    this.#ctx = ctx;
    this.#env = env;
  }

  /** Stores an event in the same write as the change it reports, and sends it at once. */
  add({ type, data }: Event): void {
    const now = Date.now();
    const body = JSON.stringify({ type, timestamp: new Date(now).toISOString(), data });
    this.#ctx.storage.sql.exec(
      "INSERT INTO outbox (id, body, tries, next_at) VALUES (?1, ?2, 0, ?3)",
      `msg_${crypto.randomUUID().replaceAll("-", "")}`,
      body,
      now,
    );
    void this.#ctx.storage.setAlarm(now);
  }

  /** To be called by the alarm: sends what is due and sets the next alarm. */
  async deliver(): Promise<void> {
    const { sql } = this.#ctx.storage;
    const due = sql
      .exec<{ id: string; body: string; tries: number }>(
        "SELECT id, body, tries FROM outbox WHERE next_at <= ?1 ORDER BY next_at LIMIT 100",
        Date.now(),
      )
      .toArray();
    for (const { id, body, tries } of due) {
      const pause_ms = PAUSES_MS[tries];
      if ((await this.#send(id, body)) || pause_ms === undefined) {
        sql.exec("DELETE FROM outbox WHERE id = ?1", id);
      } else {
        sql.exec(
          "UPDATE outbox SET tries = tries + 1, next_at = ?2 WHERE id = ?1",
          id,
          Date.now() + pause_ms,
        );
      }
    }
    const next = sql.exec<{ at: number | null }>("SELECT MIN(next_at) AS at FROM outbox").one().at;
    if (next !== null) await this.#ctx.storage.setAlarm(next);
  }

  async #send(id: string, body: string): Promise<boolean> {
    const now = new Date();
    try {
      const { status } = await fetch(`${this.#env.SERVICE_URL}/api/webhooks/hub`, {
        method: "POST",
        body,
        headers: {
          "Content-Type": "application/json",
          "webhook-id": id,
          "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
          "webhook-signature": new Webhook(this.#env.WEBHOOK_SECRET).sign(id, now, body),
        },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return (status >= 200 && status < 300) || IN_VAIN(status);
    } catch {
      return false;
    }
  }
}
