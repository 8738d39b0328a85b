/**
 * A page's outbox and its object for webhooks on disks that lose power, with a clock of its own and a receiver
 * that keeps what came. Either object may be ended before each commit, and before and after each call.
 */
import { Webhook } from "standardwebhooks";
import type { LinkAnswer } from "../../../objects/blocks/webhooks/call-outside.ts";
import { type Answer, noAnswer } from "../../../objects/blocks/webhooks/call-outside.ts";
import { Webhooks } from "../../../objects/blocks/webhooks/webhooks.ts";
import { takeAnnounced } from "../../../objects/events/announced.ts";
import type { Conversion } from "../../../objects/events/conversion.ts";
import type { PageNewsBatch, WantedEvents } from "../../../objects/events/page-news.ts";
import { WebhookOutbox } from "../../../objects/page/tables/webhook-outbox.ts";
import type { Storage } from "../../../objects/platform/ports.ts";
import { Machine, type Outside, Power, START_MS } from "../machine.ts";

export const PAGE_ID = "page";

export const ANSWER: Answer = {
  outcome: "delivered",
  status: 200,
  latency_ms: 1,
  answer: "",
  retry_after: null,
};
export const DOWN: Answer = { ...ANSWER, outcome: "answered", status: 500 };

export interface Arrival {
  id: string;
  url: string;
  body: string;
  at: number;
  headers: Record<string, string>;
}

export class World extends Power {
  readonly arrivals: Arrival[] = [];
  /** What the receiver answers; it has the request already. */
  answer: (arrival: Arrival) => Answer | Promise<Answer> = () => ANSWER;
  link: () => LinkAnswer = () => 200;
  links: { link_id: string; url: string }[] = [];
  status = "published";
  /** Subscribers who have not left. */
  readonly subscribers = new Map<string, string>();
  d1Fails = false;
  newsletterHangs = false;
  readonly failures: unknown[] = [];
  take = (batch: PageNewsBatch): Promise<WantedEvents> =>
    answered(this.sender.call((webhooks) => webhooks.take(batch)));
  readonly page = new Machine(this, (storage, outside) => ({
    outbox: new WebhookOutbox({
      storage,
      clock: this.clock,
      random: () => 0.5,
      sendNews: (batch) => outside(() => this.take(batch)),
      onNewsFailed: (error) => this.failures.push(error),
    }),
    storage,
    ready: async () => {},
  }));
  readonly sender = new Machine(this, (storage, outside) => this.#webhooks(storage, outside));
  #randoms = 0;

  /** A change by a route, which brings to the page's object what is wanted; rejects if one of the two ends. */
  async change<Answer>(change: (webhooks: Webhooks) => Promise<Answer>): Promise<Answer> {
    const answer = await answered(this.sender.call(change));
    await this.tell((await this.sender.awake()).wanted());
    return answer;
  }

  async tell(wanted: WantedEvents): Promise<void> {
    const telling = this.page.call(async ({ storage }) => {
      takeAnnounced(storage.kv, "webhooks", wanted);
      await storage.sync();
    });
    await answered(telling);
  }

  async known(): Promise<string[]> {
    const { storage } = await this.page.awake();
    return storage.kv.get<WantedEvents>("webhooks")?.types ?? [];
  }

  happens(fact: string, note: (outbox: WebhookOutbox) => void): Promise<unknown> {
    return this.page.call(async ({ outbox, storage }) => {
      if (storage.kv.get(`fact:${fact}`) !== undefined) return;
      storage.transactionSync(() => {
        storage.kv.put(`fact:${fact}`, true);
        note(outbox);
      });
      await storage.sync();
    });
  }

  tip(id: string): Promise<unknown> {
    const tip = { from_id: "u", from_name: "Mara", points: 5, message: "", at: this.now_ms };
    return this.happens(id, (outbox) => outbox.converted([conversion(id, { tip })], this.now_ms));
  }

  subscriber(id: string): Promise<unknown> {
    this.subscribers.set(id, `${id}@example.com`);
    const note = conversion(id, { is_subscriber: true });
    return this.happens(id, (outbox) => outbox.converted([note], this.now_ms));
  }

  milestone(n: number): Promise<unknown> {
    const milestone = { kind: "view" as const, n, reached_at: this.now_ms };
    return this.happens(`view_${n}`, (outbox) => outbox.reached(milestone));
  }

  async pass(ms: number): Promise<void> {
    const until_ms = this.now_ms + ms;
    for (;;) {
      const told = await this.#tell(until_ms);
      const fired = await this.sender.fire(until_ms);
      if (!told && !fired) break;
    }
    this.now_ms = until_ms;
  }

  ids(): string[] {
    return [...new Set(this.arrivals.map(({ id }) => id))].sort();
  }

  async #tell(until_ms: number): Promise<boolean> {
    const { outbox } = await this.page.awake();
    const due = outbox.dueAt;
    if (due === null || due > until_ms) return false;
    this.now_ms = Math.max(this.now_ms, due);
    await this.page.call((object) => object.outbox.deliver());
    await this.idle();
    return true;
  }

  #webhooks(storage: Storage, outside: Outside): Webhooks {
    const d1 = (results: unknown[]) =>
      outside(() => {
        if (this.d1Fails) throw new Error("D1 refuses");
        return { results };
      });
    return new Webhooks({
      storage,
      clock: this.clock,
      random: () => 0.5,
      abort: () => this.sender.crash(),
      pageId: () => PAGE_ID,
      db: {
        prepare: (query) => {
          const statement = {
            bind: () => statement,
            all: <R>() =>
              d1(query.includes("json_each") ? this.links : [{ status: this.status }]) as Promise<{
                results: R[];
              }>,
          };
          return statement;
        },
        batch: async <R>() => [(await d1([])) as { results: R[] }],
      },
      send: (url, headers, body) =>
        outside(() => {
          const arrival = { id: headers["webhook-id"] ?? "", url, body, at: this.now_ms, headers };
          this.arrivals.push(arrival);
          return this.answer(arrival);
        }),
      checkLink: () => outside(() => this.link()),
      findSubscriber: (id) =>
        outside(() => {
          if (this.newsletterHangs) return new Promise(() => {});
          const email = this.subscribers.get(id);
          const confirmed_at = new Date(START_MS).toISOString();
          const source = { link_id: "news", locale: "ar" };
          return email === undefined ? null : { email, confirmed_at, source };
        }),
      randomBytes: (size) => {
        this.#randoms += 1;
        return new Uint8Array(size).map((_, i) => (this.#randoms * 31 + i * 7) % 256);
      },
      failed: (error) => this.failures.push(error),
    });
  }
}

/** A call of another object, which fails if that ends. */
async function answered<T>(call: Promise<T | "crashed">): Promise<T> {
  const answer = await call;
  if (answer === "crashed") throw new Error("the other object has ended");
  return answer as T;
}

function conversion(id: string, more: Partial<Conversion>): Conversion {
  return { id, link_id: "block", class: "human", origin: null, tip: null, ...more };
}

/** Whether Standard Webhooks' own library takes the request with this secret, at the time it was sent. */
export function isSigned({ body, headers }: Arrival, secret: string): boolean {
  // The library asks the machine's clock, and times here are invented.
  const now = Date.now;
  Date.now = () => Number(headers["webhook-timestamp"]) * 1_000;
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  } finally {
    Date.now = now;
  }
}

export const LATE: Answer = noAnswer("late", 15_000);
