/**
 * One rendering for all who miss an address at the same time, as the platform's cache has it. Only
 * where that cache does not exist: in development and in tests.
 *
 * The platform ties I/O to the request that began it. So each request waits for a promise of its
 * own, and what it is given are bytes, never another request's stream.
 */
import { withTimeout } from "../../objects/platform/clock.ts";

/** Longest wait for another request's rendering, in milliseconds; it may have vanished with it. */
export const WAIT_MS = 10_000;

/** Whether a promise that one request resolves is handed back to the request that awaits it. */
const CAN_SHARE = Cloudflare.compatibilityFlags.handle_cross_request_promise_resolution === true;

/** A response read to its end. */
interface Whole {
  body: ArrayBuffer;
  init: { status: number; headers: [string, string][] };
}

export class OneRendering {
  readonly #can_share: boolean;
  /** Who waits for the rendering of an address that is under way. */
  readonly #waiting = new Map<string, ((whole: Whole | null) => void)[]>();

  constructor(can_share: boolean = CAN_SHARE) {
    this.#can_share = can_share;
  }

  /** What `render` answers, called by this request or by one that came before it. */
  async of(url: string, render: () => Promise<Response>): Promise<Response> {
    const waiting = this.#can_share ? this.#waiting.get(url) : undefined;
    const another = waiting === undefined ? null : await wholeOfAnother(waiting);
    const { body, init } = another ?? (await this.#mine(url, render));
    return new Response(body, init);
  }

  async #mine(url: string, render: () => Promise<Response>): Promise<Whole> {
    const waiting: ((whole: Whole | null) => void)[] = [];
    this.#waiting.set(url, waiting);
    let whole: Whole | null = null;
    try {
      const response = await render();
      const init = { status: response.status, headers: [...response.headers] };
      whole = { body: await response.arrayBuffer(), init };
      return whole;
    } finally {
      if (this.#waiting.get(url) === waiting) this.#waiting.delete(url);
      for (const tell of waiting) tell(whole);
    }
  }
}

/** What another request is rendering; null where that came to nothing. */
function wholeOfAnother(waiting: ((whole: Whole | null) => void)[]): Promise<Whole | null> {
  const { promise, resolve } = Promise.withResolvers<Whole | null>();
  waiting.push(resolve);
  return withTimeout(promise, WAIT_MS).catch(() => null);
}
