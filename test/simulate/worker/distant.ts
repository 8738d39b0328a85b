/**
 * Delays every call of a router: to objects, KV, R2 and the hub; D1's delay is in `faulty.ts`. Half of
 * each delay comes before the call and half after it, in the router: a delay in the object would hold up
 * its other callers.
 */
import { env } from "cloudflare:workers";
import { generator } from "../../random.ts";
import { type Distance, drawDelay, drawLoss, hash32, type Place } from "../distance.ts";

/** Longer than any time-out of the Worker: an answer that has not come by then never comes. */
const SILENCE_MS = 20_000;

const distance = JSON.parse(env.DISTANCE) as Distance;
const ROUTER_SEED = hash32(`${distance.seed}/${env.ROUTER ?? 0}`);

/** The number of calls of this isolate. */
let calls = 0;
/**
 * Whether an answer to a call with events was lost yet. The first of each isolate is, if answers are lost
 * at all: so no run goes by without one, whatever its random numbers are.
 */
let hasLostEvents = false;

/** What happened to the calls of one request. */
export interface Way {
  /** Bindings of objects whose answers were lost, which may have been answers to this request. */
  dropped: string[];
}

/** Of the requests under way in this isolate. */
export const ways = new Set<Way>();

const OBJECTS = [
  ...["PAGE", "LIMITER", "ERROR_LOG", "MONITOR"],
  ...["TIPS", "DOWNLOADS", "SUBSCRIBERS", "WEBHOOKS"],
] as const;
type Binding = (typeof OBJECTS)[number];

/** The router's bindings for one request, with delayed objects. */
export function distantEnv(near: RouterEnv, way: Way): RouterEnv {
  const distant = { ...near };
  for (const name of OBJECTS) {
    distant[name] = distantObjects(name, near, name === "MONITOR" ? null : way);
  }
  return distant;
}

/** A global `fetch` goes to the hub; the simulator's own services are called through bindings. */
const { fetch } = globalThis;
globalThis.fetch = (input, init) => travel("hub", [String(input)], () => fetch(input, init));

/** On the prototypes, which the page renderer shares. */
moveAway("kv", env.KV, ["get", "getWithMetadata", "list", "put", "delete"]);
moveAway("r2", env.MEDIA, ["get", "head", "list", "put", "delete"]);

function moveAway(place: Place, binding: object, names: readonly string[]): void {
  const prototype: object = Object.getPrototypeOf(binding);
  for (const name of names) {
    const real: unknown = Reflect.get(prototype, name);
    if (typeof real !== "function") throw new Error(`the binding of ${place} has no ${name}`);
    Reflect.set(prototype, name, function (this: unknown, ...args: unknown[]) {
      return travel(place, [name, String(args[0])], async () => Reflect.apply(real, this, args));
    });
  }
}

/** With a null way a lost answer excuses no failed request. */
function distantObjects(binding: Binding, near: RouterEnv, way: Way | null): ObjectNamespace {
  // A call carries what several requests have to send, and every one of those under way may wait for
  // its answer.
  const onDrop = () => {
    if (way === null) return;
    for (const other of new Set([way, ...ways])) other.dropped.push(binding);
  };
  return { getByName: (name) => distantObject(name, near[binding].getByName(name), onDrop) };
}

/** The same methods with a delay before and after, and with answers that may be lost. */
function distantObject(name: string, near: ObjectStub, onDrop: () => void): ObjectStub {
  return new Proxy(near, {
    get(_, method) {
      const real: unknown = Reflect.get(near, method);
      if (typeof method !== "string" || typeof real !== "function") return real;
      return async (...args: unknown[]) => {
        // A number that is handed over has a random key, so only its sender can identify it.
        if (method === "recordLimited") await noteHandOver(name, args);
        // Called on the stub itself, because the platform does not accept a proxy as `this`.
        const call = async () => Reflect.apply(real, near, args);
        const isFirst = method === "recordBatch" && !hasLostEvents;
        if (isFirst) hasLostEvents = true;
        return travel("object", [method, ...args], call, onDrop, isFirst);
      };
    },
  });
}

async function noteHandOver(page_id: string, [events]: readonly unknown[]): Promise<void> {
  const body = JSON.stringify({ page_id, events });
  await env.HAND_OVERS.fetch("http://hand-overs/", { method: "POST", body });
}

/** Makes a delayed call. With `onDrop` its answer may be lost; the first, if any is. */
async function travel<T>(
  place: Place,
  says: readonly unknown[],
  call: () => Promise<T>,
  onDrop?: () => void,
  isFirst = false,
): Promise<T> {
  calls += 1;
  // The random numbers depend on the call's content too, because `calls` starts at 0 again after a
  // SIGKILL.
  const random = generator(ROUTER_SEED ^ hash32(`${calls} ${JSON.stringify(says)}`));
  const half_ms = drawDelay(place, distance, random) / 2;
  const drawn = onDrop === undefined ? "none" : drawLoss(distance, random);
  const loss = isFirst && distance.drop_per_1000 > 0 ? "breaks" : drawn;
  await pause(half_ms);
  const answer = await call();
  await pause(half_ms);
  if (onDrop === undefined || loss === "none") return answer;
  onDrop();
  await env.LOSSES.fetch("http://losses/");
  if (loss === "silence") await pause(SILENCE_MS);
  throw new Error("Network connection lost, says the simulator");
}

async function pause(ms: number): Promise<void> {
  if (ms >= 1) await new Promise((resolve) => setTimeout(resolve, ms));
}
