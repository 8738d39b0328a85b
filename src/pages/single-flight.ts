/**
 * One rendering for all requests that miss an address at the same time, as the platform's cache has
 * it. Used only by the stand-in for that cache.
 *
 * The platform ties I/O to the request that began it. So each request waits for a promise of its
 * own, and shares a buffered response with the others, never a stream.
 */
import { withTimeout } from "../../objects/platform/clock.ts";

/** Longest wait for another request's rendering, in milliseconds: that request may have been cancelled. */
export const WAIT_MS = 10_000;

/** Whether a promise that one request resolves continues in the request that awaits it. */
const CAN_SHARE = Cloudflare.compatibilityFlags.handle_cross_request_promise_resolution === true;

/** A response that was read to its end. */
interface BufferedResponse {
  body: ArrayBuffer;
  init: { status: number; headers: [string, string][] };
}

/** Called with null where the rendering failed. */
type Waiter = (response: BufferedResponse | null) => void;

export class SingleFlight {
  readonly #can_share: boolean;
  /** The requests that wait for a rendering in progress, by address. */
  readonly #waiters = new Map<string, Waiter[]>();

  constructor(can_share: boolean = CAN_SHARE) {
    this.#can_share = can_share;
  }

  /** The response of `render`, called for this request or for one that began earlier. */
  async do(url: string, render: () => Promise<Response>): Promise<Response> {
    const waiters = this.#can_share ? this.#waiters.get(url) : undefined;
    const shared = waiters === undefined ? null : await join(waiters);
    const { body, init } = shared ?? (await this.#lead(url, render));
    return new Response(body, init);
  }

  async #lead(url: string, render: () => Promise<Response>): Promise<BufferedResponse> {
    const waiters: Waiter[] = [];
    this.#waiters.set(url, waiters);
    let buffered: BufferedResponse | null = null;
    try {
      const response = await render();
      const init = { status: response.status, headers: [...response.headers] };
      buffered = { body: await response.arrayBuffer(), init };
      return buffered;
    } finally {
      if (this.#waiters.get(url) === waiters) this.#waiters.delete(url);
      for (const resolve of waiters) resolve(buffered);
    }
  }
}

/** The response of a rendering in progress; null where it failed or took too long. */
function join(waiters: Waiter[]): Promise<BufferedResponse | null> {
  const { promise, resolve } = Promise.withResolvers<BufferedResponse | null>();
  waiters.push(resolve);
  return withTimeout(promise, WAIT_MS).catch(() => null);
}
