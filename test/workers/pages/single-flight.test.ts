/**
 * Single flight: many concurrent misses of one address. Over HTTP it is tested in
 * test/long/alone/health.test.ts.
 */
import { beforeEach, describe, expect, test, vi } from "vitest";
import { SingleFlight, WAIT_MS } from "../../../src/commands/serve/worker/edge-cache.ts";
import { eventually } from "../kit/kit.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});

/** Renderings that the test completes itself, the oldest first. */
function rendering() {
  const under_way: PromiseWithResolvers<Response>[] = [];
  let begun = 0;
  const render = () => {
    begun += 1;
    const one = Promise.withResolvers<Response>();
    under_way.push(one);
    return one.promise;
  };
  const renderings = new SingleFlight(true);
  return {
    begun: () => begun,
    ask: (url = "/a") => renderings.do(url, render),
    answer: (body: string) =>
      under_way.shift()?.resolve(new Response(body, { status: 410, headers: { ETag: '"1"' } })),
    fail: () => under_way.shift()?.reject(new Error("not to be had")),
  };
}

describe("requests that miss one address at the same time", () => {
  test("share one rendering, and each gets all of it in a response of its own", async () => {
    const { ask, answer, begun } = rendering();
    const asked = Array.from({ length: 10 }, () => ask());
    expect(begun()).toBe(1);
    answer("whole");
    const responses = await Promise.all(asked);
    expect(new Set(responses).size).toBe(10);
    for (const response of responses) {
      expect([response.status, response.headers.get("ETag")]).toEqual([410, '"1"']);
      expect(await response.text()).toBe("whole");
    }
  });

  test("share nothing with another address, or with a request that comes later", async () => {
    const { ask, answer, begun } = rendering();
    const [one, other] = [ask("/a"), ask("/b")];
    expect(begun()).toBe(2);
    answer("a");
    answer("b");
    expect(await Promise.all([(await one).text(), (await other).text()])).toEqual(["a", "b"]);
    const later = ask("/a");
    expect(begun()).toBe(3);
    answer("later");
    expect(await (await later).text()).toBe("later");
  });

  test("render for themselves if the one they wait for fails", async () => {
    const { ask, answer, fail, begun } = rendering();
    const [first, second] = [ask(), ask()];
    const failed = expect(first).rejects.toThrow("not to be had");
    fail();
    await failed;
    await eventually(() => expect(begun()).toBe(2));
    answer("second");
    expect(await (await second).text()).toBe("second");
  });

  test("render for themselves if the one they wait for was cancelled", async () => {
    const { ask, answer, begun } = rendering();
    ask();
    const second = ask();
    await vi.advanceTimersByTimeAsync(WAIT_MS);
    expect(begun()).toBe(2);
    answer("of one who is gone");
    answer("second");
    expect(await (await second).text()).toBe("second");
  });
});
