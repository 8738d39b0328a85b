/**
 * `npm run bench`: how fast the service counts and what it costs, beside a bare floor: a Worker of ten lines
 * that parses the beacon and answers. Checks after each load that every acknowledged event is counted once.
 *
 *   --parts speed,cost       only these parts of: speed, commits, batches, cost, quiet, visits, waking, crowd, size
 *   --only hot_16,redirect   only these scenarios of the part `speed`, and the bare floor
 *   --rounds 3               slices of each scenario, and runs of everything else
 *   --seconds 1              seconds of each slice
 *   --connections 64         connections at the same time
 *   --write                  writes the tables of docs/performance.md
 *   --markdown               prints these tables     --json       prints the figures as JSON
 *   --seed 42                seed of the order       --help       this text
 *
 * Exit code 1 if something that must be reached is missed, or if an event is lost or counted twice. The state
 * is on a disk, in a temporary folder; `TMPDIR` chooses another.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { generator } from "../random.ts";
import { bundleWorker } from "../server/bundle.ts";
import { scratchFolder } from "../server/scratch.ts";
import { measureBatches } from "./batches.ts";
import { Clients } from "./clients.ts";
import { canTrace, measureCommits, traced } from "./commits.ts";
import { measureCost, PLANS, type PlanName } from "./cost.ts";
import { measureCrowd } from "./crowd.ts";
import { diskFolder } from "./disk.ts";
import { writeDocument } from "./document.ts";
import { Loads } from "./exactness.ts";
import { goals } from "./goals.ts";
import { readOptions } from "./options.ts";
import { measureLoneEvent, measureQuiet } from "./quiet.ts";
import { machine, type Report, render, verdict } from "./report.ts";
import type { Results, VisitKind } from "./results.ts";
import { SCENARIOS, type ScenarioName, type Setting, SHARDS, Supply } from "./scenarios.ts";
import { BenchServer, failures, Server, type Vars } from "./server.ts";
import { measureSize } from "./size.ts";
import { COLD_PAGES_PER_S, measureSpeed } from "./throughput.ts";
import { filesOfPage, priceOfVisit, type Visit } from "./visits.ts";
import { measureWaking } from "./waking.ts";

const ENTRY = "test/bench/worker/index.ts";
const COMMIT_SETTINGS = ["16", "4", "1"] as const;

const { parts, only, scale, pace, seed, json, markdown, write } = readOptions(
  Object.keys(SCENARIOS),
);
const { rounds, connections } = pace;

/** One line that changes in a terminal, else a line for each step with the seconds since the start. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
  else if (text !== "")
    process.stderr.write(`${process.uptime().toFixed(0).padStart(4)} s ${text}\n`);
}

/** A run of the bench: its folder, its clients, and what they have used up. */
class Run {
  readonly loads: Loads;
  readonly #folder: string;
  /** Where no group waits for a disk, the state may be in memory: only rows are counted. */
  readonly #memory: string;
  readonly #script: string;
  #servers = 0;

  constructor(folder: string, memory: string, script: string, clients: Clients) {
    this.#folder = folder;
    this.#memory = memory;
    this.#script = script;
    this.loads = new Loads(clients);
  }

