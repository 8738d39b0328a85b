import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { AppContext } from "../../src/context.ts";
import { Gatherer } from "../../src/gather.ts";

const TIMEOUT_MS = 1_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A gatherer whose calls a test answers, and the requests that use it. */
function gathering() {
  const calls: { items: number[]; answer: () => void; fail: () => void }[] = [];
  const waited: Promise<unknown>[] = [];
  const c = {
    env,
    executionCtx: { waitUntil: (promise: Promise<unknown>) => waited.push(promise) },
  } as unknown as AppContext;
  const gatherer = new Gatherer<number, number>(
    (_, __, items) =>
      new Promise((resolve, reject) => {
        calls.push({
          items,
          answer: () => resolve(items.map((item) => item * 10)),
          fail: () => reject(new Error("object is gone")),
        });
      }),
    TIMEOUT_MS,
    true,
  );
  return { calls, waited, submit: (item: number) => gatherer.submit(c, "hot", item) };
}

/** Lets everything run that waits for nothing but its turn. */
async function settle(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await Promise.resolve();
}

describe("calls to one object", () => {
  test("are made at once by a request that is alone", async () => {
    const { calls, submit } = gathering();
    const answer = submit(1);
    expect(calls.map(({ items }) => items)).toEqual([[1]]);
    calls[0]?.answer();
    expect(await answer).toBe(10);
  });

  test("take along what gathered while one was under way, and answer each its own", async () => {
    const { calls, submit } = gathering();
    const answers = [1, 2, 3, 4].map(submit);
    expect(calls.map(({ items }) => items)).toEqual([[1]]);
    calls[0]?.answer();
    await settle();
    expect(calls.map(({ items }) => items)).toEqual([[1], [2, 3, 4]]);
    calls[1]?.answer();
    expect(await Promise.all(answers)).toEqual([10, 20, 30, 40]);
  });

  test("wait for a slow one 5 ms, and are then made beside it", async () => {
    const { calls, submit } = gathering();
    const slow = submit(1);
    const next = submit(2);
    await vi.advanceTimersByTimeAsync(4);
    expect(calls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(calls.map(({ items }) => items)).toEqual([[1], [2]]);
    calls[1]?.answer();
    expect(await next).toBe(20);
    calls[0]?.answer();
    expect(await slow).toBe(10);
  });

  test("that fail, fail for everybody in them and for nobody after", async () => {
    const { calls, submit } = gathering();
    const first = submit(1);
    const failing = [2, 3].map((item) => submit(item).catch((error: Error) => error.message));
    calls[0]?.answer();
    await first;
    await settle();
    calls[1]?.fail();
    expect(await Promise.all(failing)).toEqual(["object is gone", "object is gone"]);
    const after = submit(4);
    calls[2]?.answer();
    expect(await after).toBe(40);
  });

  test("end after their time-out", async () => {
    const { submit } = gathering();
    const answer = submit(1).catch((error: Error) => error.message);
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS);
    expect(await answer).toContain("no answer");
  });

  test("are seen through when the client of the request that makes them hangs up", async () => {
    const { calls, waited, submit } = gathering();
    const answers = [submit(1), submit(2)];
    // One for the call, one for the request that waits.
    expect(waited).toHaveLength(2);
    calls[0]?.answer();
    await settle();
    calls[1]?.answer();
    await Promise.all(answers);
    await Promise.all(waited);
  });

  test("that vanished with their request hold nobody up: the next one takes along who waited", async () => {
    const { calls, submit } = gathering();
    void submit(1);
    const stranded = submit(2);
    // Neither answer nor timer will ever come: only the clock goes on.
    vi.setSystemTime(Date.now() + 5);
    const next = submit(3);
    expect(calls.map(({ items }) => items)).toEqual([[1], [3, 2]]);
    calls[1]?.answer();
    expect(await Promise.all([stranded, next])).toEqual([20, 30]);
  });
});
