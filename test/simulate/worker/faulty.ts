/**
 * The module around the deployed bundle while it is being tortured: the bundle's own code, unchanged, with
 * everything at a distance, a D1 that can fail and objects that can be thrown out of memory.
 */
import { env } from "cloudflare:workers";
import * as sila from "sila";
import type { D1Fault } from "../d1-judge.ts";
import { DROPPED_HEADER } from "../distance.ts";
import { distantEnv, type Way } from "./distant.ts";

export * from "sila";

export default routerAt((near) => near);

/**
 * The bundle's router with all that it calls at a distance. Its answers say which objects' answers got lost on
 * the way to it, so that a 5xx without a cause can be told from one with a cause.
 *
 * @param between what to put between the router and the distance, only to prove that it is found out
 */
export function routerAt(between: (env: RouterEnv) => RouterEnv): Router {
  return {
    async fetch(request, near, ctx) {
      const way: Way = { dropped: [] };
      const answer = await sila.default.fetch(request, between(distantEnv(near, way)), ctx);
      if (way.dropped.length === 0) return answer;
      const marked = new Response(answer.body, answer);
      marked.headers.set(DROPPED_HEADER, way.dropped.join(","));
      return marked;
    },
    scheduled(event, near, ctx) {
      sila.default.scheduled(event, distantEnv(near, { dropped: [] }), ctx);
    },
  };
}

/**
 * `ctx.abort` is the harsher form of eviction. The platform evicts an object when it has nothing to do;
 * abort does so in the middle of its work: every call under way breaks, what was written but is not
 * durable yet is gone, and the next call finds a new object that has nothing but its storage.
 */
const EVICTED = "evicted by the simulator";

export class PageObject extends sila.PageObject {
  readonly #instance = crypto.randomUUID();

  evict(): void {
    this.ctx.abort(EVICTED);
  }

  /** Another one after every eviction. */
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

/** Every way to send something to D1, on the two prototypes that all of its callers share. */
fail(Object.getPrototypeOf(env.DB), ["batch", "exec"]);
fail(Object.getPrototypeOf(env.DB.prepare("SELECT 1")), ["all", "first", "raw", "run"]);

/**
 * Puts the judge before and after each of these methods. It lives in another process, so it outlasts SIGKILL
 * of this one, and a call that is far away or hangs is simply not answered by it for as long.
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
