/**
 * A page's outbox and its object for webhooks on disks that lose power, with a clock of its own and a receiver
 * that keeps what came. Either object may be ended before each commit, and before and after each call.
 */
import { Webhook } from "standardwebhooks";
import type { Storage } from "../../objects/platform/ports.ts";
import { takeAnnounced } from "../../objects/tables/announced.ts";
import type { Conversion } from "../../objects/tables/conversion.ts";
import { type PageNewsBatch, WebhookOutbox } from "../../objects/tables/webhook-outbox.ts";
import type { LinkAnswer } from "../../objects/webhooks/call-outside.ts";
import { type Answer, noAnswer } from "../../objects/webhooks/call-outside.ts";
import { Webhooks } from "../../objects/webhooks/webhooks.ts";
import { Disk } from "../model/disk.ts";

export const START_MS = Date.UTC(2026, 0, 15, 12);
export const PAGE_ID = "page";
/** Turns of the event loop that a commit takes. */
const COMMIT_TURNS = 4;

export const ANSWER: Answer = {
  outcome: "delivered",
  status: 200,
  latency_ms: 1,
  answer: "",
  retry_after: null,
};
export const DOWN: Answer = { ...ANSWER, outcome: "answered", status: 500 };

/** One request that reached the receiver. */
export interface Arrival {
  id: string;
  url: string;
  body: string;
  at: number;
  headers: Record<string, string>;
}

/** A disk with the object that runs on it. */
class Machine<T> {
  readonly disk: Disk;
  readonly #world: World;
  readonly #make: (storage: Storage, machine: Machine<T>) => Promise<T>;
  life = 0;
  crashed = Promise.withResolvers<"crashed">();
  #object: T | null = null;
  /** The platform fires an alarm again whose handler has not come to its end. */
  isCutOff = false;

  constructor(world: World, make: (storage: Storage, machine: Machine<T>) => Promise<T>) {
    this.#world = world;
    this.#make = make;
    this.disk = new Disk({
      commitDelay: () => 0,
      after: (_, run) => void this.#commit(run),
      writeFails: () => false,
      broken: () => {},
      committed: () => {},
    });
  }

