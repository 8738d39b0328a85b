/**
 * The platform around one isolate of the router. Timers and calls belong to the request that made
 * them: their results reach it only while it is alive. A request that waits without a call or a
 * timer of its own under way is cancelled, as by the runtime.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { SenderWindows } from "../../objects/limiter/sender-windows.ts";
import type { PageCounter } from "../../objects/page/page-counter.ts";
import type { Clock } from "../../objects/platform/ports.ts";
import type { Host, Hosted } from "./host.ts";
import type { AskedLimit } from "./notes.ts";
import type { Answer, Context, SimRouter, Visit } from "./router.ts";
import type { World } from "./world.ts";

/**
 * How long a request may run after its answer, or after its client has hung up, in milliseconds.
 */
const AFTER_ANSWER_MS = 30_000;
/** A call that takes longer than this is slow, in milliseconds. */
const SLOW_MS = 300;

/** A call of a request, as its caller sees it. */
export interface Call {
  to: "limiter" | "page" | "numbers" | "D1";
  asked_ms: number;
  /** Infinity until there is an answer. */
  took_ms: number;
  failed: boolean;
}

/** What a request is for. */
export type Purpose = "beacon" | "redirect" | "change" | "cron";

const current = new AsyncLocalStorage<SimRequest>();

/** The request whose code is running. */
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
  /** The decision of the limit. */
  limit: AskedLimit | null = null;
  readonly calls: Call[] = [];
  readonly began_ms: number;
  answered_ms = Number.POSITIVE_INFINITY;
  /** The client's answer; null if its connection broke or it hung up. */
  readonly answer: Promise<Answer | null>;
  alive = true;
  /** How often its calls were charged to the limit. */
  charges = 0;
  /** Its page, or an overloaded object, has refused it: it must not call again. */
  refused = false;
  readonly #world: World;
  readonly #give: (answer: Answer | null) => void;
  #pending = 0;
  #tasks = 0;
  /** The client has its answer, or has hung up. */
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

  /** Whether its client still waits. */
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

  /** A timer of this request. */
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

  /**
   * A call of this request. It is executed at most once; its answer is lost, or comes once or
   * twice.
   */
  call<O extends Hosted, R>(
    to: Call["to"],
    host: Host<O>,
    work: (object: O) => Promise<R>,
  ): Promise<R> {
    const { scheduler } = this.#world;
    const fate = this.#world.drawFate();
    this.#world.trace(
      `${this.isolate.name}: calls ${host.name}${fate === "well" ? "" : `, ${fate}`}`,
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
    return this.track(to, carried);
  }

  /**
   * Waits for the answer to a call of this request; an answer after the request's end is dropped.
   */
  track<R>(to: Call["to"], carried: Promise<R>): Promise<R> {
    const asked_ms = this.#world.scheduler.now_ms;
    const call: Call = { to, asked_ms, took_ms: Number.POSITIVE_INFINITY, failed: false };
    this.calls.push(call);
    this.#pending += 1;
    return new Promise((resolve, reject) => {
      const end = (failed: boolean, give: () => void) => {
        call.took_ms = this.#world.scheduler.now_ms - asked_ms;
        call.failed = failed;
        if (call.took_ms > SLOW_MS) this.#world.hit("F21");
        this.#done();
        if (this.alive) give();
      };
      carried.then(
        (result) => end(false, () => resolve(result)),
        (error) => end(true, () => reject(error)),
      );
    });
  }

  waitUntil(promise: Promise<unknown>): void {
    this.#tasks += 1;
    const end = () => {
      this.#tasks -= 1;
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

  /** Limits the time of what it does after its answer. */
  #goOn(): void {
    this.#endIfDone();
    if (!this.alive) return;
    this.#offEnd = this.#world.scheduler.after(AFTER_ANSWER_MS, () => {
      this.#world.requests.cutOff(this);
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

  /** @param now the clock of its machine, in unix milliseconds */
  constructor(name: string, world: World, now: () => number) {
    this.name = name;
    this.#world = world;
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
      check: (check) => {
        const request = running();
        world.requests.asksLimiter(request);
        return request.call("limiter", world.limiterOf(check.sender), (windows: SenderWindows) => {
          request.charges += 1;
          return windows.check(check);
        });
      },
      record: (page_id, event) => {
        const request = running();
        world.requests.asksPage(request);
        const recording = request.call("page", page(page_id), (counter) =>
          world.lookUps.watch(page_id, event.link_id, () => counter.record(event)),
        );
        world.requests.watchRefusal(request, recording);
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

  /** Begins the request of a visitor. */
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
        waitUntil: (promise) => request.waitUntil(promise),
        limited: (decision) => this.#world.requests.limited(request, decision),
      }),
    );
    return request;
  }

  /** The isolate is gone, with its memory and its requests. */
  end(): void {
    this.#world.trace(`${this.name}: its isolate is gone`);
    for (const request of this.requests) {
      if (request.isOpen) this.#world.hit("F22");
      request.end();
    }
  }
}
