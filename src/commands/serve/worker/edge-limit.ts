/**
 * The platform's rate limit on cacheable GETs (binding `EDGE_LIMIT`), for one machine: fixed
 * windows of a minute in memory. Miniflare's, in SQLite, reads all senders of the minute for each
 * new one.
 */
import { MINUTE_MS } from "../../../../objects/platform/clock.ts";
import { EDGE_LIMIT_PER_MINUTE } from "../../../http/limits.ts";

export class EdgeLimit implements RateLimit {
  readonly #counts = new Map<string, number>();
  #minute = 0;

  async limit({ key }: RateLimitOptions): Promise<RateLimitOutcome> {
    const minute = Math.floor(Date.now() / MINUTE_MS);
    if (minute !== this.#minute) this.#counts.clear();
    this.#minute = minute;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return { success: count <= EDGE_LIMIT_PER_MINUTE };
  }
}