  async awake(): Promise<T> {
    if (this.#object !== null) return this.#object;
    const life = this.life;
    const storage = this.disk.open(
      () => life === this.life,
      () => false,
    );
    const object = await this.#make(storage, this);
    this.#object = object;
    return object;
  }

  /** The result of a call, or that the object has ended before. */
  async call<R>(work: (object: T) => Promise<R>): Promise<R | "crashed"> {
    const object = await this.awake();
    const { promise } = this.crashed;
    return Promise.race([work(object), promise]);
  }

  /** A point at which the object may end, while all its code waits; never resolves if it has. */
  step(life = this.life): Promise<void> {
    return new Promise((go) => {
      setImmediate(() => {
        if (life === this.life && this.#world.survives(this)) go();
      });
    });
  }

  crash(): void {
    this.life += 1;
    this.#object = null;
    this.disk.crash();
    this.crashed.resolve("crashed");
    this.crashed = Promise.withResolvers();
  }

  async #commit(run: () => void): Promise<void> {
    const life = this.life;
    for (let i = 0; i < COMMIT_TURNS; i += 1) await new Promise((go) => setImmediate(go));
    if (life === this.life && this.#world.survives(this)) run();
  }
}

export class World {
  now_ms = START_MS;
  steps = 0;
  crashes = 0;
  /** All that reached the receiver, in its order. */
  readonly arrivals: Arrival[] = [];
  /** What the receiver answers; it has the request already. */
  answer: (arrival: Arrival) => Answer | Promise<Answer> = () => ANSWER;
  /** What links answer. */
  link: () => LinkAnswer = () => 200;
  links: { link_id: string; url: string }[] = [];
  status = "published";
  /** Subscribers who have not left. */
  readonly subscribers = new Map<string, string>();
  d1Fails = false;
  /** The newsletter's object never answers. */
  newsletterHangs = false;
  readonly failures: unknown[] = [];
  readonly page: Machine<{ outbox: WebhookOutbox; storage: Storage }>;
  readonly sender: Machine<Webhooks>;
  readonly #crash_at: readonly number[];
  #randoms = 0;
  readonly #timers = new Set<() => void>();
  #isClosed = false;

  constructor(crash_at: readonly number[] = []) {
    this.#crash_at = crash_at;
    this.page = new Machine(this, async (storage) => ({
      outbox: new WebhookOutbox(storage),
      storage,
    }));
    this.sender = new Machine(this, async (storage, machine) => {
      const webhooks = this.#webhooks(storage, machine);
      await webhooks.ready();
      return webhooks;
    });
  }

  close(): void {
    this.#isClosed = true;
    this.page.disk.close();
    this.sender.disk.close();
  }

  survives(machine: { crash(): void }): boolean {
    if (this.#isClosed) return false;
    this.steps += 1;
    if (!this.#crash_at.includes(this.steps)) return true;
    this.crashes += 1;
    machine.crash();
    return false;
  }

  /** A fact of the page, with the event that tells it, in one transaction. */
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

  /** Time passes, and both alarms fire whenever they are due. */
  async pass(ms: number): Promise<void> {
    const until_ms = this.now_ms + ms;
    for (;;) {
      const told = await this.#tell(until_ms);
      const fired = await this.#fire(until_ms);
      if (!told && !fired) break;
    }
    this.now_ms = until_ms;
  }

  /** Lets work that nobody waits for come to its end. */
  async idle(): Promise<void> {
    for (let i = 0; i < 30; i += 1) await new Promise((go) => setImmediate(go));
  }

  /** Ends every wait that has a time-out. */
  expire(): void {
    for (const timer of this.#timers) timer();
  }

  ids(): string[] {
    return [...new Set(this.arrivals.map(({ id }) => id))].sort();
  }

  async #tell(until_ms: number): Promise<boolean> {
    const { outbox } = await this.page.awake();
    const due = outbox.dueAt;
    if (due === null || due > until_ms) return false;
    this.now_ms = Math.max(this.now_ms, due);
    const clock = { now: () => this.now_ms, after: () => () => {} };
    await this.page.call(async (object) => {
      const { life } = this.page;
      const send = async (batch: PageNewsBatch) => {
        await this.page.step(life);
        const taken = await this.sender.call((webhooks) => webhooks.take(batch));
        await this.page.step(life);
        if (taken === "crashed") throw new Error("the other object has ended");
      };
      await object.outbox.deliver(send, clock, (error) => this.failures.push(error));
    });
    await this.idle();
    return true;
  }

  async #fire(until_ms: number): Promise<boolean> {
    await this.sender.awake();
    const alarm = this.sender.isCutOff ? this.now_ms : this.sender.disk.alarm;
    if (alarm === null || alarm > until_ms) return false;
    this.now_ms = Math.max(this.now_ms, alarm);
    this.sender.disk.clearAlarm();
    const fired = await this.sender.call(async (webhooks) => {
      await webhooks.onAlarm();
      await this.sender.disk.sync();
    });
    this.sender.isCutOff = fired === "crashed";
    await this.idle();
    return true;
  }

  #webhooks(storage: Storage, machine: Machine<Webhooks>): Webhooks {
    const { life } = machine;
    const step = () => machine.step(life);
    const d1 = async (results: unknown[]) => {
      await step();
      if (this.d1Fails) throw new Error("D1 refuses");
      return { results };
    };
    return new Webhooks({
      storage,
      clock: {
        now: () => this.now_ms,
        after: (_, callback) => {
          this.#timers.add(callback);
          return () => void this.#timers.delete(callback);
        },
      },
      random: () => 0.5,
      abort: () => machine.crash(),
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
      send: async (url, headers, body) => {
        await step();
        const id = headers["webhook-id"] ?? "";
        const arrival = { id, url, body, at: this.now_ms, headers };
        this.arrivals.push(arrival);
        const answer = await this.answer(arrival);
        await step();
        return answer;
      },
      checkLink: async () => {
        await step();
        return this.link();
      },
      findSubscriber: async (id) => {
        await step();
        if (this.newsletterHangs) await new Promise(() => {});
        const email = this.subscribers.get(id);
        const confirmed_at = new Date(START_MS).toISOString();
        return email === undefined
          ? null
          : { email, confirmed_at, source: { link_id: "news", locale: "ar" } };
      },
      announce: async (types, version) => {
        await step();
        const told = await this.page.call(async ({ storage }) => {
          takeAnnounced(storage.kv, "webhooks", { types, version });
          await storage.sync();
        });
        await step();
        if (told === "crashed") throw new Error("the other object has ended");
      },
      randomBytes: (size) => {
        this.#randoms += 1;
        return new Uint8Array(size).map((_, i) => (this.#randoms * 31 + i * 7) % 256);
      },
      failed: (error) => this.failures.push(error),
    });
  }
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

/** A request that got no answer in time. */
export const LATE: Answer = noAnswer("late", 15_000);
