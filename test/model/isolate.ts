/**
 * The platform around one isolate of the router. Timers and calls belong to the request that made
 * them: their results reach it only while it is alive. A request that waits without a call or a
 * timer of its own under way is cancelled, as by the runtime.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { PackedEvents } from "../../objects/events/packed-events.ts";
import { hexOf, keyOf } from "../../objects/keys/key-list.ts";
import type { CheckBatch, SenderWindows } from "../../objects/limiter/sender-windows.ts";
import type { PageCounter } from "../../objects/page/page-counter.ts";
import type { Clock } from "../../objects/platform/ports.ts";
import type { Host, Hosted } from "./host.ts";
import { Items } from "./items.ts";
import type { AskedLimit } from "./notes.ts";
import type { Answer, Context, SimRouter, Visit } from "./router.ts";
import type { World } from "./world.ts";

/** How long a request may run after its answer, or after its client has hung up, in milliseconds. */
const AFTER_ANSWER_MS = 30_000;
/** A call that takes longer than this is slow, in milliseconds. */
const SLOW_MS = 300;

export interface Call {
  to: "limiter" | "page" | "numbers" | "D1";
  caller: SimRequest;
  asked_ms: number;
  /** Infinity until there is an answer. */
  took_ms: number;
  failed: boolean;
  /** The page answered that the request's event has to be sent alone. */
  unsettled: boolean;
}

export type Purpose = "beacon" | "redirect" | "change" | "cron";

export const current = new AsyncLocalStorage<SimRequest>();

function running(): SimRequest {
  const request = current.getStore();
  if (request === undefined) throw new Error("the router ran outside a request");
  return request;
}

export class SimRequest {
  readonly purpose: Purpose;
  readonly isolate: Isolate;
  /** Null for a change and for the cron. */
  readonly visit: Visit | null;
  limit: AskedLimit | null = null;
  /** The calls that were made for it, also by other requests. */
  readonly calls: Call[] = [];
  /** The calls that it makes, for itself and others. */
  readonly made: { call: Call; of: SimRequest }[] = [];
  readonly began_ms: number;
  answered_ms = Number.POSITIVE_INFINITY;
  /** The client's answer; null if its connection broke or it hung up. */
  readonly answer: Promise<Answer | null>;
  alive = true;
  charges = 0;
  /** Its page, or an overloaded object, has refused it: it must not call again. */
  refused = false;
  /** It was refused at the moment at which it gave up. */
  isUnclear = false;
  /** When it last began to send its event. */
  submitted_ms = 0;
  readonly #world: World;
  readonly #give: (answer: Answer | null) => void;
  #pending = 0;
  #tasks = 0;
  #keptCalls = 0;
  #answered = false;
  #offEnd: () => void = () => {};

  constructor(world: World, isolate: Isolate, purpose: Purpose, visit: Visit | null) {
    this.#world = world;
    this.visit = visit;
    this.isolate = isolate;
    this.purpose = purpose;
    this.began_ms = world.scheduler.now_ms;
    const { promise, resolve } = Promise.withResolvers<Answer | null>();
    this.answer = promise;
    this.#give = resolve;
  }

  get isOpen(): boolean {
    return this.alive && !this.#answered;
  }

  run(handle: () => Promise<Answer>): void {
    const { toAnswer } = this.#world.code;
    void current.run(this, handle).then(
      (answer) => this.#reply(answer),
      (error) => this.#reply(toAnswer(error)),
    );
    this.#lookLater();
  }

