/**
 * The fault that the tests of distance must find: requests that share a call, as the router once did.
 * While a call is under way, the others wait for a promise that its request will resolve. A request that
 * waits for that alone has no I/O of its own, and the runtime cancels it.
 */

const waiting: (() => void)[] = [];
let is_calling = false;

/** Waits for a check of the limiter that starts after this call. */
export async function sharedCheck({ LIMITER }: Pick<Cloudflare.Env, "LIMITER">): Promise<void> {
  if (is_calling) {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push(resolve);
    return promise;
  }
  is_calling = true;
  try {
    for (let served: (() => void)[] = []; ; served = waiting.splice(0)) {
      const sender = crypto.randomUUID();
      await LIMITER.getByName("shared").check({ sender, scope: "shared", limit: 1 });
      for (const resolve of served) resolve();
      if (waiting.length === 0) return;
    }
  } finally {
    is_calling = false;
  }
}
