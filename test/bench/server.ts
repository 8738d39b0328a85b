/**
 * The bench's Workers, each in a workerd of its own, with Miniflare's storage, D1 and rate limits.
 * Requests come in on the Worker's own socket and not through Miniflare's entry Worker, which is half of
 * a request's cost there and is not deployed.
 */
import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, type WorkerdStructuredLog } from "miniflare";
import { ROOT } from "../../src/commands/root.ts";
import { QUIET_WRANGLER } from "../../src/commands/serve/bundle.ts";
import { readCheckout } from "../../src/commands/serve/checkout.ts";
import { migrate } from "../../src/commands/serve/migrate.ts";
import { modulesOf, readBundle } from "../../src/commands/serve/modules.ts";
import { startWorkerd, type Workerd } from "../../src/commands/serve/workerd.ts";
import { randomSecret } from "../secret.ts";
import { EVICTED, type HistoryView, type Reading, type Totals } from "./reading.ts";
import { seed } from "./site.ts";

Object.assign(process.env, QUIET_WRANGLER);
const { unstable_getMiniflareWorkerOptions, unstable_readConfig } = await import("wrangler");

/** USER_HZ, the same on every Linux. */
const TICKS_PER_S = 100;

export interface Vars {
  LIMITER_SHARDS: string;
  METER: "0" | "1";
}

/** How often the Workers have logged each failure (docs/operations.md), such as a limiter's time-out. */
export const failures = new Map<string, number>();

function takeLine({ message }: WorkerdStructuredLog): void {
  const event = /^\{"event":"(\w+)"/.exec(message)?.[1];
  if (event !== undefined) failures.set(event, (failures.get(event) ?? 0) + 1);
  else if (!message.includes(EVICTED)) console.error(message);
}

export class Server {
  readonly url: URL;
  readonly #workerd: Workerd;

  protected constructor(url: URL, workerd: Workerd) {
    this.url = url;
    this.#workerd = workerd;
  }

  static async bare(folder: string): Promise<Server> {
    const script = await readFile(new URL("worker/bare.js", import.meta.url), "utf8");
    const path = join(folder, "bare.js");
    const modules = [{ type: "ESModule", path, contents: script }];
    return new Server(...(await serve(folder, { modules, modulesRoot: folder })));
  }

  get port(): number {
    return Number(this.url.port);
  }

  /** CPU seconds that it has taken, to 0.01 s; null where the system does not report them. */
  async cpu(): Promise<number | null> {
    try {
      // Fields 14 and 15 of proc(5); the name in field 2 has no space.
      const fields = (await readFile(`/proc/${this.#workerd.pid()}/stat`, "utf8")).split(" ");
      return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_S;
    } catch {
      return null;
    }
  }

  dispose(): Promise<void> {
    return this.#workerd.dispose();
  }
}

export class BenchServer extends Server {
  /** Serves the bundle at `script_path` with its state in `folder`, and `cold_pages` pages without visits. */
  static async start(
    script_path: string,
    folder: string,
    vars: Vars,
    cold_pages: number,
  ): Promise<BenchServer> {
    const config = unstable_readConfig({ config: join(ROOT, "wrangler.toml") });
    const {
      modulesRules: _,
      // Assets would put Miniflare's entry Worker in front of ours again; no file is requested here.
      assets: __,
      // Nor is anything drawn.
      serviceBindings: ___,
      bindings,
      durableObjects,
      ...worker
    } = unstable_getMiniflareWorkerOptions(config).workerOptions;
    const [url, workerd] = await serve(folder, {
      ...worker,
      bindings: Object.assign({}, bindings, vars, {
        ONE_MACHINE: true,
        SENDER_KEY: randomSecret(),
        SESSION_KEY: randomSecret(),
        HUB_WEBHOOK_SECRET: `whsec_${randomSecret()}`,
      }),
      durableObjects: Object.assign({}, durableObjects, {
        NAIVE_PAGE: { className: "NaivePage", useSQLite: true },
        NAIVE_LIMITER: { className: "NaiveLimiter", useSQLite: true },
      }),
      ...modulesOf(dirname(script_path), await readBundle(script_path)),
    });
    const db: D1Database = await workerd.miniflare.getD1Database("DB");
    await migrate(db, (await readCheckout()).migrations.main);
    await seed(db, cold_pages);
    return new BenchServer(url, workerd);
  }

  read(): Promise<Reading> {
    return this.#control("/read");
  }

  /** Moves the metered Worker's clock on, with its alarms; answers the time in unix milliseconds. */
  advance(ms: number): Promise<number> {
    return this.#control(`/advance?ms=${ms}`);
  }

  totals(page_prefix: string, pages: number, naive: boolean): Promise<Totals> {
    return this.#control(`/totals?prefix=${page_prefix}&pages=${pages}&naive=${naive}`);
  }

  prepare(page_id: string, batches: number): Promise<void> {
    return this.#control(`/prepare?page=${page_id}&batches=${batches}`);
  }

  record(page_id: string): Promise<number> {
    return this.#control(`/record?page=${page_id}`);
  }

  fillHistory(): Promise<void> {
    return this.#control("/fill-history");
  }

  readHistory(view: HistoryView): Promise<void> {
    return this.#control(`/history?view=${view}`);
  }

  async #control<T>(path: string): Promise<T> {
    const response = await fetch(new URL(path, this.url), { headers: { "X-Bench": "control" } });
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    return (await response.json()) as T;
  }
}

async function serve(folder: string, worker: object): Promise<[URL, Workerd]> {
  await mkdir(folder, { recursive: true });
  // Miniflare's type asks for literal bindings; ours come from wrangler.toml.
  const options: object = {
    compatibilityDate: unstable_readConfig({ config: join(ROOT, "wrangler.toml") })
      .compatibility_date,
    ...worker,
    name: "sila",
    rootPath: ROOT,
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
    host: "127.0.0.1",
    port: 0,
    resourcePersistencePath: folder,
    cf: false,
    logRequests: false,
    telemetry: { enabled: false },
    log: new Log(LogLevel.ERROR),
    handleStructuredLogs: takeLine,
  };
  const workerd = await startWorkerd(
    convertV4MiniflareOptions(options as Parameters<typeof convertV4MiniflareOptions>[0]),
  );
  return [await workerd.miniflare.unsafeGetDirectURL("sila"), workerd];
}