  after(ms: number, callback: () => void): () => void {
    let over = false;
    const end = () => {
      if (over) return;
      over = true;
      this.#done();
    };
    this.#pending += 1;
    const cancel = this.#world.scheduler.after(ms, () => {
      end();
      if (this.alive) current.run(this, callback);
    });
    return () => {
      cancel();
      end();
    };
  }

  /** A call of this request. It is executed at most once; its answer is lost, or comes once or twice. */
  call<O extends Hosted, R>(
    to: Call["to"],
    host: Host<O>,
    work: (object: O) => Promise<R>,
    of: readonly SimRequest[] = [this],
  ): Promise<R> {
    const { scheduler } = this.#world;
    const fate = this.#world.drawFate();
    this.#world.trace(
      `${this.isolate.name}: calls ${host.name}${of.length > 1 ? ` for ${of.length}` : ""}${fate === "well" ? "" : `, ${fate}`}`,
    );
    const carried = new Promise<R>((resolve, reject) => {
      if (fate === "lost on the way there") return;
      const answer = (give: () => void) => {
        if (fate === "lost on the way back") return;
        give();
        if (fate === "answered twice") scheduler.after(this.#world.latency(), give);
      };
      scheduler.after(this.#world.latency(), () => {
        if (this.#world.isOverloaded()) {
          const error = Object.assign(new Error("overloaded"), { overloaded: true });
          scheduler.after(this.#world.latency(), () => answer(() => reject(error)));
          return;
        }
        host.call(work).then(
          (result) => answer(() => resolve(result)),
          (error) => answer(() => reject(error)),
        );
      });
    });
    return this.track(to, carried, of);
  }

  /**
   * Waits for the answer to a call of this request, which carries an item of each request in `of`;
   * an answer after the request's end is dropped.
   */
  track<R>(to: Call["to"], carried: Promise<R>, of: readonly SimRequest[] = [this]): Promise<R> {
    const asked_ms = this.#world.scheduler.now_ms;
    const calls = of.map((request): Call => {
      const took_ms = Number.POSITIVE_INFINITY;
      const call = { to, caller: this, asked_ms, took_ms, failed: false, unsettled: false };
      request.calls.push(call);
      this.made.push({ call, of: request });
      return call;
    });
    this.#pending += 1;
    return new Promise((resolve, reject) => {
      const end = (failed: boolean, give: () => void) => {
        const took_ms = this.#world.scheduler.now_ms - asked_ms;
        for (const call of calls) {
          call.took_ms = took_ms;
          call.failed = failed || !this.alive;
        }
        if (took_ms > SLOW_MS) this.#world.hit("F21");
        this.#done();
        if (this.alive) give();
      };
      carried.then(
        (result) => end(false, () => resolve(result)),
        (error) => end(true, () => reject(error)),
      );
    });
  }

  /** @param isCall whether the promise is only an answer to a call, which nobody may wait for */
  waitUntil(promise: Promise<unknown>, isCall = false): void {
    this.#tasks += 1;
    if (isCall) this.#keptCalls += 1;
    const end = () => {
      this.#tasks -= 1;
      if (isCall) this.#keptCalls -= 1;
      this.#endIfDone();
    };
    promise.then(end, end);
  }

  /** The client disconnects; promises of `waitUntil` continue. */
  hangUp(): void {
    if (!this.isOpen) return;
    if (this.#pending > 0) this.#world.hit("F22");
    this.#world.trace(`${this.isolate.name}: a client hangs up`);
    this.#answered = true;
    this.#give(null);
    this.#goOn();
  }

  /** Ends at this moment, with its isolate or because the platform cancels it. */
  end(): void {
    if (!this.alive) return;
    this.alive = false;
    this.#offEnd();
    this.isolate.requests.delete(this);
    this.#give(null);
  }

  #reply(answer: Answer): void {
    if (!this.isOpen) return;
    this.#answered = true;
    this.answered_ms = this.#world.scheduler.now_ms;
    this.#world.requests.answered(this, answer);
    this.#give(answer);
    this.#goOn();
  }

  #goOn(): void {
    this.#endIfDone();
    if (!this.alive) return;
    this.#offEnd = this.#world.scheduler.after(AFTER_ANSWER_MS, () => {
      if (this.#tasks > this.#keptCalls) this.#world.requests.cutOff(this);
      this.end();
    });
  }

  #endIfDone(): void {
    if (!this.alive || !this.#answered || this.#tasks > 0) return;
    this.#world.requests.ended(this);
    this.end();
  }

  #done(): void {
    this.#pending -= 1;
    if (this.#pending === 0) this.#lookLater();
  }

  #lookLater(): void {
    this.#world.scheduler.settled(() => {
      if (!this.alive || this.#pending > 0) return;
      this.#world.requests.hung(this);
      this.#world.scheduler.after(0, () => this.end());
    });
  }
}

