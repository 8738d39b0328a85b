/** `npm run engines`: taps in real browser engines, and what was counted of them. See `--help`. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProxy } from "../browser/breaking-proxy.ts";
import { startService } from "../browser/browser-kit.ts";
import { runCommand } from "../command-line.ts";
import { startChromium } from "./chromium.ts";
import { type Engine, NoEngine } from "./engine.ts";
import { startFirefox } from "./firefox.ts";
import { travel } from "./journeys.ts";
import { type EngineName, help, type Options, readOptions } from "./options.ts";
import { type Journeyed, lineOf, report, writeTable } from "./report.ts";
import { changedSince, type Result, runSituation, type Settled } from "./run.ts";
import { SITUATIONS } from "./situations.ts";
import { measure, type Place } from "./visit.ts";
import { startWebKit } from "./webkit.ts";

const WRONG = 1;
/** There is no verdict: something is not installed, or did not start. */
const FAILED = 3;
const INTERRUPTED = 130;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

class Interrupted extends Error {}

const START: Record<EngineName, (downloads: string) => Promise<Engine>> = {
  firefox: startFirefox,
  webkit: startWebKit,
  chromium: startChromium,
};

interface Seen {
  versions: Record<string, string>;
  results: Result[];
  journeys: Journeyed[];
}

async function main(options: Options): Promise<number> {
  const seen: Seen = { versions: {}, results: [], journeys: [] };
  const interrupt = Promise.withResolvers<never>();
  for (const signal of SIGNALS) process.once(signal, () => interrupt.reject(new Interrupted()));
  try {
    await using ending = new AsyncDisposableStack();
    await Promise.race([watchAll(options, seen, ending), interrupt.promise]);
  } catch (error) {
    // Visits that have lost their browser would go on until their deadlines.
    if (error instanceof Interrupted) process.exit(INTERRUPTED);
    console.error(error instanceof NoEngine ? error.message : error);
    return FAILED;
  }
  const { results, journeys, versions } = seen;
  process.stdout.write(report(results, journeys));
  if (options.write) await writeTable(results, journeys, versions, options.taps);
  const isWrong =
    results.some(({ wrong }) => wrong !== null && wrong.length > 0) ||
    journeys.some(({ wrong }) => wrong !== null);
  return isWrong ? WRONG : 0;
}

async function watchAll(options: Options, seen: Seen, ending: AsyncDisposableStack): Promise<void> {
  const downloads = await mkdtemp(join(tmpdir(), "sila-engines-"));
  ending.defer(() => rm(downloads, { recursive: true, force: true }));
  // All of them before the first tap: what is not installed is said at once.
  const engines: Engine[] = [];
  for (const name of options.engines) {
    const engine = await START[name](downloads);
    ending.defer(() => engine.close());
    engines.push(engine);
    seen.versions[engine.name] = engine.version;
  }
  console.error("Building, and starting workerd.\nالبناء ثم التشغيل.");
  const service = await startService();
  ending.defer(service.close);
  const places = await Promise.all(
    engines.map(async (engine): Promise<Place> => {
      const proxy = await startProxy(service.origin);
      ending.defer(proxy.close);
      return { service, proxy, engine, points: await measure(service, proxy, engine) };
    }),
  );
  // Side by side: most of the time is waiting.
  await Promise.all(places.map((place) => watch(place, options, seen)));
  const travels = "journeys".includes(options.only ?? "");
  for (const place of travels ? places : []) {
    for (const [journey, wrong] of Object.entries(await travel(place))) {
      note(seen, place.engine, journey, wrong);
    }
  }
}

async function watch(place: Place, { taps, only }: Options, seen: Seen): Promise<void> {
  const settled: Settled = new Map();
  for (const situation of SITUATIONS) {
    if (only !== null && !situation.name.includes(only)) continue;
    const result = await runSituation(place, situation, taps, settled);
    seen.results.push(result);
    console.error(lineOf(result));
  }
  const changed = await changedSince(place, settled);
  note(seen, place.engine, "no count changed afterwards", changed.join("\n") || null);
}

function note({ journeys }: Seen, { name }: Engine, journey: string, wrong: string | null): void {
  journeys.push({ engine: name, journey, wrong });
  console.error(`${name}  ${journey}  ${wrong === null ? "ok" : `NOT OK ${wrong}`}`);
}

process.exitCode = await runCommand(() => readOptions(process.argv.slice(2)), help, main);
