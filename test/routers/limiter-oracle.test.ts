/**
 * The real RateLimiter object with sixteen traces, each decision judged by its own admitted history
 * (docs/contract.md section 6). Virtual time, real storage, real evictions.
 */
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { RateLimiter } from "../../objects/limiter/rate-limiter.ts";
import type { Verdict } from "../../objects/limiter/sliding-window.ts";
import { requireConfig } from "../../src/http/config.ts";
import { refusal } from "../../src/http/exact-limit.ts";
import { senderName } from "../../src/http/sender.ts";
import { drive, SEED, type World } from "../limiters/drive.ts";
import { admittedAt, type Decision, judge, peak, promises } from "../limiters/oracle.ts";
import {
  type Answer,
  type Arrivals,
  CLOCK_BACK,
  CLOCK_FORWARD,
  IDLE_EVICTED,
  LIMITS,
  LOCATIONS,
  START_MS,
  STEP_MS,
  THREE_LOCATIONS,
  TRACES,
  type Trace,
  WINDOW_MS,
} from "../limiters/traces.ts";
import { stopClock } from "../workers/kit/faults.ts";
import { freshAddress, freshSender } from "../workers/kit/kit.ts";
import { askRouter, routersAt } from "../workers/kit/locations.ts";

let clock: ReturnType<typeof stopClock>;

beforeEach(() => {
  clock = stopClock();
});

type Stub = DurableObjectStub<RateLimiter>;

/** The smallest. Through routers it is the largest, and `test/limiters` has all of them. */
const [LIMIT] = LIMITS;

/** An hour in windows of the traces, which have 60 s. */
const STRETCH = 60;

function world(ask: (arrivals: Arrivals) => Promise<Answer>, object: () => Promise<Stub>): World {
  return {
    pass: (_, clock_ms) => clock.set(START_MS + clock_ms),
    evict: async () => evictDurableObject(await object()),
    ask: (arrivals) => Promise.all(Array.from({ length: arrivals.requests }, () => ask(arrivals))),
  };
}

function answerOf(verdict: Verdict): Answer {
  const { admitted } = verdict;
  const { headers } = refusal("public", verdict);
  return { admitted, retry_after_s: admitted ? null : Number(headers["Retry-After"]) };
}

function alone(limit: number): World {
  const sender = freshSender();
  const stub = env.LIMITER.getByName(sender);
  return world(
    async () => answerOf(await stub.check({ sender, scope: "public", limit })),
    async () => stub,
  );
}

/** One sender with a window of an hour: all times of the trace are sixty times as long. */
function aloneForHours(limit: number): World {
  const sender = freshSender();
  const stub = env.LIMITER.getByName(sender);
  const check = { sender, scope: "error_group", limit, window_ms: STRETCH * WINDOW_MS };
  return {
    ...world(
      async () => {
        const verdict = await stub.check(check);
        return answerOf({ ...verdict, reset_ms: verdict.reset_ms / STRETCH });
      },
      async () => stub,
    ),
    pass: (_, clock_ms) => clock.set(START_MS + STRETCH * clock_ms),
  };
}

/** One sender at a shared object: with a busier sender, and with itself in another scope. */
function sharing(limit: number): World {
  const sender = freshSender();
  const stub = env.LIMITER.getByName(`shard-of-${sender}`);
  const busier = freshSender();
  let asked = 0;
  return world(
    async () => {
      asked += 1;
      const neighbour =
        asked % 4 === 0 ? { sender, scope: "auth" } : { sender: busier, scope: "public" };
      const [verdict] = await Promise.all([
        stub.check({ sender, scope: "public", limit }),
        stub.check({ ...neighbour, limit }),
      ]);
      return answerOf(verdict);
    },
    async () => stub,
  );
}

let routers: Awaited<ReturnType<typeof routersAt>>;

beforeAll(async () => {
  routers = await routersAt(LOCATIONS);
});

/** One sender at three locations, and how many requests of each reached the object. */
function throughRouters() {
  const ip = freshAddress();
  const asked = routers.map(() => 0);
  const through = world(
    async ({ location }) => {
      const router = routers[location];
      if (router === undefined) throw new Error(`no router at location ${location}`);
      return askRouter(router, ip, () => {
        asked[location] = (asked[location] ?? 0) + 1;
      });
    },
    async () =>
      env.LIMITER.getByName(await senderName(requireConfig(env, "counting").SENDER_KEY, ip)),
  );
  return { world: through, asked };
}