export class Isolate {
  readonly name: string;
  readonly requests = new Set<SimRequest>();
  readonly #world: World;
  readonly #router: SimRouter;
  readonly #items: Items;

  /** @param now the clock of its machine, in unix milliseconds */
  constructor(name: string, world: World, now: () => number) {
    this.name = name;
    this.#world = world;
    this.#items = new Items((item) => world.requests.carried(item));
    const clock: Clock = { now, after: (ms, callback) => running().after(ms, callback) };
    const page = (page_id: string): Host<PageCounter> => {
      const host = world.pages.get(page_id);
      if (host === undefined) throw new Error(`there is no page ${page_id}`);
      return host;
    };
    const db = world.d1.connect(name, (send) => {
      const request = running();
      return request.track(
        "D1",
        send(() => request.alive),
      );
    });
    this.#router = new world.code.SimRouter({
      clock,
      db: db as unknown as D1Database,
      limit: world.limit,
      randomKey: () => world.randomKey(),
      secret: world.secret,
      shares: world.plan.shares,
      limiterOf: (sender) => world.limiterOf(sender).name,
      asks: (name, { sender }) => this.#bring(running(), `${name}/${sender}`),
      submits: (page_id, { key }) => {
        const request = running();
        request.submitted_ms = world.scheduler.now_ms;
        this.#bring(request, `${page_id}/${hexOf(keyOf(key))}`);
      },
      keepsCall: (promise) => running().waitUntil(promise, true),
      checkAll: (name, batch) => {
        const request = running();
        const of = this.#items.carry(request, namesOf(name, batch));
        for (const one of of) world.requests.asksLimiter(one);
        const check = (windows: SenderWindows) => {
          for (const one of of) one.charges += 1;
          return windows.checkAll(batch);
        };
        return request.call("limiter", world.limiter(name), check, of);
      },
      record: (page_id, bytes) => {
        const request = running();
        const events = PackedEvents.read(bytes.slice());
        const each = Array.from({ length: events.length }, (_, i) => i);
        const names = each.map((i) => `${page_id}/${hexOf(events.key(i))}`);
        const of = this.#items.carry(request, names);
        const links = each.map((i) => events.linkId(i));
        for (const one of of) world.requests.asksPage(one);
        const record = (counter: PageCounter) =>
          world.lookUps.watch(page_id, links, () => counter.recordBatch(bytes.slice()));
        const recording = request.call("page", page(page_id), record, of);
        world.requests.watchReceipts(of, recording);
        return recording;
      },
      recordLimited: (page_id, events) =>
        running().call("numbers", page(page_id), (counter) => counter.recordAll(events)),
      announce: async ({ page_id, ended }) => {
        const applied_ms = world.scheduler.now_ms;
        await running().call("page", page(page_id), (counter) =>
          ended ? counter.end() : counter.changed(),
        );
        world.truth.applied(page_id, applied_ms, ended);
      },
      purge: async () => {},
    });
  }

  #bring(request: SimRequest, name: string): void {
    this.#items.bring(request, name, this.#world.scheduler.now_ms);
  }

  visit(purpose: "beacon" | "redirect", visit: Visit): SimRequest {
    return this.begin(purpose, (router, c) => router[purpose](c, visit), visit);
  }

  begin(
    purpose: Purpose,
    handle: (router: SimRouter, c: Context) => Promise<Answer>,
    visit: Visit | null = null,
  ): SimRequest {
    const request = new SimRequest(this.#world, this, purpose, visit);
    this.requests.add(request);
    this.#world.requests.begun(request);
    request.run(() =>
      handle(this.#router, {
        timers: this.#router.timers(),
        waitUntil: (promise) => request.waitUntil(promise),
        limited: (decision) => this.#world.requests.limited(request, decision),
      }),
    );
    return request;
  }

  end(): void {
    this.#world.trace(`${this.name}: its isolate is gone`);
    for (const request of this.requests) {
      if (request.isOpen) this.#world.hit("F22");
      request.end();
    }
  }
}

function namesOf(object: string, { senders }: CheckBatch): string[] {
  const digits = Buffer.from(senders).toString("hex");
  return (digits.match(/.{32}/g) ?? []).map((sender) => `${object}/${sender}`);
}
