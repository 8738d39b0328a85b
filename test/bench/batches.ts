/** CPU of the page object alone, by batches of 100 events: `worker/batches.ts`. */
import type { Loads } from "./exactness.ts";
import { type Figure, figure } from "./figure.ts";
import type { BenchServer } from "./server.ts";

const BATCHES = 200;
const US_PER_S = 1_000_000;
const PAGE_ID = "batch-0";
const PAGE = { lane: null, page_prefix: "batch-", pages: 1 } as const;

/** CPU microseconds per event. */
export interface Batches {
  record: Figure;
  /** Of the checkpoint and the flush after it, into D1. */
  flush: Figure;
}

/** Null where the system does not report CPU. */
export async function measureBatches(
  server: BenchServer,
  loads: Loads,
  rounds: number,
  scale: number,
): Promise<Batches | null> {
  const measured: { record: number; flush: number }[] = [];
  // The first round warms V8 up and is not measured.
  for (let round = 0; round <= rounds; round += 1) {
    await server.prepare(PAGE_ID, Math.max(2, Math.round(BATCHES * scale)));
    const before = await server.cpu();
    const events = await server.record(PAGE_ID);
    const after = await server.cpu();
    loads.acknowledged(server, PAGE, events);
    await loads.check(server, PAGE);
    const flushed = await server.cpu();
    if (before === null || after === null || flushed === null) return null;
    if (round === 0) continue;
    const each_us = (cpu_s: number) => (cpu_s / events) * US_PER_S;
    measured.push({ record: each_us(after - before), flush: each_us(flushed - after) });
  }
  return {
    record: figure(measured.map(({ record }) => record)),
    flush: figure(measured.map(({ flush }) => flush)),
  };
}