  async all(): Promise<Results> {
    const results: Results = {};
    if (parts.has("speed")) results.speeds = await this.#speeds();
    if (parts.has("commits")) results.commits = await this.#commits();
    if (parts.has("batches")) results.batches = await this.#batches();
    if (parts.has("cost") || parts.has("visits")) results.bills = await this.#bills();
    if (parts.has("quiet") || parts.has("visits"))
      Object.assign(results, await this.#quiet(results));
    if (parts.has("waking")) {
      progress("waking the fullest page");
      results.waking = await measureWaking(this.#folder, rounds);
    }
    if (parts.has("crowd")) results.crowd = await this.#crowd();
    if (parts.has("size")) {
      progress("size and start-up");
      results.size = await measureSize(this.#folder, rounds);
    }
    return results;
  }

  async #speeds() {
    const names = (Object.keys(SCENARIOS) as ScenarioName[]).filter(
      (name) => name === "bare" || (only?.includes(name) ?? true),
    );
    const cold = Math.ceil(pace.seconds * (rounds + 1) * COLD_PAGES_PER_S);
    const servers = new Map<Setting, Server>();
    try {
      for (const setting of new Set(names.map((name): Setting => SCENARIOS[name].setting))) {
        progress(`starting: ${setting}`);
        servers.set(
          setting,
          setting === "bare"
            ? await Server.bare(this.#newFolder())
            : await this.#serve(setting, "0", setting === "own" ? cold : 1),
        );
      }
      const random = generator(Number(seed));
      const supply = new Supply();
      const { loads } = this;
      return await measureSpeed(names, servers, loads, supply, cold, pace, random, progress);
    } finally {
      for (const server of servers.values()) await server.dispose();
    }
  }

  async #commits() {
    if (!canTrace()) return null;
    const measured = new Map<Setting, Awaited<ReturnType<typeof measureCommits>>>();
    for (const setting of COMMIT_SETTINGS) {
      progress(`commits: ${setting} limiter objects`);
      const folder = this.#newFolder();
      const tracing = await traced(folder, () => this.#serve(setting, "0"));
      try {
        measured.set(setting, await measureCommits(tracing, this.loads, new Supply(), pace));
      } finally {
        await tracing.server.dispose();
      }
    }
    return measured;
  }

  async #batches() {
    progress("batches");
    return this.#with("own", "0", (server) => measureBatches(server, this.loads, rounds, scale));
  }

  async #bills() {
    const bills = new Map<PlanName, Awaited<ReturnType<typeof measureCost>>>();
    for (const setting of ["16", "4", "1", "own"] as const) {
      const names = (Object.keys(PLANS) as PlanName[]).filter(
        (name) => PLANS[name].setting === setting && (parts.has("cost") || name === "visits"),
      );
      if (names.length === 0) continue;
      const supply = new Supply();
      await this.#with(setting, "1", async (server) => {
        for (const name of names) {
          progress(`cost: ${name}`);
          bills.set(
            name,
            await measureCost(name, server, this.loads, supply, connections, scale, rounds),
          );
        }
      });
    }
    return bills;
  }

  /** The lone event, and the price of visits. */
  async #quiet({ bills }: Results): Promise<Pick<Results, "lone" | "visits">> {
    const measured: Pick<Results, "lone" | "visits"> = {};
    const supply = new Supply();
    const { loads } = this;
    const inMemory = <T>(setting: "16" | "own", measure: (server: BenchServer) => Promise<T>) =>
      this.#with(setting, "1", measure, this.#memory);
    const shared = await inMemory("16", async (server) => {
      progress("a lone event");
      measured.lone = await measureLoneEvent(server, loads, supply, rounds);
      progress("pages with one event in ten minutes");
      return parts.has("visits") ? measureQuiet(server, loads, supply, scale) : null;
    });
    const hot = bills?.get("visits");
    if (shared === null || hot === undefined) return measured;
    const own = await inMemory("own", (server) => measureQuiet(server, loads, new Supply(), scale));
    progress("files of a page");
    const files = await filesOfPage();
    const n = files?.worker.length ?? 0;
    const medians = Object.fromEntries(
      Object.entries(hot.each).map(([line, { median }]) => [line, median]),
    ) as typeof own;
    const prices = new Map<VisitKind, Visit>([
      ["hot", priceOfVisit(medians, n)],
      ["quiet", priceOfVisit(shared, n)],
      ["quiet_own", priceOfVisit(own, n)],
    ]);
    return { ...measured, visits: { files, prices } };
  }

  #crowd() {
    progress("memory of limiter objects");
    // In memory, because a disk may take longer to make the objects than they are kept.
    const start = () => this.#serve("own", "0", 1, this.#memory);
    return measureCrowd(start, this.loads, new Supply(), connections, rounds, scale);
  }

  async #with<T>(
    setting: Exclude<Setting, "bare">,
    METER: Vars["METER"],
    measure: (server: BenchServer) => Promise<T>,
    folder = this.#folder,
  ): Promise<T> {
    const server = await this.#serve(setting, METER, 1, folder);
    try {
      return await measure(server);
    } finally {
      await server.dispose();
    }
  }

  #serve(
    setting: Exclude<Setting, "bare">,
    METER: Vars["METER"],
    cold = 1,
    folder = this.#folder,
  ): Promise<BenchServer> {
    const vars = { LIMITER_SHARDS: SHARDS[setting], METER };
    return BenchServer.start(this.#script, this.#newFolder(folder), vars, cold);
  }

  #newFolder(folder = this.#folder): string {
    this.#servers += 1;
    return join(folder, `server-${this.#servers}`);
  }
}

const place = await diskFolder();
const folder = await mkdtemp(join(place.folder, "sila-bench-"));
const memory = await mkdtemp(join(await scratchFolder(), "sila-bench-"));
const clients = new Clients();
try {
  progress("building");
  const script = await bundleWorker(join(folder, "bundle"), ENTRY);
  const { version } = createRequire(import.meta.resolve("miniflare"))("workerd/package.json");
  const run = new Run(folder, memory, script, clients);
  const results = await run.all();
  const report: Report = {
    machine: machine(version, place.in_memory ? "memory" : "files on disk"),
    pace,
    checked: run.loads.checked,
    failures,
    results,
    goals: goals(results),
  };
  progress("");
  if (json) {
    const maps = (_: string, value: unknown) =>
      value instanceof Map ? Object.fromEntries(value) : value;
    process.stdout.write(`${JSON.stringify({ seed, ...report }, maps, 2)}\n`);
  } else {
    process.stdout.write(`${render(report, markdown)}\n\n${verdict(report.goals)}\n`);
  }
  if (write) await writeDocument(report);
  if (report.goals.some(({ reached }) => !reached)) process.exitCode = 1;
} finally {
  clients.stop();
  for (const used of [folder, memory]) await rm(used, { recursive: true, force: true });
}
