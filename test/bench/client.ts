/**
 * The clients, in a process of their own: a fixed number of connections, each of which sends its next
 * request after the answer to its last. `clients.ts` controls it over IPC; it ends when its parent does.
 */
import { createHistogram } from "node:perf_hooks";
import { Connection, headerOf } from "./connection.ts";
import { type Requests, requestMaker } from "./requests.ts";

export interface Load {
  port: number;
  connections: number;
  requests: Requests;
  /** Part of this load's event ids, which makes them different from all others. */
  run: string;
  max_requests: number;
  /** The requests that are under way then are answered first. */
  max_s: number;
}

export interface Measured {
  requests: number;
  seconds: number;
  p50_ms: number;
  p99_ms: number;
  /** The number of answers by kind: `202 counted`, `429`, … */
  answers: Record<string, number>;
}

function run(load: Load): Promise<Measured> {
  const make = requestMaker(load.requests, load.run);
  const latencies_us = createHistogram();
  const answers: Record<string, number> = {};
  const connections = Array.from(
    { length: Math.min(load.connections, load.max_requests) },
    () => new Connection(load.port),
  );
  const started = performance.now();
  let sent = 0;
  let open = connections.length;
  return new Promise((resolve, reject) => {
    const next = (connection: Connection) => {
      const at = performance.now();
      if (sent >= load.max_requests || at - started > load.max_s * 1_000) {
        connection.close();
        open -= 1;
        if (open === 0) finish(at);
        return;
      }
      const request = make(sent);
      sent += 1;
      connection.send(
        request,
        (head) => {
          latencies_us.record(Math.max(1, Math.round((performance.now() - at) * 1_000)));
          const outcome = headerOf(head, "x-beacon-outcome");
          const answer = outcome === null ? head.slice(9, 12) : `${head.slice(9, 12)} ${outcome}`;
          answers[answer] = (answers[answer] ?? 0) + 1;
          next(connection);
        },
        reject,
      );
    };
    const finish = (at: number) => {
      resolve({
        requests: sent,
        seconds: (at - started) / 1_000,
        p50_ms: latencies_us.percentile(50) / 1_000,
        p99_ms: latencies_us.percentile(99) / 1_000,
        answers,
      });
    };
    for (const connection of connections) next(connection);
  });
}

process.on("message", async (load: Load) => {
  try {
    process.send?.({ measured: await run(load) });
  } catch (error) {
    process.send?.({ error: String(error) });
  }
});
process.once("disconnect", () => process.exit(0));
