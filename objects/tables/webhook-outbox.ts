/**
 * WebhookOutbox: events of one page on their way to its object for webhooks (`webhooks/webhooks.ts`).
 *
 * Each is stored in the transaction that makes it true, if an endpoint wants it, and deleted once the
 * other object has it. They are numbered for ever, and that object remembers the last number it took,
 * so each arrives there once, whatever is repeated. A page without endpoints has nothing of this.
 */
import { HOUR_MS, SECOND_MS, withTimeout } from "../platform/clock.ts";
import type { Clock, Kv, Storage } from "../platform/ports.ts";
import { hasTables, migrate, type Steps } from "../platform/schema.ts";
import type { Conversion } from "./conversion.ts";
import type { Milestone } from "./milestones.ts";

/** What this object tells; links are checked by the object for webhooks itself. */
export const PAGE_EVENTS = ["milestone.reached", "tip.received", "subscriber.confirmed"] as const;
export type PageEventType = (typeof PAGE_EVENTS)[number];

export interface PageNews {
  /** 1 for the page's first one. */
  seq: number;
  /** What the event is, among those of its page: the same for ever. */
  id: string;
  type: PageEventType;
  /** Unix milliseconds. */
  at: number;
  data: Record<string, string | number>;
}

/** What one call brings. */
export interface PageNewsBatch {
  news: PageNews[];
  /** Events so far that this object could not keep. */
  dropped: number;
}

export type SendPageNews = (batch: PageNewsBatch) => Promise<void>;

/** Number of the steps that were taken. */
const SCHEMA = "webhooks_schema_version";
const STEPS: Steps = [
  ["CREATE TABLE webhook_outbox (seq INTEGER PRIMARY KEY, news TEXT NOT NULL)"],
];
/** Which events are wanted; `page-counter.ts` stores them as it stores numbers of blocks. */
export const WANTED = "webhooks";
const STATE = "webhook_outbox";

/** Events that wait at most, while the other object does not answer; further ones are dropped. */
export const OUTBOX_MAX = 1_000;
const BATCH_MAX = 100;
/** Pause before the first try, in which more may come. */
const TELL_AFTER_MS = SECOND_MS;
const TELL_TIMEOUT_MS = 10 * SECOND_MS;
/** Longest pause after a try that failed. */
const PAUSE_MAX_MS = HOUR_MS;

interface State {
  /** Number of the last event. */
  seq: number;
  dropped: number;
  /** Tries that failed in a row. */
  failures: number;
  /** When to try next; null while nothing waits. */
  due_at: number | null;
}

const NOTHING: State = { seq: 0, dropped: 0, failures: 0, due_at: null };

export class WebhookOutbox {
  readonly #storage: Storage;
  readonly #kv: Kv;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#kv = storage.kv;
  }

  /** When `deliver` has something to do; null while nothing waits. */
  get dueAt(): number | null {
    return this.#state.due_at;
  }

  /** Notes a milestone that is reached now; belongs into the transaction that stores it. */
  reached({ kind, n, reached_at }: Milestone): void {
    const data = { counted: kind, n, reached_at: iso(reached_at) };
    const news = { id: `${kind}_${n}`, type: "milestone.reached", at: reached_at, data } as const;
    this.#add(news, reached_at);
  }

  /** Notes conversions that are new; belongs into the transaction that stores them. */
  converted(conversions: readonly Conversion[], now: number): void {
    for (const { id, link_id, tip, is_subscriber } of conversions) {
      if (is_subscriber === true) {
        // Without the address, which the newsletter's object alone has.
        const data = { subscriber_id: id };
        this.#add({ id: `subscriber_${id}`, type: "subscriber.confirmed", at: now, data }, now);
      } else if (tip !== null) {
        const { from_name, points, message, at } = tip;
        const data = { tip_id: id, link_id, from_name, points, message, at: iso(at) };
        this.#add({ id, type: "tip.received", at, data }, now);
      }
    }
  }

  /** Brings what is due to the other object. Never rejects: it tries again when it is due. */
  async deliver(
    send: SendPageNews,
    clock: Clock,
    onFailed: (error: unknown) => void,
  ): Promise<void> {
    try {
      while (this.#isDue(clock.now())) {
        const rows = this.#storage.sql
          .exec<{ seq: number; news: string }>(
            "SELECT seq, news FROM webhook_outbox ORDER BY seq LIMIT ?1",
            BATCH_MAX,
          )
          .toArray();
        const last = rows.at(-1);
        if (last === undefined) {
          this.#put({ failures: 0, due_at: null });
          return;
        }
        const news = rows.map(({ seq, news }) => ({ ...JSON.parse(news), seq }) as PageNews);
        await withTimeout(send({ news, dropped: this.#state.dropped }), TELL_TIMEOUT_MS, clock);
        // The page may have ended meanwhile.
        if (!this.#exists) return;
        this.#storage.sql.exec("DELETE FROM webhook_outbox WHERE seq <= ?1", last.seq);
      }
    } catch (error) {
      onFailed(error);
      if (!this.#exists) return;
      const failures = this.#state.failures + 1;
      const pause_ms = Math.min(PAUSE_MAX_MS, SECOND_MS * 2 ** failures);
      this.#put({ failures, due_at: clock.now() + pause_ms });
    }
  }

  #add(news: Omit<PageNews, "seq">, now: number): void {
    const wanted = this.#kv.get<{ types: string[] }>(WANTED);
    if (wanted?.types.includes(news.type) !== true) return;
    migrate(this.#storage, STEPS, SCHEMA);
    const { seq, dropped, due_at } = this.#state;
    const [first] = this.#storage.sql
      .exec<{ seq: number | null }>("SELECT MIN(seq) AS seq FROM webhook_outbox")
      .toArray();
    if (seq + 1 - (first?.seq ?? seq + 1) >= OUTBOX_MAX) {
      this.#put({ dropped: dropped + 1 });
      return;
    }
    this.#storage.sql.exec(
      "INSERT INTO webhook_outbox (seq, news) VALUES (?1, ?2)",
      seq + 1,
      JSON.stringify(news),
    );
    const isLate = due_at === null || due_at > now + PAUSE_MAX_MS;
    this.#put({ seq: seq + 1, due_at: isLate ? now + TELL_AFTER_MS : due_at });
  }

  get #exists(): boolean {
    return hasTables(this.#storage, SCHEMA);
  }

  get #state(): State {
    return this.#kv.get<State>(STATE) ?? NOTHING;
  }

  #put(change: Partial<State>): void {
    this.#kv.put(STATE, { ...this.#state, ...change });
  }

  /** What is due later than any pause was stored before the clock was set back. */
  #isDue(now: number): boolean {
    const { due_at } = this.#state;
    return due_at !== null && (due_at <= now || due_at > now + PAUSE_MAX_MS);
  }
}

function iso(at_ms: number): string {
  return new Date(at_ms).toISOString();
}
