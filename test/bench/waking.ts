/** The start of the fullest page, in a process of its own each time: `test/bench/wake.ts`. */
import { execFile } from "node:child_process";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Figure, figure } from "./figure.ts";
import type { Woken } from "./wake.ts";

const MIB = 2 ** 20;

export interface Waking {
  cpu_ms: Figure;
  /** Of a checkpoint and a flush after the start. */
  flush_cpu_ms: Figure;
  memory_mib: Figure;
}

export async function measureWaking(folder: string, runs: number): Promise<Waking> {
  const { fill, openStorage } = await import("./fullest-page.ts");
  const full = join(folder, "full");
  const storage = openStorage(full);
  fill(storage);
  storage.close();
  const script = fileURLToPath(new URL("./wake.ts", import.meta.url));
  const woken: Woken[] = [];
  for (let run = 0; run < runs; run += 1) {
    const awake = join(folder, "awake");
    await copyFile(full, awake);
    const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", script, awake]);
    woken.push(JSON.parse(stdout) as Woken);
  }
  return {
    cpu_ms: figure(woken.map(({ wake_cpu_ms }) => wake_cpu_ms)),
    flush_cpu_ms: figure(woken.map(({ flush_cpu_ms }) => flush_cpu_ms)),
    memory_mib: figure(woken.map(({ memory_bytes }) => Math.max(...memory_bytes) / MIB)),
  };
}
