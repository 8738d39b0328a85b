/** The parent's side of `weigh.ts`: what a page and a limiter hold in memory. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A page with 280 events a second remembers this many: all those of its last hour. */
export const IDS = 1_000_000;
export const WINDOWS = 100_000;
/** Admissions in a window. */
export const TIMES = 5;

export interface Memory {
  /** Of a page object that remembers `IDS` events, in bytes. */
  page_bytes: number;
  /** Of one sender's window with `TIMES` admissions, its key included, in bytes. */
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
