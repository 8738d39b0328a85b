/**
 * The CPU that a deployment takes to start: a profile of `wrangler check startup`, in which all but the idle
 * samples count, collection of garbage and the runtime's own work among them.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { runNode } from "../../src/commands/serve/bundle.ts";
import { type Figure, figure } from "./figure.ts";

const US_PER_MS = 1_000;

interface Profile {
  nodes: { id: number; callFrame: { functionName: string } }[];
  samples: number[];
  /** Microseconds before each sample. */
  timeDeltas: number[];
}

/** In milliseconds. */
export async function measureStartup(folder: string, runs: number): Promise<Figure> {
  const wrangler = createRequire(import.meta.url).resolve("wrangler");
  const startups: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const path = join(folder, `startup-${run}.cpuprofile`);
    await runNode(["--no-warnings", wrangler, "check", "startup", "--outfile", path]);
    startups.push(activeMs(JSON.parse(await readFile(path, "utf8")) as Profile));
  }
  return figure(startups);
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
