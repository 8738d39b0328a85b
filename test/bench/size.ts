/**
 * What a deployment uploads, and the CPU that it takes to start: a profile of `wrangler check startup`, in
 * which all but the idle samples count, collection of garbage and the runtime's own work among them.
 */

import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { bundleWorker, runNode } from "../server/bundle.ts";
import { type Figure, figure } from "./figure.ts";

const KB = 1_000;
const US_PER_MS = 1_000;

export interface Size {
  /** KB of JavaScript and of WebAssembly, gzipped. */
  script_kb: number;
  wasm_kb: number;
  startup_ms: Figure;
}

/** A profile of V8, as far as it is read here. */
interface Profile {
  nodes: { id: number; callFrame: { functionName: string } }[];
  samples: number[];
  /** Microseconds before each sample. */
  timeDeltas: number[];
}

export async function measureSize(folder: string, runs: number): Promise<Size> {
  const modules = dirname(await bundleWorker(join(folder, "deployed")));
  const size = { script_kb: 0, wasm_kb: 0 };
  for (const name of await readdir(modules)) {
    const kb = async () => gzipSync(await readFile(join(modules, name))).byteLength / KB;
    if (name.endsWith(".js")) size.script_kb += await kb();
    if (name.endsWith(".wasm")) size.wasm_kb += await kb();
  }
  const wrangler = createRequire(import.meta.url).resolve("wrangler");
  const startups: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const path = join(folder, `startup-${run}.cpuprofile`);
    await runNode(["--no-warnings", wrangler, "check", "startup", "--outfile", path]);
    startups.push(activeMs(JSON.parse(await readFile(path, "utf8")) as Profile));
  }
  return { ...size, startup_ms: figure(startups) };
}

function activeMs({ nodes, samples, timeDeltas }: Profile): number {
  const idle = new Set(
    nodes.filter(({ callFrame }) => callFrame.functionName === "(idle)").map(({ id }) => id),
  );
  return samples.reduce(
    (sum, id, i) => sum + (idle.has(id) ? 0 : (timeDeltas[i] ?? 0) / US_PER_MS),
    0,
  );
}
