/**
 * The module around the deployed bundle in a simulation: the bundle's own code, unchanged, with delayed
 * calls, a D1 that can fail and objects that can be evicted.
 */
import { env } from "cloudflare:workers";
import * as sila from "sila";
import type { D1Fault } from "../d1-judge.ts";
import { DROPPED_HEADER } from "../distance.ts";
import { distantEnv, type Way, ways } from "./distant.ts";

export * from "sila";

/**
 * The bundle's router with delayed calls. Its answers name the objects whose answers were lost, so that
 * the judge can tell a 5xx with a cause from one without.
 */
export default {
  async fetch(request, near, ctx) {
    const way: Way = { dropped: [] };
    ways.add(way);
    const answering = sila.default.fetch(request, distantEnv(near, way), ctx);
    const answer = await answering.finally(() => ways.delete(way));
    if (way.dropped.length === 0) return answer;
    const marked = new Response(answer.body, answer);
    marked.headers.set(DROPPED_HEADER, way.dropped.join(","));
    return marked;
  },
  scheduled(event, near, ctx) {
    sila.default.scheduled(event, distantEnv(near, { dropped: [] }), ctx);
  },
} satisfies Router;

/**
 * `ctx.abort` is a harsher form of eviction. The platform evicts an idle object; abort ends it in the
 * middle of its work: every call under way breaks, writes that are not durable yet are lost, and the next
 * call starts a new object that has nothing but its storage.
 */
const EVICTED = "evicted by the simulator";

export class PageObject extends sila.PageObject {
  readonly #instance = crypto.randomUUID();

  evict(): void {
    this.ctx.abort(EVICTED);
  }

  /** A new one after every eviction. */
  instance(): string {
    return this.#instance;
  }
}

export class RateLimiter extends sila.RateLimiter {
  readonly #instance = crypto.randomUUID();

  evict(): void {
    this.ctx.abort(EVICTED);
  }

  instance(): string {
    return this.#instance;
  }
}

/** Every method that sends something to D1, on the two prototypes that all callers share. */
fail(Object.getPrototypeOf(env.DB), ["batch", "exec"]);
fail(Object.getPrototypeOf(env.DB.prepare("SELECT 1")), ["all", "first", "raw", "run"]);

/**
 * Calls the judge before and after each of these methods. The judge is in another process, so it outlasts
 * a SIGKILL of this one; it delays a call by answering late.
 */
function fail(prototype: Record<string, Method>, names: readonly string[]): void {
  for (const name of names) {
    const real = prototype[name];
    if (real === undefined) throw new Error(`D1 has no ${name}`);
    prototype[name] = async function (this: unknown, ...args: unknown[]) {
      const judge = await env.D1_JUDGE.fetch("http://judge/there");
      const fault = (await judge.text()) as D1Fault;
      if (fault === "refuse") throw new Error("D1_ERROR: refused by the simulator");
      const answer = await real.apply(this, args);
      if (fault === "lose reply") throw new Error("D1_ERROR: reply lost by the simulator");
      await (await env.D1_JUDGE.fetch("http://judge/back")).text();
      return answer;
    };
  }
}

type Method = (this: unknown, ...args: unknown[]) => unknown;
