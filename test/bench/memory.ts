/** The parent process's side of `weigh.ts`: the memory of a page and of a limiter. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A page with 280 events per second remembers this many ids: those of its last hour. */
export const IDS = 1_000_000;
export const WINDOWS = 100_000;
/** Admissions in a window. */
export const TIMES = 5;

export interface Memory {
  /** Bytes of a page object that remembers `IDS` events. */
  page_bytes: number;
  /** Bytes of one sender's window with `TIMES` admissions, its key included. */
  window_bytes: number;
}

export async function measureMemory(): Promise<Memory> {
  const child = fork(fileURLToPath(new URL("weigh.ts", import.meta.url)), { execArgv: [] });
  const [measured] = await Promise.race([
    once(child, "message"),
    once(child, "exit").then(() => Promise.reject(new Error("weighing failed"))),
  ]);
  return measured as Memory;
}
