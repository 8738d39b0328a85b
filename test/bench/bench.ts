/**
 * `npm run bench`: how fast the service counts and what it costs, beside a bare floor: a Worker of ten lines
 * that parses the beacon and answers. Checks after each load that every acknowledged event is counted once.
 *
 *   --parts speed,cost       only these parts of: speed, commits, batches, cost, visits, startup,
 *                            history
 *   --only hot_16,redirect   only these scenarios of the part `speed`, and the bare floor
 *   --rounds 3               slices of each scenario, and runs of everything else
 *   --seconds 1              seconds of each slice
 *   --connections 64         connections at the same time
 *   --scale 1                part of the events and hours of the other parts
 *   --write                  writes the tables of docs/performance.md
 *   --help                   this text
 *
 * Exit code 1 if something that must be reached is missed, or if an event is lost or counted twice. The state
 * is on a disk, in a temporary folder; `TMPDIR` chooses another.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { bundleWorker } from "../../src/commands/serve/bundle.ts";
import { scratchFolder } from "../../src/commands/serve/scratch.ts";
import { runCommand } from "../command-line.ts";
import { measureBatches } from "./batches.ts";
import { Clients } from "./clients.ts";
import { canTrace, measureCommits, traced } from "./commits.ts";
import { measureCost, PLANS, type PlanName } from "./cost.ts";
import { diskFolder } from "./disk.ts";
import { Loads } from "./exactness.ts";
import { goals } from "./goals.ts";
import { measureHistory } from "./history.ts";
import { help, type Options, readOptions } from "./options.ts";
import { measureQuiet } from "./quiet.ts";
import { machine, type Report, render, verdict, writeDocument } from "./report.ts";
import type { Results } from "./results.ts";
import { SCENARIOS, type Setting, SHARDS, Supply } from "./scenarios.ts";
import { BenchServer, failures, Server, type Vars } from "./server.ts";
import { measureStartup } from "./startup.ts";
import { COLD_PAGES_PER_S, measureSpeed } from "./throughput.ts";
import { filesOfPage, priceOfVisit } from "./visits.ts";

const ENTRY = "test/bench/worker/index.ts";
const COMMIT_SETTINGS = ["16", "4", "1"] as const;

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
  else if (text !== "")
    process.stderr.write(`${process.uptime().toFixed(0).padStart(4)} s ${text}\n`);
}

class Run {
  readonly loads: Loads;
  readonly #options: Options;
  readonly #folder: string;
  /** Where no group waits for a disk, the state may be in memory: only rows are counted. */
  readonly #memory: string;
  readonly #script: string;
  #servers = 0;

  constructor(options: Options, folder: string, memory: string, script: string, clients: Clients) {
    this.#options = options;
    this.#folder = folder;
    this.#memory = memory;
    this.#script = script;
    this.loads = new Loads(clients);
  }

  async all(): Promise<Results> {
    const { parts, pace } = this.#options;
    const results: Results = {};
    if (parts.has("speed")) results.speeds = await this.#speeds();
    if (parts.has("commits")) results.commits = await this.#commits();
    if (parts.has("batches")) results.batches = await this.#batches();
    if (parts.has("cost") || parts.has("visits")) results.bills = await this.#bills();
    if (parts.has("visits")) results.visits = await this.#visits(results);
    if (parts.has("startup")) {
      progress("start-up");
      results.startup_ms = await measureStartup(this.#folder, pace.rounds);
    }
    if (parts.has("history")) {
      progress("the statistics of eleven years");
      results.history = await this.#with("own", "0", (server) =>
        measureHistory(server, pace.rounds),
      );
    }
    return results;
  }

  async #speeds() {
    const { scenarios, pace } = this.#options;
    const cold = Math.ceil(pace.seconds * (pace.rounds + 1) * COLD_PAGES_PER_S);
    const servers = new Map<Setting, Server>();
    try {
      for (const setting of new Set(scenarios.map((name): Setting => SCENARIOS[name].setting))) {
        progress(`starting: ${setting}`);
        servers.set(
          setting,
          setting === "bare"
            ? await Server.bare(this.#newFolder())
            : await this.#serve(setting, "0", setting === "own" ? cold : 1),
        );
      }
      const supply = new Supply();
      return await measureSpeed(scenarios, servers, this.loads, supply, cold, pace, progress);
    } finally {
      for (const server of servers.values()) await server.dispose();
    }
  }

  async #commits() {
    if (!canTrace()) return null;
    const { pace } = this.#options;
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
    const { pace, scale } = this.#options;
    return this.#with("own", "0", (server) =>
      measureBatches(server, this.loads, pace.rounds, scale),
    );
  }

  async #bills() {
    const { parts, pace, scale } = this.#options;
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
          bills.set(name, await measureCost(name, server, this.loads, supply, pace, scale));
        }
      });
    }
    return bills;
  }

  /** The prices of visits; null without a browser. */
  async #visits({ bills }: Results): Promise<Exclude<Results["visits"], undefined>> {
    progress("pages with one event in ten minutes");
    const { loads } = this;
    const { scale } = this.#options;
    const measure = (server: BenchServer) => measureQuiet(server, loads, new Supply(), scale);
    const quiet = await this.#with("16", "1", measure, this.#memory);
    progress("files of a page");
    const files = await filesOfPage();
    const each = bills?.get("visits")?.each;
    if (files === null || each === undefined) return null;
    const hot = Object.fromEntries(
      Object.entries(each).map(([line, { median }]) => [line, median]),
    ) as typeof quiet;
    const n = files.worker.length;
    return { files, hot: priceOfVisit(hot, n), quiet: priceOfVisit(quiet, n) };
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

async function main(options: Options): Promise<number> {
  const place = await diskFolder();
  const folder = await mkdtemp(join(place.folder, "sila-bench-"));
  const memory = await mkdtemp(join(await scratchFolder(), "sila-bench-"));
  const clients = new Clients();
  try {
    progress("building");
    const script = await bundleWorker(join(folder, "bundle"), ENTRY);
    const { version } = createRequire(import.meta.resolve("miniflare"))("workerd/package.json");
    const run = new Run(options, folder, memory, script, clients);
    const results = await run.all();
    const report: Report = {
      machine: machine(version, place.in_memory ? "memory" : "files on disk"),
      pace: options.pace,
      checked: run.loads.checked,
      failures,
      results,
      goals: goals(results),
    };
    progress("");
    process.stdout.write(`${render(report)}\n\n${verdict(report.goals)}\n`);
    if (options.write) await writeDocument(report);
    return report.goals.every(({ reached }) => reached) ? 0 : 1;
  } finally {
    clients.stop();
    for (const used of [folder, memory]) await rm(used, { recursive: true, force: true });
  }
}

process.exitCode = await runCommand(() => readOptions(process.argv.slice(2)), help, main);
