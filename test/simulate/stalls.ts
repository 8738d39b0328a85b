/**
 * Notes when the machine had no processor time for a run. On two processors with other work, workerd and the
 * process that stands in for D1 may wait for seconds, so that time-outs run out with nothing at fault.
 */
import { setTimeout as pause } from "node:timers/promises";
import { Pool } from "undici";
import type { Serving } from "../server/serving.ts";
import type { Downtime } from "./faults.ts";

/** Longer than an answer that needs no object and no store takes while the machine has time. */
const STALL_MS = 1_000;
const PACE_MS = 100;
/** For an answer; a killed workerd may leave the connection open. */
const GIVE_UP_MS = 30_000;

export class Stalls {
  readonly #serving: Serving;
  /** Connections of their own: those of the clients may all be waiting for slow answers. */
  readonly #pools: readonly Pool[];
  readonly #signal = new AbortController();
  readonly #watching: Promise<void>[];

  readonly found: Downtime[] = [];

  /** @param routers addresses of all routers */
  constructor(serving: Serving, routers: readonly string[]) {
    this.#serving = serving;
    const timeouts = { headersTimeout: GIVE_UP_MS, bodyTimeout: GIVE_UP_MS };
    this.#pools = routers.map((base) => new Pool(base, { connections: 1, ...timeouts }));
    this.#watching = [
      ...this.#pools.map((pool) => this.#watch(() => answerOf(pool))),
      this.#watch(() => this.#serving.call("ping")),
    ];
  }

  async close(): Promise<void> {
    this.#signal.abort();
    await Promise.all(this.#pools.map((pool) => pool.destroy()));
    await Promise.all(this.#watching);
  }

  /** Asks in a loop. A failed question is no stall: a kill has a downtime of its own. */
  async #watch(ask: () => Promise<void>): Promise<void> {
    while (!this.#signal.signal.aborted) {
      const from_ms = performance.now();
      const isAnswered = await ask().then(
        () => true,
        () => false,
      );
      const until_ms = performance.now();
      if (isAnswered && until_ms - from_ms > STALL_MS) {
        this.found.push({ what: "stall", page_id: null, from_ms, until_ms });
      }
      await pause(PACE_MS);
    }
  }
}

async function answerOf(pool: Pool): Promise<void> {
  const { body } = await pool.request({ path: "/health", method: "GET" });
  await body.dump();
}
