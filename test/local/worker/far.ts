/**
 * The module around the deployed bundle in the tests of distance: the bundle's own code, unchanged, with
 * delayed calls, a D1 that can hang and page objects that can fail. `/far` changes the setting.
 */
import * as sila from "sila";
import type { PageEvent, Receipt } from "../../../objects/tables/event.ts";
import { allBy, databaseBy, far, objectsBy, type Way } from "./distance.ts";
import { type Setting, WELL } from "./setting.ts";
import { sharedCheck } from "./shared-limiter-check.ts";

export * from "sila";

/** Longer than a redirect waits for its count. */
const SLOW_MS = 400;
/** Longer than any time-out. */
const UNANSWERED_MS = 60_000;

/** Shared by the router and all objects, which run in one isolate here. */
const setting: Setting = { ...WELL };

/** The bundle's log since the last request for it. */
const logged: string[] = [];
const { error: show } = console;
console.error = (...values: unknown[]) => {
  logged.push(values.join(" "));
  if (!setting.is_quiet) show(...values);
};

/** A call under way is I/O of its request, also if it is never answered. */
const unanswered: Way = async () => {
  await scheduler.wait(UNANSWERED_MS);
  throw new Error("the connection broke");
};
const distance: Way = (call) => far(setting.ms, call);
const fromObjectsToD1: Way = (call) => (setting.d1_hangs ? unanswered(call) : call());
const toStores: Way = (call) => (setting.stores === "silent" ? unanswered(call) : distance(call));
const toLimiters: Way = (call) =>
  setting.limiters === "silent" ? unanswered(call) : distance(call);
const toPages: Way = (call) => {
  if (setting.pages === "silent") return unanswered(call);
  return distance(setting.pages === "overloaded" ? () => orOverloaded(call) : call);
};

let calls = 0;

/** Every second call fails at once with the platform's error for an overloaded object. */
function orOverloaded<T>(call: () => Promise<T>): Promise<T> {
  calls += 1;
  if (calls % 2 === 0) return call();
  return Promise.reject(Object.assign(new Error("overloaded by the test"), { overloaded: true }));
}

const { fetch } = globalThis;
globalThis.fetch = (input, init) => distance(() => fetch(input, init));

export class PageObject extends sila.PageObject {
  /** The number of calls by event. */
  readonly #calls = new Map<string, number>();

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, { ...env, DB: databaseBy(fromObjectsToD1, env.DB) });
  }

  /** Ends this instance; the next call starts one from storage. */
  evict(): void {
    this.ctx.abort("evicted by the test");
  }

  override async record(event: PageEvent): Promise<Receipt> {
    if (setting.pages !== "slow") return super.record(event);
    const call = (this.#calls.get(event.key) ?? 0) + 1;
    this.#calls.set(event.key, call);
    const counts_first = this.#calls.size % 2 === 0;
    await scheduler.wait(SLOW_MS);
    if (call % 2 === 0) return super.record(event);
    if (counts_first) await super.record(event);
    throw new Error("broken by the test");
  }
}

export default {
  ...sila.default,
  async fetch(request, env, ctx) {
    const { pathname } = new URL(request.url);
    if (pathname === "/far") {
      Object.assign(setting, await request.json());
      return Response.json(logged.splice(0));
    }
    const far_env: Cloudflare.Env = {
      ...env,
      PAGE: objectsBy(toPages, env.PAGE),
      LIMITER: objectsBy(toLimiters, env.LIMITER),
      DB: databaseBy(toStores, env.DB),
      KV: allBy(toStores, env.KV),
    };
    if (pathname !== "/shared-check") return sila.default.fetch(request, far_env, ctx);
    await sharedCheck(far_env);
    return new Response("checked");
  },
} satisfies ExportedHandler<Cloudflare.Env>;
