/**
 * Throughput: short slices of every scenario in turn, in another order each round, so that noise and
 * other work of the machine affect all alike. The results are medians over the rounds; a ratio is that
 * of a slice to the bare floor's slice of the same round.
 */
import { integer } from "../random.ts";
import type { Measured } from "./client.ts";
import type { Loads } from "./exactness.ts";
import { type Figure, figure } from "./figure.ts";
import {
  assertAnswers,
  SCENARIOS,
  type Scenario,
  type ScenarioName,
  type Setting,
  type Supply,
} from "./scenarios.ts";
import type { Server } from "./server.ts";

const US_PER_S = 1_000_000;

/** Requests a sender may make in a minute (docs/contract.md section 6); one more is refused. */
const LIMIT = 60;
/**
 * The rate for which there are enough senders. If it were higher, some would be refused and the run would
 * be void. One object a sender is slower, and needs fewer objects then.
 */
const RATE_MAX = { own: 8_000, shared: 16_000 } as const;
/** How much longer the warm-up of a scenario is than its slices: V8 compiles what is called often. */
const WARM_UP = 2;
/** Requests of a returning sender in one slice. It sends in every other round, twice a minute or less. */
const PER_SLICE = 25;
/** New senders, one per request: enough for the fastest slice. */
const NEW_RATE_MAX = 30_000;
/** Senders repeat for as long as a slice lasts. */
const UNENDING = 1_000_000;
/** A limiter object that was idle for longer may be evicted, so it is called once before its slice. */
const WARM_UP_MAX_S = 30;

export interface Speed {
  per_s: Figure;
  p50_ms: Figure;
  p99_ms: Figure;
  /** CPU microseconds of workerd per request; other work of the machine affects them least. */
  cpu_us: Figure | null;
  /** The rate as a share of the bare floor's. */
  of_floor: Figure;
  /** The CPU per request as a multiple of the bare floor's. */
  cpu_of_floor: Figure | null;
}

interface Slice extends Measured {
  cpu_us: number | null;
}

export interface Pace {
  seconds: number;
  rounds: number;
  connections: number;
}

/** Pages that no slice has visited, for the uncached page: at most this many per second. */
export const COLD_PAGES_PER_S = 2_500;

export async function measureSpeed(
  names: readonly ScenarioName[],
  servers: ReadonlyMap<Setting, Server>,
  loads: Loads,
  supply: Supply,
  cold_pages: number,
  pace: Pace,
  progress: (text: string) => void,
): Promise<Map<ScenarioName, Speed>> {
  const slices = new Map(names.map((name) => [name, [] as Slice[]]));
  const senders = new Map<string, number>();

  const slice = async (name: ScenarioName, round: number, seconds: number): Promise<Slice> => {
    const { setting, requests, crowd, ...scenario }: Scenario = SCENARIOS[name];
    const server = servers.get(setting);
    if (server === undefined) throw new Error(`no server for ${name}`);
    const connections = crowd * pace.connections;
    const count = sendersOf(scenario.senders, setting, pace.seconds);
    // Returning senders take part in every other round; the others are new each time.
    const seat = `${name}/${round % 2}`;
    const known = scenario.senders === "returning" ? senders.get(seat) : undefined;
    const sender_from = known ?? supply.addresses(count);
    senders.set(seat, sender_from);
    const all = {
      ...requests,
      targets: "both",
      page_from: name === "uncached" ? supply.page : 0,
      sender_from,
      senders: count,
      company: count,
      visits: UNENDING,
    } as const;
    if (scenario.senders !== "new") {
      const warm = await loads.run(server, {
        connections,
        requests: all,
        max_requests: scenario.senders === "refused" ? 2 * LIMIT : count,
        max_s: WARM_UP_MAX_S,
      });
      // A sender that should be refused is admitted at first, and an object that starts may be late.
      assertAnswers(warm, [scenario.answer, "202 counted", "302"]);
    }
    const cpu_before = await server.cpu();
    let cpu: number | null = null;
    const measured = await loads.run(
      server,
      {
        connections,
        requests: all,
        max_requests: scenario.senders === "new" ? count : Number.MAX_SAFE_INTEGER,
        max_s: seconds,
      },
      async () => {
        cpu = await server.cpu();
      },
    );
    assertAnswers(measured, [scenario.answer], scenario.late_max);
    if (name === "uncached") supply.visited(measured.requests, cold_pages);
    if (scenario.senders === "new") supply.unused(count - measured.requests);
    const cpu_us =
      cpu === null || cpu_before === null
        ? null
        : ((cpu - cpu_before) / measured.requests) * US_PER_S;
    return { ...measured, cpu_us };
  };

  for (const name of names) {
    progress(`warming up: ${name}`);
    await slice(name, 0, pace.seconds * WARM_UP);
  }
  for (let round = 0; round < pace.rounds; round += 1) {
    for (const name of shuffled(names)) {
      progress(`round ${round + 1} of ${pace.rounds}: ${name}`);
      slices.get(name)?.push(await slice(name, round, pace.seconds));
    }
  }
  const floor = slices.get("bare") ?? [];
  return new Map(Array.from(slices, ([name, measured]) => [name, summary(measured, floor)]));
}

function sendersOf(kind: Scenario["senders"], setting: Setting, seconds: number): number {
  if (kind === "refused") return 1;
  if (kind === "new") return Math.ceil(NEW_RATE_MAX * seconds);
  return Math.ceil((RATE_MAX[setting === "own" ? "own" : "shared"] * seconds) / PER_SLICE);
}

function summary(measured: readonly Slice[], floor: readonly Slice[]): Speed {
  const beside = (ratio: (slice: Slice, floor: Slice) => number) =>
    figure(measured.map((slice, round) => ratio(slice, floor[round] ?? slice)));
  const has_cpu = [...measured, ...floor].every(({ cpu_us }) => cpu_us !== null);
  return {
    per_s: figure(measured.map(rate)),
    p50_ms: figure(measured.map(({ p50_ms }) => p50_ms)),
    p99_ms: figure(measured.map(({ p99_ms }) => p99_ms)),
    cpu_us: has_cpu ? figure(measured.map(({ cpu_us }) => cpu_us ?? 0)) : null,
    of_floor: beside((slice, floor) => rate(slice) / rate(floor)),
    cpu_of_floor: has_cpu
      ? beside((slice, floor) => (slice.cpu_us ?? 0) / (floor.cpu_us ?? 0))
      : null,
  };
}

function shuffled<T>(items: readonly T[]): T[] {
  const rest = [...items];
  return items.flatMap(() => rest.splice(integer(rest.length, Math.random), 1));
}

function rate({ requests, seconds }: Measured): number {
  return requests / seconds;
}
