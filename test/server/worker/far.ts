/**
 * The module around the deployed bundle in the tests of distance: the bundle's own code, unchanged, with
 * delayed calls, a D1 that can hang and page objects that can fail, exactly where the test says so. `/far`
 * changes the setting, and `/seen` answers what has happened.
 */
import * as sila from "sila";
import type { Receipt } from "../../../objects/events/event.ts";
import { PackedEvents } from "../../../objects/events/packed-events.ts";
import { hexOf } from "../../../objects/keys/key-list.ts";
import { SENDER_BYTES } from "../../../objects/limiter/packed-admissions.ts";
import type { CheckBatch } from "../../../objects/limiter/sender-windows.ts";
import { allBy, databaseBy, far, objectsBy, type Way } from "./distance.ts";
import { type FarSeen, type Setting, WELL } from "./setting.ts";
import { sharedCheck } from "./shared-limiter-check.ts";
import { setTime, timerCounts } from "./time.ts";

export * from "sila";

/** Longer than a redirect waits for its count. */
const SLOW_MS = 400;
/** Longer than any time-out. */
const UNANSWERED_MS = 60_000;
const HELD_POLL_MS = 1;

/** Shared by the router and all objects, which run in one isolate here. */
const setting: Setting = { ...WELL };

const logged: string[] = [];
const { error: show } = console;
console.error = (...values: unknown[]) => {
  logged.push(values.join(" "));
  if (!setting.is_quiet) show(...values);
};

/** Pages whose objects have made a call to D1 that hangs. */
const hung = new Set<string>();
const seen = { delayed: 0, checked: 0, held: 0, batches: 0, refused: 0 };

/** A call under way is I/O of its request, also if it is never answered. */
const unanswered: Way = async () => {
  await scheduler.wait(UNANSWERED_MS);
  throw new Error("the connection broke");
};

const distance: Way = (call) => {
  if (setting.ms > 0) seen.delayed += 1;
  return far(setting.ms, call);
};
const toStores: Way = (call) => (setting.stores === "silent" ? unanswered(call) : distance(call));
const toLimiters: Way = (call) => {
  if (setting.limiters === "silent") return unanswered(call);
  return setting.limiters === "held" ? held("limiters", call) : distance(call);
};
const toPages: Way = (call) => {
  if (setting.pages === "silent") return unanswered(call);
  if (setting.pages === "held") return held("pages", call);
  return distance(setting.pages === "overloaded" ? overloaded : call);
};

/** Waits as long as the test holds calls to these objects, on timers of the calling request. */
async function held<T>(objects: "pages" | "limiters", call: () => Promise<T>): Promise<T> {
  seen.held += 1;
  while (setting[objects] === "held") await scheduler.wait(HELD_POLL_MS);
  return distance(call);
}

function overloaded(): Promise<never> {
  seen.refused += 1;
  return Promise.reject(Object.assign(new Error("overloaded by the test"), { overloaded: true }));
}

const { fetch } = globalThis;
globalThis.fetch = (input, init) => distance(() => fetch(input, init));

export class PageObject extends sila.PageObject {
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
    seen.batches += 1;
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

/** Counts the requests whose limiter has answered, when the answer is with the router. */
function countingChecks(namespace: Cloudflare.Env["LIMITER"]): Cloudflare.Env["LIMITER"] {
  const limiters = objectsBy(toLimiters, namespace);
  return new Proxy(limiters, {
    get: (_, name) => {
      if (name !== "getByName") return Reflect.get(limiters, name);
      return (of: string) => ({
        async checkAll(batch: CheckBatch) {
          const verdicts = await limiters.getByName(of).checkAll(batch);
          seen.checked += batch.senders.length / SENDER_BYTES;
          return verdicts;
        },
      });
    },
  });
}

export default {
  ...sila.default,
  async fetch(request, env, ctx) {
    const { pathname, search } = new URL(request.url);
    if (pathname === "/far") {
      Object.assign(setting, await request.json());
      setTime({ at: setting.clock_stands ? Date.now() : null, timers: setting.timers });
      return Response.json(logged.splice(0));
    }
    if (pathname === "/seen") {
      const answer: FarSeen = { ...seen, hung: [...hung], timers: timerCounts() };
      return Response.json(answer);
    }
    const far_env: Cloudflare.Env = {
      ...env,
      PAGE: objectsBy(toPages, env.PAGE),
      LIMITER: countingChecks(env.LIMITER),
      DB: databaseBy(toStores, env.DB),
      KV: allBy(toStores, env.KV),
    };
    if (!pathname.startsWith("/shared-check")) return sila.default.fetch(request, far_env, ctx);
    await sharedCheck(far_env, ctx, search, pathname.endsWith("/broken"));
    return new Response("checked");
  },
} satisfies ExportedHandler<Cloudflare.Env>;
