/** Requests that meet in an isolate share calls: `src/http/batcher.ts`, with a clock of the test's own. */
import { describe, expect, test } from "vitest";
import type { PageEvent, Receipt } from "../../../objects/events/event.ts";
import { PackedEvents } from "../../../objects/events/packed-events.ts";
import type { Clock } from "../../../objects/platform/ports.ts";
import { RECORD_TIMEOUT_MS } from "../../../src/counting/limits.ts";
import { Recorder } from "../../../src/counting/recorder.ts";
import { Batcher, PACE_MS, PATIENCE_MS } from "../../../src/http/batcher.ts";
import { RequestTimers, TICK_MS } from "../../../src/http/request-timers.ts";

const TIMEOUT_MS = 2_000;
const LINE = "an object";

class TestClock implements Clock {
  #now = Date.UTC(2026, 0, 15);
  #timers = new Set<{ at: number; callback: () => void }>();

  now = () => this.#now;

  after = (ms: number, callback: () => void) => {
    const timer = { at: this.#now + ms, callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  };

  /** Lets this much time pass, and all code run that does not wait for more. */
  async pass(ms: number): Promise<void> {
    const until = this.#now + ms;
    for (;;) {
      await settled();
      const due = [...this.#timers].filter(({ at }) => at <= until);
      const [next] = due.sort((one, other) => one.at - other.at);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = next.at;
      next.callback();
    }
    this.#now = until;
  }

  /** Cancels the request that `begin` begins: its timers never fire. */
  cancelled(begin: () => void): void {
    const before = new Set(this.#timers);
    begin();
    for (const timer of this.#timers) if (!before.has(timer)) this.#timers.delete(timer);
  }
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A call, which the test answers. */
interface Called {
  items: readonly string[];
  answer: () => void;
  answerWith: (answers: readonly string[]) => void;
  fail: () => void;
}

function isolate(max = 100) {
  const clock = new TestClock();
  const batcher = new Batcher<string, string>(clock, max, TIMEOUT_MS);
  const calls: Called[] = [];
  const kept: Promise<unknown>[] = [];
  /** One request; settles with its answer, or `failed`. */
  const ask = (item: string, { name = LINE, shares = true } = {}): Promise<string> => {
    const call = (items: readonly string[]) => {
      const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
      const answer = () => resolve(items.map((one) => `answer to ${one}`));
      calls.push({ items, answer, answerWith: resolve, fail: () => reject(new Error("broken")) });
      return promise;
    };
    const waitUntil = (promise: Promise<unknown>) => void kept.push(promise);
    return batcher.submit(name, item, { call, waitUntil, shares }).catch(() => "failed");
  };
  return { clock, calls, kept, ask, items: () => calls.map(({ items }) => items.join("")) };
}

const NOT_YET = "not yet";

/** What a request has got so far. */
async function gotBy(answering: Promise<string>): Promise<string> {
  await settled();
  return Promise.race([answering, Promise.resolve(NOT_YET)]);
}

describe("a request", () => {
  test("that meets none to its object calls at once and alone, as any does where calls are not shared", () => {
    const { ask, items } = isolate();
    void ask("a", { name: "one" });
    void ask("b", { name: "another" });
    for (const item of "cd") void ask(item, { shares: false });
    expect(items()).toEqual(["a", "b", "c", "d"]);
  });

  test("fails if it has no answer in time, and its item is not sent again", async () => {
    const { ask, clock, items } = isolate();
    const answering = ask("a");
    await clock.pass(TIMEOUT_MS - 1);
    expect(await gotBy(answering)).toBe(NOT_YET);
    await clock.pass(1);
    expect(await gotBy(answering)).toBe("failed");
    await clock.pass(10 * TIMEOUT_MS);
    expect(items()).toEqual(["a"]);
  });
});

describe("requests that come while a call is under way", () => {
  test("share the next call, which begins when that one ends", async () => {
    const { ask, calls, clock, items } = isolate();
    const answering = ["a", "b", "c"].map((item) => ask(item));
    await clock.pass(PACE_MS - 1);
    expect(items()).toEqual(["a"]);
    calls[0]?.answer();
    await settled();
    expect(items()).toEqual(["a", "bc"]);
    calls[1]?.answer();
    expect(await Promise.all(answering)).toEqual(["answer to a", "answer to b", "answer to c"]);
  });

  test("wait 2 ms at most, however long that one takes", async () => {
    const { ask, clock, items } = isolate();
    void ask("a");
    void ask("b");
    await clock.pass(1);
    void ask("c");
    await clock.pass(PACE_MS - 1);
    expect(items()).toEqual(["a", "bc"]);
    void ask("d");
    await clock.pass(PACE_MS);
    expect(items()).toEqual(["a", "bc", "d"]);
  });

  test("share nothing of its failure, and those of one call fail together", async () => {
    const { ask, calls, clock } = isolate();
    const answering = ["a", "b", "c", "d"].map((item) => ask(item));
    await clock.pass(PACE_MS);
    const [first, second] = calls;
    second?.fail();
    const got = await Promise.all(answering.map(gotBy));
    expect(got).toEqual([NOT_YET, ...Array(3).fill("failed")]);
    first?.answer();
    expect(await answering[0]).toBe("answer to a");
  });

  test("get the answers by their places; a missing one fails its own request alone", async () => {
    const { ask, calls, clock } = isolate();
    const answering = ["a", "b", "c"].map((item) => ask(item));
    await clock.pass(PACE_MS);
    calls[0]?.answer();
    calls[1]?.answerWith(["only one"]);
    expect(await Promise.all(answering)).toEqual(["answer to a", "only one", "failed"]);
  });

  test("are sent in calls of the most items that one may have", async () => {
    const { ask, clock, items } = isolate(2);
    for (const item of "abcdef") void ask(item);
    await clock.pass(PATIENCE_MS);
    expect(items()).toEqual(["a", "bc", "de", "f"]);
  });
});

describe("under load", () => {
  /** Calls of four items and more. */
  async function loaded() {
    const there = isolate();
    for (let n = 0; n < 8; n += 1) {
      for (const item of "0123456789") void there.ask(item);
      await there.clock.pass(PACE_MS);
      for (const { answer } of there.calls) answer();
      await settled();
    }
    await there.clock.pass(PACE_MS);
    for (const { answer } of there.calls.splice(0)) answer();
    await settled();
    return there;
  }

  test("a request waits 2 ms for others although no call is under way, until a second without a call", async () => {
    const { ask, calls, clock, items } = await loaded();
    void ask("a");
    await clock.pass(PACE_MS - 1);
    void ask("b");
    expect(items()).toEqual([]);
    await clock.pass(1);
    expect(items()).toEqual(["ab"]);
    calls.at(-1)?.answer();
    await clock.pass(1_000);
    void ask("c");
    expect(items()).toEqual(["ab", "c"]);
  });

  test("more requests than one call takes are a full call of their own, and wait for nothing", async () => {
    const { ask, clock, items } = await loaded();
    for (let i = 0; i < 250; i += 1) void ask("x");
    await clock.pass(PACE_MS);
    expect(items().map(({ length }) => length)).toEqual([100, 100, 50]);
  });
});

describe("F22: a client that hangs up", () => {
  test("while its request calls for others takes no answer with it", async () => {
    const { ask, calls, clock, kept } = isolate();
    void ask("a");
    const answering = ask("b");
    await clock.pass(PACE_MS);
    expect(kept).toHaveLength(calls.length);
    calls[1]?.answer();
    expect(await answering).toBe("answer to b");
  });

  test("leaves a call that is kept until its time-out, and no longer", async () => {
    const { ask, clock, kept } = isolate();
    void ask("a");
    const ended = kept[0]?.then(() => "ended") ?? Promise.resolve("not kept");
    await clock.pass(TIMEOUT_MS - 1);
    expect(await gotBy(ended)).toBe(NOT_YET);
    await clock.pass(1);
    expect(await gotBy(ended)).toBe("ended");
  });

  test("while its request waits stops no other one, which may take its item along", async () => {
    const { ask, clock, items } = isolate();
    void ask("a");
    clock.cancelled(() => void ask("b"));
    void ask("c");
    await clock.pass(PATIENCE_MS);
    expect(items()).toEqual(["a", "cb"]);
  });

  test("leaves nothing that is sent long after", async () => {
    const { ask, clock, items } = isolate();
    clock.cancelled(() => {
      void ask("a");
      void ask("b");
    });
    // With `a` cancelled too, nobody notices that its call ends.
    await clock.pass(1_000);
    void ask("c");
    await clock.pass(PATIENCE_MS);
    expect(items()).toEqual(["a", "c"]);
  });
});

describe("F23: an event for which D1 must be asked", () => {
  const about = { class: "human", visitor: null, origin: null } as const;
  const event: PageEvent = { ...about, key: "00000000000000a1", link_id: "" };

  /** The answers of the page to its first and to its second call; the second takes its time. */
  function recording(first_ms: number, second_ms: number) {
    const clock = new TestClock();
    const recorder = new Recorder(
      clock,
      () => "00000000000000ff",
      () => {},
    );
    const sent: number[] = [];
    const record = (_: string, events: Uint8Array<ArrayBuffer>) => {
      sent.push(PackedEvents.read(events).length);
      const isFirst = sent.length === 1;
      const receipt: Receipt = isFirst ? { outcome: "unsettled" } : { outcome: "counted", url: "" };
      return new Promise<Receipt[]>((resolve) => {
        clock.after(isFirst ? first_ms : second_ms, () => resolve([receipt]));
      });
    };
    const ports = { record, recordLimited: async () => {}, failed: () => {}, waitUntil: () => {} };
    const recorded = recorder.record({ ...ports, clock, shares: true }, "page", event).then(
      ({ outcome }) => outcome as string,
      () => "failed",
    );
    return { clock, recorded, sent };
  }

  test("is sent alone after its batch, and counts", async () => {
    const { clock, recorded, sent } = recording(20, 20);
    await clock.pass(40);
    expect(await gotBy(recorded)).toBe("counted");
    expect(sent).toEqual([1, 1]);
  });

  test("has one time-out for both calls", async () => {
    const { clock, recorded } = recording(RECORD_TIMEOUT_MS - 1_000, 2_000);
    await clock.pass(RECORD_TIMEOUT_MS - 1);
    expect(await gotBy(recorded)).toBe(NOT_YET);
    await clock.pass(1);
    expect(await gotBy(recorded)).toBe("failed");
  });
});

test("a time-out that begins when another one ends is not too early", async () => {
  const clock = new TestClock();
  const timers = new RequestTimers(clock);
  const ends: number[] = [];
  timers.after(TICK_MS, () => {
    ends.push(clock.now());
    timers.after(TICK_MS, () => ends.push(clock.now()));
  });
  await clock.pass(5 * TICK_MS);
  const [began_at = 0, ended_at = 0] = ends;
  expect(ended_at - began_at).toBeGreaterThanOrEqual(TICK_MS);
});
