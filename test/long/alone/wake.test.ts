/** CPU and memory that the fullest page needs to start (docs/faults.md F28). */
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { scratchFolder } from "../../server/scratch.ts";
import { slowness } from "../slowness.ts";
import { fill, IDS, JOURNAL_EVENTS, openStorage } from "./fullest-page.ts";
import type { Woken } from "./wake.ts";

const WAKE_CPU_MS = 300;
/** A checkpoint of the whole journal and a flush: with the start, still within the platform's limit. */
const FLUSH_CPU_MS = 300;
const MEMORY_BYTES = 64 * 1_024 * 1_024;
/** Other processes on this machine only make a run slower, so the best one counts. */
const RUNS_MAX = 10;

const run = promisify(execFile);
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(await scratchFolder(), "sila-wake-"));
  const storage = openStorage(join(folder, "full"));
  fill(storage);
  storage.close();
}, 60_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

/** In a process of its own, because an object starts with cold code. */
async function wake(): Promise<Woken> {
  const file = join(folder, "awake");
  await copyFile(join(folder, "full"), file);
  const script = fileURLToPath(new URL("./wake.ts", import.meta.url));
  const { stdout } = await run(process.execPath, ["--expose-gc", script, file]);
  return JSON.parse(stdout) as Woken;
}

test("F28: the fullest page starts in 300 ms of CPU and 64 MB, and flushes in 300 ms", async () => {
  const best = { wake: Number.POSITIVE_INFINITY, flush: Number.POSITIVE_INFINITY };
  for (let i = 0; i < RUNS_MAX; i += 1) {
    const before = slowness().cpu;
    const woken = await wake();
    const slower = Math.max(before, slowness().cpu);
    expect(woken.knows).toEqual([true, true, false]);
    expect(woken.journal_events).toBe(JOURNAL_EVENTS);
    expect(Math.max(...woken.memory_bytes)).toBeLessThan(MEMORY_BYTES);
    best.wake = Math.min(best.wake, woken.wake_cpu_ms / slower);
    best.flush = Math.min(best.flush, woken.flush_cpu_ms / slower);
    if (best.wake <= WAKE_CPU_MS && best.flush <= FLUSH_CPU_MS) break;
  }
  expect(IDS).toBe(3_600_000);
  expect(best.wake).toBeLessThanOrEqual(WAKE_CPU_MS);
  expect(best.flush).toBeLessThanOrEqual(FLUSH_CPU_MS);
}, 120_000);
