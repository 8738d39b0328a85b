/** Makes synchronous calls to workerd while it logs; prints what it has read during them, and after them. */
import { setTimeout as pause } from "node:timers/promises";
import { startLoudWorker } from "./loud-worker.ts";

/** 8 MB: forty times what fits into a pipe. */
const LINES = 4_000;
/** Milliseconds from the first call to the log, and to the last call. */
const LOG_AFTER_MS = 500;
const CALLS_MS = 2_000;

let lines = 0;
const { miniflare, dispose } = await startLoudWorker(() => {
  lines += 1;
});
const db = await miniflare.getD1Database("DB");
await miniflare.dispatchFetch(`http://worker/?lines=${LINES}&after_ms=${LOG_AFTER_MS}`);
// Each call is a synchronous request. The event loop does not run until the last one, so nothing is read.
for (const until_ms = Date.now() + CALLS_MS; Date.now() < until_ms; ) db.prepare("SELECT 1");
const read_meanwhile = lines;
while (lines < LINES) await pause(10);
await dispose();
console.log(JSON.stringify({ read_meanwhile, read: lines / LINES }));
