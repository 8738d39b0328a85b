/**
 * `npm run bench`: how fast the service counts and what it costs, compared with the cheapest possible route
 * ("floor") and a naive design.
 *
 *   --seconds 1        seconds of each slice     --only hot_own,redirect   only these scenarios and the floor
 *   --rounds 4         slices of each scenario   --connections 64          connections at the same time
 *   --json             figures as JSON           --markdown                the tables of docs/performance.md
 *   --seed 42          seed of the random order  --help                    this text
 *
 * Exit code 1 if a goal is missed. The state is in the system's temporary folder: that should be on a real
 * disk and not in memory, where a commit costs nothing.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { generator } from "../random.ts";
import { bundleWorker } from "../server/bundle.ts";
import { scratchFolder } from "../server/scratch.ts";
import { Clients } from "./clients.ts";
import { type Bill, measureCost, PLANS, type PlanName } from "./cost.ts";
import { goals } from "./goals.ts";
import { measureMemory } from "./memory.ts";
import { readOptions } from "./options.ts";
import { machine, type Report, render, verdict } from "./report.ts";
import { SCENARIOS, type ScenarioName, type Setting, SHARDS, Supply } from "./scenarios.ts";
import { BenchServer } from "./server.ts";
import { COLD_PAGES_PER_S, measureSpeed } from "./throughput.ts";

const ENTRY = "test/bench/worker/index.ts";
/** Cold pages: enough for the cost of an uncached page. */
const METERED_COLD_PAGES = 1_000;

const { pace, only, scale, seed, json, markdown } = readOptions(
  Object.keys({ ...SCENARIOS, ...PLANS }),
);
const names = namesOf<ScenarioName>(SCENARIOS, only && ["floor", ...only]);
const plans = namesOf<PlanName>(PLANS, only);

/** The names in a table's order; all of them, or only these. */
function namesOf<Name extends string>(
  table: Readonly<Record<Name, unknown>>,
  wanted: readonly string[] | undefined,
): Name[] {
  return (Object.keys(table) as Name[]).filter((name) => wanted?.includes(name) ?? true);
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

async function speeds(script: string, folder: string, clients: Clients): Promise<Report["speeds"]> {
  const cold = Math.ceil(pace.seconds * (pace.rounds + 1) * COLD_PAGES_PER_S);
  const servers = {
    own: await serve("own", script, folder, "0", cold),
    shared: await serve("shared", script, folder, "0", 1),
  };
  try {
    const random = generator(Number(seed));
    return await measureSpeed(names, servers, clients, new Supply(), cold, pace, random, progress);
  } finally {
    for (const server of Object.values(servers)) await server.dispose();
  }
}

async function bills(script: string, folder: string, clients: Clients): Promise<Report["bills"]> {
  const measured = new Map<PlanName, Bill>();
  for (const setting of ["own", "shared"] as const) {
    const supply = new Supply();
    const server = await serve(setting, script, folder, "1", METERED_COLD_PAGES);
    try {
      for (const name of plans.filter((plan) => PLANS[plan].setting === setting)) {
        progress(`cost: ${name}`);
        const { connections } = pace;
        measured.set(
          name,
          await measureCost(name, server, clients, supply, METERED_COLD_PAGES, connections, scale),
        );
      }
    } finally {
      await server.dispose();
    }
  }
  return new Map(plans.flatMap((name) => [...measured].filter(([measured]) => measured === name)));
}

function serve(setting: Setting, script: string, folder: string, METER: "0" | "1", cold: number) {
  progress(`starting: limiters ${setting}`);
  const vars = { LIMITER_SHARDS: SHARDS[setting], METER };
  return BenchServer.start(script, join(folder, `${setting}-${METER}`), vars, cold);
}

const parent = await scratchFolder();
const folder = await mkdtemp(join(parent, "sila-bench-"));
const clients = new Clients();
try {
  progress("building");
  const script = await bundleWorker(join(folder, "bundle"), ENTRY);
  const { version } = createRequire(import.meta.resolve("miniflare"))("workerd/package.json");
  const results = {
    speeds: await speeds(script, folder, clients),
    bills: await bills(script, folder, clients),
  };
  const report: Report = {
    machine: machine(version, parent),
    pace,
    ...results,
    memory: await measureMemory(),
    goals: goals(results),
  };
  progress("");
  if (json) {
    const { speeds, bills, ...rest } = report;
    const tables = { speeds: Object.fromEntries(speeds), bills: Object.fromEntries(bills) };
    process.stdout.write(`${JSON.stringify({ seed, ...rest, ...tables }, null, 2)}\n`);
  } else {
    process.stdout.write(`${render(report, markdown)}\n\n${verdict(report.goals)}\n`);
  }
  if (report.goals.some(({ reached }) => !reached)) process.exitCode = 1;
} finally {
  clients.stop();
  await rm(folder, { recursive: true, force: true });
}
