/** How long the statistics of the fullest page take, D1 and the Worker together: `worker/history.ts`. */
import { type Figure, figure } from "./figure.ts";
import { HISTORY_VIEWS, type HistoryView } from "./reading.ts";
import type { BenchServer } from "./server.ts";

/** Milliseconds of an answer. */
export type History = ReadonlyMap<HistoryView, Figure>;

export async function measureHistory(server: BenchServer, rounds: number): Promise<History> {
  await server.fillHistory();
  const times = new Map<HistoryView, number[]>();
  // The first round warms V8 up and is not measured.
  for (let round = 0; round <= rounds; round += 1) {
    for (const view of Object.keys(HISTORY_VIEWS) as HistoryView[]) {
      const begun = performance.now();
      await server.readHistory(view);
      const ms = performance.now() - begun;
      if (round > 0) times.set(view, [...(times.get(view) ?? []), ms]);
    }
  }
  return new Map(Array.from(times, ([view, ms]) => [view, figure(ms)]));
}
