/**
 * Puts a distance between a router and everything it calls: objects, KV, R2 and the hub; D1's is in `faulty.ts`.
 * Half of each wait comes before the call and half after it, in the router: an object that waited itself would
 * hold up its other callers.
 */
import { env } from "cloudflare:workers";
import { generator } from "../../random.ts";
import { type Distance, drawDelay, drawLoss, hash32, type Place } from "../distance.ts";

/** Longer than any time-out of the Worker's: an answer that has not come until then never comes. */
const SILENCE_MS = 20_000;

const distance = JSON.parse(env.DISTANCE) as Distance;
const ROUTER_SEED = hash32(`${distance.seed}/${env.ROUTER ?? 0}`);

/** Calls of this isolate so far. */
let calls = 0;

/** What happened to the calls of one request. */
export interface Way {
  /** Bindings of the objects whose answers got lost, each as often as that happened. */
  dropped: string[];
}

/** The router's bindings for one request, with its objects at a distance. */
export function distantEnv(near: RouterEnv, way: Way): RouterEnv {
  return {
    ...near,
    PAGE: distantObjects("PAGE", near, way),
    LIMITER: distantObjects("LIMITER", near, way),
    ERROR_LOG: distantObjects("ERROR_LOG", near, way),
  };
}

/** What goes out by `fetch` is for the hub; the simulator's own services have a `fetch` of their own. */
const { fetch } = globalThis;
globalThis.fetch = (input, init) => travel("hub", [String(input)], () => fetch(input, init));

/** On their prototypes, which the page renderer shares. */
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

type Binding = "PAGE" | "LIMITER" | "ERROR_LOG";

function distantObjects(binding: Binding, near: RouterEnv, way: Way): ObjectNamespace {
  const onDrop = () => void way.dropped.push(binding);
  return { getByName: (name) => distantObject(name, near[binding].getByName(name), onDrop) };
}

/** The same methods, each with a way there and back, on which its answer may get lost. */
function distantObject(name: string, near: ObjectStub, onDrop: () => void): ObjectStub {
  return new Proxy(near, {
    get(_, method) {
      const real: unknown = Reflect.get(near, method);
      if (typeof method !== "string" || typeof real !== "function") return real;
      return async (...args: unknown[]) => {
        // What is handed over as a number has a random key: only its sender can say that it is one.
        if (method === "recordLimited") await noteHandOver(name, args);
        // As a method of the stub itself: the proxy is none of the platform's objects.
        const call = async () => Reflect.apply(real, near, args);
        return travel("object", [method, ...args], call, onDrop);
      };
    },
  });
}

async function noteHandOver(page_id: string, [events]: readonly unknown[]): Promise<void> {
  const body = JSON.stringify({ page_id, events });
  await env.HAND_OVERS.fetch("http://hand-overs/", { method: "POST", body });
}

/** Makes a call at a distance. With `onDrop` its answer may get lost. */
async function travel<T>(
  place: Place,
  says: readonly unknown[],
  call: () => Promise<T>,
  onDrop?: () => void,
): Promise<T> {
  calls += 1;
  // Drawn for what the call says too: an isolate begins with `calls` at 0 after each SIGKILL.
  const random = generator(ROUTER_SEED ^ hash32(`${calls} ${JSON.stringify(says)}`));
  const half_ms = drawDelay(place, distance, random) / 2;
  const loss = onDrop === undefined ? "none" : drawLoss(distance, random);
  await pause(half_ms);
  const answer = await call();
  await pause(half_ms);
  if (onDrop === undefined || loss === "none") return answer;
  onDrop();
  if (loss === "silence") await pause(SILENCE_MS);
  throw new Error("Network connection lost, says the simulator");
}

async function pause(ms: number): Promise<void> {
  if (ms >= 1) await new Promise((resolve) => setTimeout(resolve, ms));
}