/** No wrong admission, no wrong refusal, every `Retry-After` true, and N reached if N were requested. */
function expectExact(decisions: readonly Decision[], trace: Trace, limit: number): void {
  const demand = peak(decisions.map((decision) => decision[trace.judged_by]));
  expect({ ...judge(decisions, limit, trace), ...promises(decisions) }).toEqual({
    false_admits: 0,
    false_refusals: 0,
    retry_early: 0,
    retry_late: 0,
    broken: 0,
    overlong: 0,
    peak: Math.min(limit, demand),
  });
}

/** True time of the first request after the clock's step. */
function stepOf(decisions: readonly Decision[]): number {
  return decisions.find(({ at_ms, clock_ms }) => at_ms !== clock_ms)?.at_ms ?? Number.NaN;
}

describe(`the limiter object, seed ${SEED}`, () => {
  for (const trace of TRACES.filter(({ clock_step }) => clock_step === undefined)) {
    test(`${trace.name}: ${trace.rule}`, async () => {
      expectExact(await drive(trace, LIMIT, alone(LIMIT)), trace, LIMIT);
    });
  }

  test(`F14: ${CLOCK_BACK.name}: ${CLOCK_BACK.rule}`, async () => {
    const decisions = await drive(CLOCK_BACK, LIMIT, alone(LIMIT));
    expectExact(decisions, CLOCK_BACK, LIMIT);
    expect(Math.max(...decisions.map((one) => one.retry_after_s ?? 0))).toBeLessThanOrEqual(60);

    // The additional wait is exactly the time from the last admission to the step.
    const admitted = admittedAt(decisions);
    const step = stepOf(decisions);
    const lost_ms = step - Math.max(...admitted.filter((at) => at < step));
    expect(lost_ms).toBeGreaterThan(0);
    expect(lost_ms).toBeLessThan(STEP_MS);
    expect(admitted.find((at) => at >= step)).toBe((admitted[0] ?? 0) + WINDOW_MS + lost_ms);
  });

  test(`F14: ${CLOCK_FORWARD.name}: ${CLOCK_FORWARD.rule}`, async () => {
    const decisions = await drive(CLOCK_FORWARD, LIMIT, alone(LIMIT));
    expectExact(decisions, CLOCK_FORWARD, LIMIT);

    const admitted = admittedAt(decisions);
    const step = stepOf(decisions);
    expect(peak(admitted.filter((at) => at < step))).toBe(LIMIT);
    expect(peak(admitted.filter((at) => at >= step))).toBe(LIMIT);
    expect(peak(admitted, WINDOW_MS - STEP_MS)).toBeLessThanOrEqual(LIMIT);
    expect(peak(admitted)).toBeLessThanOrEqual(2 * LIMIT);
  });
});

const HARD = TRACES.filter(({ name }) =>
  ["Poisson 1.5", "exact edge", CLOCK_BACK.name, IDLE_EVICTED.name].includes(name),
);

describe(`the limiter object with a window of an hour, seed ${SEED}`, () => {
  for (const trace of HARD.filter(({ clock_step }) => clock_step === undefined)) {
    test(`${trace.name}, N = 5: ${trace.rule}`, async () => {
      expectExact(await drive(trace, 5, aloneForHours(5)), trace, 5);
    });
  }
});

describe(`a limiter object that senders share, seed ${SEED}`, () => {
  for (const trace of HARD) {
    test(`${trace.name}: ${trace.rule}`, async () => {
      expectExact(await drive(trace, LIMIT, sharing(LIMIT)), trace, LIMIT);
    });
  }
});

describe(`the public limit of 60 through three routers, seed ${SEED}`, () => {
  test.each(TRACES.map((trace) => [trace.name, trace] as const))(
    "%s: the same, headers and all",
    async (_, trace) => {
      const { world } = throughRouters();
      expectExact(await drive(trace, 60, world), trace, 60);
    },
  );

  test("each location answers by itself while it has the sender's refusal in memory", async () => {
    const { world, asked } = throughRouters();
    const decisions = await drive(THREE_LOCATIONS, 60, world);
    const asks = asked.reduce((sum, count) => sum + count);
    expect(Math.min(...asked)).toBeGreaterThan(0);
    expect(asks).toBeGreaterThanOrEqual(admittedAt(decisions).length);
    expect(asks).toBeLessThan(decisions.length / 2);
  });
});
