/**
 * Promises as the runtime has them: what waits for a promise runs in the request that waits, even if
 * another request has settled it, and never runs once that request has ended.
 */
import type { AsyncLocalStorage } from "node:async_hooks";

interface Owner {
  alive: boolean;
}

/** Makes promises of requests owned while `work` runs. `current` has the request that is running. */
export async function withOwnedPromises<T>(
  current: AsyncLocalStorage<Owner>,
  work: () => Promise<T>,
): Promise<T> {
  class OwnedPromise<R> extends Promise<R> {
    static override get [Symbol.species]() {
      return Promise;
    }

    // biome-ignore lint/suspicious/noThenProperty: it is a promise
    override then<A = R, B = never>(
      fulfilled?: ((value: R) => A | PromiseLike<A>) | null,
      rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
    ): Promise<A | B> {
      const owner = current.getStore();
      const ifAlive = <V, W>(run: (value: V) => W) =>
        owner === undefined
          ? run
          : (value: V) => (owner.alive ? current.run(owner, run, value) : NEVER);
      const fail = (reason: unknown) => Promise.reject(reason);
      return super.then(
        ifAlive(fulfilled ?? ((value: R) => value as unknown as A)),
        ifAlive(rejected ?? fail),
      ) as Promise<A | B>;
    }
  }
  const { withResolvers } = Promise;
  Promise.withResolvers = <R>() => {
    const made = current.getStore() === undefined ? Promise : OwnedPromise;
    return withResolvers.call(made) as PromiseWithResolvers<R>;
  };
  try {
    return await work();
  } finally {
    Promise.withResolvers = withResolvers;
  }
}

const NEVER = new Promise<never>(() => {});
