/** A client of the blocks, which asks until it has a final answer, through another router each time. */
import { setTimeout as pause } from "node:timers/promises";

/** Pauses after failed tries; they double. */
const RETRY_MIN_MS = 50;
const RETRY_MAX_MS = 600;
/** Longer than any time-out of the Worker. */
const ANSWER_MS = 30_000;
/** From the later of the first try and the last recovery: then there must have been an answer. */
export const STUCK_MS = 60_000;
/** Tries from one address: below 10, the lowest limit in a minute. */
const TRIES_PER_ADDRESS = 8;
/** Without it clients would be bots. */
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/** Each kind of client has its own networks, of 1,024 clients with 256 addresses each. */
const NETWORKS = ["tips", "downloads", "newsletter", "suggestions", "evidence"] as const;
type Network = (typeof NETWORKS)[number];

export interface Asking {
  kind: Network;
  n: number;
}

export interface Answer {
  status: number;
  body: Uint8Array;
  location: string | null;
}

/** Nothing was final for `STUCK_MS`. */
export class Stuck extends Error {}
/** A final answer that nothing explains. */
export class Unexpected extends Error {}

export class Asker {
  readonly #routers: readonly string[];
  readonly #recovered: () => number;
  readonly #signal: AbortSignal;
  #requests = 0;

  /** @param recovered when everything worked again for the last time, in milliseconds of `performance.now` */
  constructor(routers: readonly string[], recovered: () => number, signal: AbortSignal) {
    this.#routers = routers;
    this.#recovered = recovered;
    this.#signal = signal;
  }

  /**
   * The first answer with one of these statuses. Missing answers and 5xx are tried again.
   *
   * @param isWhole of an answer that may be cut off
   *
   * @throws {Stuck}
   *
   * @throws {Unexpected}
   */
  async ask(
    by: Asking,
    path: string,
    init: RequestInit,
    statuses: readonly number[],
    isWhole: (answer: Answer) => boolean = () => true,
  ): Promise<Answer> {
    const begun_ms = performance.now();
    let retry_ms = RETRY_MIN_MS;
    for (let tries = 0; ; tries += 1) {
      this.#signal.throwIfAborted();
      const answer = await this.#try(by, tries, path, init);
      if (answer !== null && answer.status < 500) {
        if (!statuses.includes(answer.status)) {
          const text = new TextDecoder().decode(answer.body.subarray(0, 300));
          throw new Unexpected(`${init.method ?? "GET"} ${path}: ${answer.status} ${text}`);
        }
        if (isWhole(answer)) return answer;
      }
      if (this.isOver(begun_ms)) {
        throw new Stuck(`no answer to ${path}, the last was ${answer?.status ?? "none"}`);
      }
      await this.rest(retry_ms);
      retry_ms = Math.min(RETRY_MAX_MS, retry_ms * 2);
    }
  }

  isOver(begun_ms: number): boolean {
    return performance.now() > Math.max(begun_ms, this.#recovered()) + STUCK_MS;
  }

  async rest(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#signal });
  }

  async #try({ kind, n }: Asking, tries: number, path: string, init: RequestInit) {
    this.#requests += 1;
    const router = this.#routers[this.#requests % this.#routers.length] ?? "";
    const headers = new Headers(init.headers);
    headers.set("User-Agent", BROWSER);
    const network = 4 * NETWORKS.indexOf(kind) + (n >> 8);
    const host = Math.floor(tries / TRIES_PER_ADDRESS) & 255;
    headers.set("CF-Connecting-IP", `10.${32 + network}.${n & 255}.${host}`);
    try {
      const response = await fetch(new URL(path, router), {
        ...init,
        headers,
        redirect: "manual",
        signal: AbortSignal.any([this.#signal, AbortSignal.timeout(ANSWER_MS)]),
      });
      const body = new Uint8Array(await response.arrayBuffer());
      const location = response.headers.get("Location");
      return { status: response.status, body, location } satisfies Answer;
    } catch {
      // No router listens while workerd starts.
      return null;
    }
  }
}

export function jsonOf<T>({ body }: Answer): T {
  return JSON.parse(new TextDecoder().decode(body)) as T;
}
