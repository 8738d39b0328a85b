/**
 * Starts the fullest page in a process of its own, with cold code like an object, and prints what it
 * took: `node --expose-gc test/long/alone/wake.ts <file>`, with a file that `fullest-page.ts` has filled.
 */
import { PageCounter } from "../../../objects/page/page-counter.ts";
import type { PageRow } from "../../../objects/page/page-row.ts";
import type { Clock, Database } from "../../../objects/platform/ports.ts";
import { NOW, openStorage } from "./fullest-page.ts";

export interface Woken {
  wake_cpu_ms: number;
  /** Additional memory after the start and after the flush. */
  memory_bytes: number[];
  /** Whether it remembers the first stored id, one of the journal, and not one that was never sent. */
  knows: boolean[];
  flush_cpu_ms: number;
  journal_events: number;
}

const clock: Clock = { now: () => NOW, after: () => () => {} };
const PAGE: PageRow = {
  status: "published",
  version: 1,
  locale: "ar",
  time_zone: "UTC",
  card: null,
  links: "[]",
};
/** A D1 that accepts everything and answers each statement with its numbers and the page at once. */
const ROW = { n: Number.MAX_SAFE_INTEGER, ...PAGE };
const statement = {
  bind: () => statement,
  all: async <R>() => ({ results: [{ ...ROW, n: 0 }] as R[] }),
};
const db: Database = {
  prepare: () => statement,
  batch: async <R>(statements: unknown[]) => statements.map(() => ({ results: [ROW] as R[] })),
};

/** The memory of this process after a garbage collection: buffers are freed a moment after the heap. */
async function memory(): Promise<number> {
  for (let i = 0; i < 3; i += 1) {
    (globalThis as { gc?: () => void }).gc?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function cpu_ms(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}

const storage = openStorage(process.argv[2] ?? "");
const [first] = storage.sql.exec<{ key: string }>(
  "SELECT lower(hex(substr(keys, 1, 8))) AS key FROM checkpoints ORDER BY seq LIMIT 1",
);
const [last] = storage.sql.exec<{ key: string }>(
  "SELECT lower(hex(substr(events, 9, 8))) AS key FROM journal ORDER BY seq DESC LIMIT 1",
);
const [stored] = storage.sql.exec<{ n: number }>("SELECT SUM(n) AS n FROM tallies");
const asked = [first?.key ?? "", last?.key ?? "", "0123456789abcdef"];
const before = await memory();
const waking = process.cpuUsage();
const counter = new PageCounter({
  storage,
  db,
  clock,
  random: () => 0,
  pageId: () => "fullest",
  flush_interval_ms: 60_000,
  abort: (reason) => {
    throw new Error(reason);
  },
  onFlushFailed: () => {},
});
await counter.ready();
const knows = counter.remembers(asked);
const wake_cpu_ms = cpu_ms(waking);
const woken_bytes = (await memory()) - before;
const flushing = process.cpuUsage();
await counter.flush();
const flush_cpu_ms = cpu_ms(flushing);
const memory_bytes = [woken_bytes, (await memory()) - before];
const accepted = counter.totals().reduce((sum, { accepted }) => sum + accepted, 0);
const journal_events = accepted - (stored?.n ?? 0);
const woken: Woken = { wake_cpu_ms, memory_bytes, knows, flush_cpu_ms, journal_events };
process.stdout.write(`${JSON.stringify(woken)}\n`);
