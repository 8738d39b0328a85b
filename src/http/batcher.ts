/**
 * Batcher: requests of an isolate that ask the same object at the same time share one call.
 *
 * A request calls at once if no call is under way. Those that come meanwhile wait for each other:
 * the end of the call, or `PACE_MS`, whichever is sooner, makes one of them call for all. Under load
 * a call waits `PACE_MS` in any case, because few large commits cost less than many small ones.
 *
 *   request 1  ─▶ call ───────────▶ answer
 *   request 2      ─ waits ─────────┐▶ calls for 2, 3 and 4 ─▶ answers
 *   request 3        ─ waits ───────┘
 *   request 4            ─ waits ───┘
 *
 * A request does not depend on another one (docs/faults.md F21, F22): each has a timer of its own,
 * which makes it call for all that still wait, and which ends its wait for a call of another
 * request. The caller keeps a call alive (`waitUntil`) when its client hangs up, until it has an
 * answer or takes too long. A request that is cancelled while it waits may leave its item behind:
 * the next call takes it along if it comes soon, and never later.
 */
import { BoundedMap } from "../../objects/platform/bounded-map.ts";
import { withTimeout } from "../../objects/platform/clock.ts";
import type { Clock } from "../../objects/platform/ports.ts";

export const PACE_MS = 2;
/** The isolate is under load when its last calls had at least this many items on average. */
const LOAD_ITEMS = 4;
/** The weight of the last call in that average. */
const LOAD_PART = 0.25;
const LOAD_MS = 1_000;
/** A request that waits this long calls for all: the first may have been cancelled. */
export const PATIENCE_MS = 100;

/**
 * An item this old is sent by its own request or not at all: an event must not arrive after the
 * hour in which the page knows its retry by its key, nor a check in another minute than its
 * request.
 */
const ABANDONED_MS = 1_000;

/** A full map forgets the oldest, whose requests still get their answers. */
const LINES_MAX = 10_000;

class Turn<Item, Answer> {
  readonly item: Item;
  readonly since: number;
  isWaiting = true;
  hasAnswer = false;
  readonly answer: Promise<Answer>;
  /** Resolves when the request may call for all that wait, or has its answer. */
  readonly woken: Promise<void>;
  readonly wake: () => void;
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (error: unknown) => void;

  constructor(item: Item, since: number) {
    this.item = item;
    this.since = since;
    const answer = Promise.withResolvers<Answer>();
    const woken = Promise.withResolvers<void>();
    this.answer = answer.promise;
    this.#resolve = answer.resolve;
    this.#reject = answer.reject;
    this.woken = woken.promise;
    this.wake = woken.resolve;
    // If the request was cancelled, nobody waits for the answer.
    this.answer.catch(() => undefined);
  }

  settle(answer: Answer | undefined): void {
    if (answer === undefined) {
      this.fail(new Error("the call left an item unanswered"));
      return;
    }
    this.hasAnswer = true;
    this.#resolve(answer);
    this.wake();
  }

  fail(error: unknown): void {
    this.hasAnswer = true;
    this.#reject(error);
    this.wake();
  }
}

interface Line<Item, Answer> {
  waiting: Turn<Item, Answer>[];
  calls: number;
  began_at: number;
  load: number;
}

export interface BatchPorts<Item, Answer> {
  /** Answers in the order of the items. It runs in the request that calls. */
  call: (items: readonly Item[]) => Promise<readonly Answer[]>;
  waitUntil: (promise: Promise<unknown>) => void;
  /** SHARED_CALLS; otherwise each request makes its own call. */
  shares: boolean;
  clock?: Clock | undefined;
}

export class Batcher<Item, Answer> {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #timeout_ms: number;
  readonly #lines = new BoundedMap<string, Line<Item, Answer>>(LINES_MAX);

  /** @param max most items of one call */
  constructor(clock: Clock, max: number, timeout_ms: number) {
    this.#clock = clock;
    this.#max = max;
    this.#timeout_ms = timeout_ms;
  }

  /** Rejects where the call fails or times out: the item, not sent again, may have arrived. */
  async submit(name: string, item: Item, ports: BatchPorts<Item, Answer>): Promise<Answer> {
    if (!ports.shares) return this.#callAlone(item, ports);
    const { clock = this.#clock } = ports;
    const line = this.#line(name);
    const turn = new Turn<Item, Answer>(item, this.#clock.now());
    line.waiting.push(turn);
    if (line.calls > 0 || this.#isLoaded(line)) {
      const cancel = clock.after(line.waiting[0] === turn ? PACE_MS : PATIENCE_MS, turn.wake);
      await turn.woken;
      cancel();
    }
    // The call has a time-out, so its own request needs no second one.
    if (turn.isWaiting) this.#call(line, turn, ports);
    else if (!turn.hasAnswer) return withTimeout(turn.answer, this.#timeout_ms, clock);
    return turn.answer;
  }

  async #callAlone(
    item: Item,
    { call, clock = this.#clock }: BatchPorts<Item, Answer>,
  ): Promise<Answer> {
    const [answer] = await withTimeout(call([item]), this.#timeout_ms, clock);
    if (answer === undefined) throw new Error("the call left an item unanswered");
    return answer;
  }

  #line(name: string): Line<Item, Answer> {
    let line = this.#lines.get(name);
    if (line === undefined) {
      line = { waiting: [], calls: 0, began_at: 0, load: 0 };
      this.#lines.set(name, line);
    }
    return line;
  }

  #isLoaded({ load, began_at }: Line<Item, Answer>): boolean {
    return load >= LOAD_ITEMS && this.#clock.now() - began_at < LOAD_MS;
  }

  #call(
    line: Line<Item, Answer>,
    turn: Turn<Item, Answer>,
    { call, waitUntil, clock = this.#clock }: BatchPorts<Item, Answer>,
  ): void {
    const now = this.#clock.now();
    const others = line.waiting.filter((other) => other !== turn && !isAbandoned(other, now));
    const group = [turn, ...others.splice(0, this.#max - 1)];
    line.waiting = others;
    for (const taken of group) taken.isWaiting = false;
    line.calls += 1;
    line.load += LOAD_PART * (group.length - line.load);
    line.began_at = now;
    const calling = withTimeout(started(call, group), this.#timeout_ms, clock).then(
      (answers) => {
        for (const [i, taken] of group.entries()) taken.settle(answers[i]);
      },
      (error) => {
        for (const taken of group) taken.fail(error);
      },
    );
    waitUntil(calling.then(() => this.#ended(line)));
    // The others are more than one call takes, so they are a full call of their own.
    others[0]?.wake();
  }

  /** Under load the next call waits for its pace, because few large commits cost less. */
  #ended(line: Line<Item, Answer>): void {
    line.calls -= 1;
    if (!this.#isLoaded(line)) line.waiting[0]?.wake();
  }
}

/** A request this old has probably been cancelled. */
function isAbandoned({ since }: { since: number }, now: number): boolean {
  return now < since || now - since >= ABANDONED_MS;
}

/** A call that throws at once must not end the request that calls for others. */
async function started<Item, Answer>(
  call: BatchPorts<Item, Answer>["call"],
  group: readonly Turn<Item, Answer>[],
): Promise<readonly Answer[]> {
  return call(group.map(({ item }) => item));
}
