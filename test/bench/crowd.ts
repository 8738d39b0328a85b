/**
 * Memory of workerd while thousands of senders have a limiter object each. They send one request each, as
 * fast as they are answered, because an object is evicted when it was idle for ten seconds.
 */
import type { Loads } from "./exactness.ts";
import { type Figure, figure } from "./figure.ts";
import type { Supply } from "./scenarios.ts";
import { assertAnswers, SCENARIOS } from "./scenarios.ts";
import type { BenchServer } from "./server.ts";

export const CROWD = 4_000;
const MB = 1_000_000;
const SAMPLE_MS = 100;
const MAX_S = 60;
/** Requests before the crowd, so that code and caches are warm. */
const WARM_UP = 200;

export interface Crowd {
  before_mb: Figure;
  /** The most that it took at any moment. */
  most_mb: Figure;
  seconds: Figure;
}

export async function measureCrowd(
  start: () => Promise<BenchServer>,
  loads: Loads,
  supply: Supply,
  connections: number,
  runs: number,
  scale: number,
): Promise<Crowd | null> {
  const measured = [];
  for (let run = 0; run < runs; run += 1) {
    const server = await start();
    try {
      const load = async (senders: number) => {
        const requests = {
          ...SCENARIOS.new_own.requests,
          targets: "views",
          page_from: 0,
          sender_from: supply.addresses(senders),
          senders,
          company: senders,
          visits: 1,
        } as const;
        const max = { max_requests: senders, max_s: MAX_S };
        const sent = await loads.run(server, { connections, requests, ...max });
        assertAnswers(sent, ["202 counted"]);
        if (sent.requests < senders) throw new Error(`${senders} senders took over ${MAX_S} s`);
        return sent.seconds;
      };
      await load(WARM_UP);
      const before = await server.memory();
      let most = 0;
      const sample = async () => {
        most = Math.max(most, (await server.memory()) ?? 0);
      };
      const sampling = setInterval(sample, SAMPLE_MS);
      const seconds = await load(Math.round(CROWD * scale)).finally(() => clearInterval(sampling));
      await sample();
      if (before === null || most === 0) return null;
      measured.push({ before: before / MB, most: most / MB, seconds });
    } finally {
      await server.dispose();
    }
  }
  return {
    before_mb: figure(measured.map(({ before }) => before)),
    most_mb: figure(measured.map(({ most }) => most)),
    seconds: figure(measured.map(({ seconds }) => seconds)),
  };
}
