/**
 * The module around the deployed bundle in the tests of distance: the bundle's own code, unchanged, with
 * delayed calls, a D1 that can hang and page objects that can fail. `/far` changes the setting,
 * `/batches` answers how many calls brought events to pages, `/hung` which pages wait for D1.
 */
import * as sila from "sila";
import type { Receipt } from "../../../objects/tables/event.ts";
import { hexOf } from "../../../objects/tables/key-list.ts";
import { PackedEvents } from "../../../objects/tables/packed-events.ts";
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
const toStores: Way = (call) => (setting.stores === "silent" ? unanswered(call) : distance(call));
const toLimiters: Way = (call) =>
  setting.limiters === "silent" ? unanswered(call) : distance(call);
const toPages: Way = (call) => {
  if (setting.pages === "silent") return unanswered(call);
  return distance(setting.pages === "overloaded" ? () => orOverloaded(call) : call);
};

/** Pages whose objects have made a call to D1 that hangs. */
const hung = new Set<string>();

/** Calls with events that page objects have got. */
let batches = 0;
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
    const toD1: Way = (call) => {
      if (!setting.d1_hangs) return call();
      hung.add(ctx.id.name ?? "");
      return unanswered(call);
    };
    super(ctx, { ...env, DB: databaseBy(toD1, env.DB) });
  }

  /** Ends this instance; the next call starts one from storage. */
  evict(): void {
    this.ctx.abort("evicted by the test");
  }

  override recordBatch(events: Uint8Array<ArrayBuffer>): Promise<Receipt[]> {
    batches += 1;
    return setting.pages === "slow" ? this.#recordSlowly(events) : super.recordBatch(events);
  }

  /** Fails if it is the first call for one of its events, of which every second counts before that. */
  async #recordSlowly(bytes: Uint8Array<ArrayBuffer>): Promise<Receipt[]> {
    const events = PackedEvents.read(bytes);
    let fails = false;
    for (let i = 0; i < events.length; i += 1) {
      const key = hexOf(events.key(i));
      const call = (this.#calls.get(key) ?? 0) + 1;
      this.#calls.set(key, call);
      if (call > 1) continue;
      fails = true;
      if (this.#calls.size % 2 === 1) events.drop(i);
    }
    await scheduler.wait(SLOW_MS);
    const receipts = await super.recordBatch(bytes);
    if (fails) throw new Error("broken by the test");
    return receipts;
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
    if (pathname === "/batches") return Response.json(batches);
    if (pathname === "/hung") return Response.json([...hung]);
    if (!pathname.startsWith("/shared-check")) return sila.default.fetch(request, far_env, ctx);
    await sharedCheck(far_env, ctx, pathname.endsWith("/broken"));
    return new Response("checked");
  },
} satisfies ExportedHandler<Cloudflare.Env>;
