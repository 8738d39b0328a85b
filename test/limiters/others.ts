/**
 * Other libraries' limiters, used as their documentation says, and ours for comparison.
 *
 * Each has ideal conditions: one memory that all locations share and that is never evicted. Their clock
 * and timers are those of `vi.useFakeTimers`.
 */
import { Ratelimit } from "@upstash/ratelimit";
import { Hono } from "hono";
import { rateLimiter } from "hono-rate-limiter";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { admit, type SlidingWindow } from "../../objects/limiter/sliding-window.ts";
import { memoryRedis } from "./redis.ts";
import { type Answer, WINDOW_MS } from "./traces.ts";

/** A limiter in use. */
interface Running {
  /** One request of the sender, at the time that `Date.now` says. */
  ask(): Promise<Answer>;
  close?(): void;
}

export interface Limiter {
  name: string;
  /** Its algorithm in a few words. */
  algorithm: string;
  /** Whether it counts in the process's memory and not in a shared store. */
  inMemory: boolean;
  /** A new one that admits `limit` requests in 60 s. */
  make(limit: number): Promise<Running>;
}

const SENDER = "192.0.2.1";

function retryAfter(ms: number): number {
  // Whole seconds for the header, rounded up, which favours it.
  return Math.ceil(ms / 1_000);
}

const OURS: Limiter = {
  name: "Sila",
  algorithm: "exact sliding window",
  inMemory: false,
  async make(limit) {
    let window: SlidingWindow = [];
    const ask = async () => {
      const decision = admit(window, limit, Date.now());
      window = decision.window;
      const { admitted, reset_ms } = decision.verdict;
      return { admitted, retry_after_s: admitted ? null : retryAfter(reset_ms) };
    };
    return { ask };
  },
};

const FLEXIBLE: Limiter = {
  name: "`rate-limiter-flexible`",
  algorithm: "fixed window from the first request",
  inMemory: true,
  async make(limit) {
    const limiter = new RateLimiterMemory({ points: limit, duration: WINDOW_MS / 1_000 });
    const ask = async () => {
      try {
        await limiter.consume(SENDER);
        return { admitted: true, retry_after_s: null };
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        return { admitted: false, retry_after_s: retryAfter(refused.msBeforeNext) };
      }
    };
    return { ask };
  },
};

const HONO: Limiter = {
  name: "`hono-rate-limiter`",
  algorithm: "fixed window from the first request",
  inMemory: true,
  async make(limit) {
    const app = new Hono();
    app.use(rateLimiter({ windowMs: WINDOW_MS, limit, keyGenerator: () => SENDER }));
    app.get("/", (c) => c.body(null, 204));
    const ask = async () => {
      const { status, headers } = await app.request("/");
      const admitted = status === 204;
      return { admitted, retry_after_s: admitted ? null : Number(headers.get("Retry-After")) };
    };
    return { ask };
  },
};

const UPSTASH: Limiter = {
  name: "`@upstash/ratelimit`",
  algorithm: "two fixed windows, the last one weighted",
  inMemory: false,
  async make(limit) {
    const redis = await memoryRedis();
    const limiter = new Ratelimit({
      // The type is of the whole client; the algorithm makes only a script's two calls.
      redis: redis as unknown as ConstructorParameters<typeof Ratelimit>[0]["redis"],
      limiter: Ratelimit.slidingWindow(limit, `${WINDOW_MS} ms`),
      // A cache of refusals until the end of the window would only add wrong refusals.
      ephemeralCache: false,
      enableTelemetry: false,
    });
    const ask = async () => {
      const { success, reset } = await limiter.limit(SENDER);
      return { admitted: success, retry_after_s: success ? null : retryAfter(reset - Date.now()) };
    };
    return { ask, close: redis.close };
  },
};

export const LIMITERS: readonly Limiter[] = [OURS, FLEXIBLE, HONO, UPSTASH];
