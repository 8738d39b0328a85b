/**
 * Broken on purpose, to prove that the simulator finds it: requests of one router to the same page wait
 * for one of them, which calls for all, and have no timers of their own. The runtime cancels a request
 * that waits for no I/O of its own; and if the client of the calling request hangs up, the others are
 * never answered.
 */
import { RECORD_TIMEOUT_MS } from "../../../src/http/limits.ts";
import { routerAt } from "./faulty.ts";

export * from "./faulty.ts";

export default routerAt((env) => ({
  ...env,
  PAGE: {
    getByName: (page_id) => {
      const page = env.PAGE.getByName(page_id);
      const record = (event: unknown) => shareCall(page_id, event, (one) => page.record(one));
      return new Proxy(page, {
        get: (_, method) => (method === "record" ? record : Reflect.get(page, method)),
      });
    },
  },
}));

interface Waiting {
  event: unknown;
  resolve: (receipt: unknown) => void;
  reject: (reason: unknown) => void;
}

/** Requests that wait for another one, which is calling their page. */
const lines = new Map<string, Waiting[]>();

async function shareCall(
  page_id: string,
  event: unknown,
  record: (event: unknown) => Promise<unknown>,
): Promise<unknown> {
  const line = lines.get(page_id);
  if (line !== undefined) {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    line.push({ event, resolve, reject });
    return promise;
  }
  lines.set(page_id, []);
  const receipt = await record(event);
  const waiting = lines.get(page_id) ?? [];
  lines.delete(page_id);
  for (const { event, resolve, reject } of waiting) record(event).then(resolve, reject);
  return receipt;
}

/** The router's own time-out for a page would keep each request alive. */
const { setTimeout } = globalThis;
globalThis.setTimeout = Object.assign((callback: () => void, ms?: number) => {
  return ms === RECORD_TIMEOUT_MS ? 0 : setTimeout(callback, ms);
}, setTimeout);
