/**
 * WebhookOutbox: events of one page on their way to its object for webhooks
 * (`webhooks/webhooks.ts`).
 *
 * Each is stored in the transaction that makes it true, if an endpoint wants it. They are numbered
 * for ever and go out in that order, and that object remembers the last number it took, so each
 * arrives there once, whatever is repeated.
 */

import { takeAnnounced } from "../../events/announced.ts";
import type { Conversion } from "../../events/conversion.ts";
import type { PageNews, SendPageNews } from "../../events/page-news.ts";
import { HOUR_MS, SECOND_MS } from "../../platform/clock.ts";
import { Outbox, type OutboxTable, retryColumns } from "../../platform/outbox.ts";
import type { Ports, Storage } from "../../platform/ports.ts";
import type { RetrySchedule } from "../../platform/retries.ts";
import { hasTables, migrate, type Steps } from "../../platform/schema.ts";
import type { Milestone } from "./milestones.ts";

const TABLE: OutboxTable = { name: "webhook_outbox", id: "seq", target: "target", body: "news" };
/** There is only one, and a queue's order is that of its numbers. */
const TARGET = "";
const SCHEMA = "webhooks_schema_version";
const STEPS: Steps = [
  ["CREATE TABLE webhook_outbox (seq INTEGER PRIMARY KEY, news TEXT NOT NULL)"],
  ["ALTER TABLE webhook_outbox ADD COLUMN target TEXT NOT NULL DEFAULT ''", ...retryColumns(TABLE)],
];
/** Which events are wanted: as routes bring it (`page-counter.ts`), and as each answer to a batch says. */
export const WANTED = "webhooks";
const STATE = "webhook_outbox";

/** While the other object does not answer, so many events wait; further ones are dropped. */
export const OUTBOX_MAX = 1_000;
/** A pause before the first try, in which more events may come. */
const TELL_AFTER_MS = SECOND_MS;
const RETRIES: RetrySchedule = { pauses_ms: [2 * SECOND_MS], growth: 2, longest_ms: HOUR_MS };

/** `failures` and `due_at` are for a rollback to a release up to 3.1, which then sends at once. */
interface State {
  seq: number;
  dropped: number;
  failures: number;
  due_at: number | null;
}

const NOTHING: State = { seq: 0, dropped: 0, failures: 0, due_at: null };

export interface PageNewsPorts extends Pick<Ports, "storage" | "clock" | "random"> {
  /** Absent if nothing wants events. */
  sendNews?: SendPageNews;
  onNewsFailed?: (error: unknown) => void;
}

export class WebhookOutbox {
  readonly #storage: Storage;
  readonly #outbox: Outbox<Omit<PageNews, "seq">>;

  constructor(ports: PageNewsPorts) {
    const { sendNews = nobody, onNewsFailed = () => {} } = ports;
    this.#storage = ports.storage;
    this.#outbox = new Outbox(ports, {
      table: TABLE,
      schedule: RETRIES,
      exists: () => this.#exists,
      send: async (_, rows) => {
        const wanted = await sendNews({
          news: rows.map(({ id, body }) => ({ ...body, seq: Number(id) })),
          dropped: this.#state.dropped,
        });
        if (this.#exists) takeAnnounced(this.#storage.kv, WANTED, wanted);
      },
      failed: onNewsFailed,
    });
    if (this.#exists) this.#migrate();
  }

  get dueAt(): number | null {
    return this.#exists ? this.#outbox.dueAt : null;
  }

  /** Belongs into the transaction that stores the milestone. */
  reached({ kind, n, reached_at }: Milestone): void {
    const data = { counted: kind, n, reached_at: iso(reached_at) };
    const news = { id: `${kind}_${n}`, type: "milestone.reached", at: reached_at, data } as const;
    this.#add(news, reached_at);
  }

  /** Belongs into the transaction that stores the conversions, which must be new. */
  converted(conversions: readonly Conversion[], now: number): void {
    for (const { id, link_id, tip, is_subscriber } of conversions) {
      if (is_subscriber === true) {
        // The newsletter's object alone has the address.
        const data = { subscriber_id: id };
        this.#add({ id: `subscriber_${id}`, type: "subscriber.confirmed", at: now, data }, now);
      } else if (tip !== null) {
        const { from_name, points, message, at } = tip;
        const data = { tip_id: id, link_id, from_name, points, message, at: iso(at) };
        this.#add({ id, type: "tip.received", at, data }, now);
      }
    }
  }

  /** Never rejects: it tries again when it is due. */
  async deliver(): Promise<void> {
    if (this.#exists) await this.#outbox.deliver();
  }

  #add(news: Omit<PageNews, "seq">, now: number): void {
    const { kv } = this.#storage;
    const wanted = kv.get<{ types: string[] }>(WANTED);
    if (wanted?.types.includes(news.type) !== true) return;
    migrate(this.#storage, STEPS, SCHEMA);
    const { seq, dropped, ...state } = this.#state;
    const [first] = this.#storage.sql
      .exec<{ seq: number | null }>("SELECT MIN(seq) AS seq FROM webhook_outbox")
      .toArray();
    if (seq + 1 - (first?.seq ?? seq + 1) >= OUTBOX_MAX) {
      kv.put<State>(STATE, { ...state, seq, dropped: dropped + 1 });
      return;
    }
    const due_at = now + TELL_AFTER_MS;
    this.#outbox.add({ id: seq + 1, body: news }, TARGET, due_at);
    kv.put<State>(STATE, { seq: seq + 1, dropped, failures: 0, due_at });
  }

  /** Takes the missing steps. Releases up to 3.1 noted in the state when all rows are due. */
  #migrate(): void {
    const { kv, sql } = this.#storage;
    const isOld = kv.get<number>(SCHEMA) === 1;
    migrate(this.#storage, STEPS, SCHEMA);
    const { due_at, failures } = this.#state;
    if (!isOld || due_at === null) return;
    sql.exec(
      `UPDATE webhook_outbox SET due = ?1, tries = ?2
       WHERE seq = (SELECT MIN(seq) FROM webhook_outbox)`,
      due_at,
      failures,
    );
  }

  get #exists(): boolean {
    return hasTables(this.#storage, SCHEMA);
  }

  get #state(): State {
    return this.#storage.kv.get<State>(STATE) ?? NOTHING;
  }
}

function nobody(): Promise<never> {
  return Promise.reject(new Error("nothing takes events"));
}

function iso(at_ms: number): string {
  return new Date(at_ms).toISOString();
}
