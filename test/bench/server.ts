/**
 * The bench's Worker in a workerd of its own, with Miniflare's storage, D1 and rate limits. Requests come
 * in on the Worker's own socket and not through Miniflare's entry Worker, which is half of a request's
 * cost there and is not deployed.
 */
import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel } from "miniflare";
import { randomSecret } from "../secret.ts";
import { QUIET_WRANGLER, ROOT } from "../server/bundle.ts";
import { migrate } from "../server/migrate.ts";
import { modulesOf, readBundle } from "../server/modules.ts";
import { startWorkerd } from "../server/workerd.ts";
import type { Reading } from "./reading.ts";
import { seed } from "./site.ts";

Object.assign(process.env, QUIET_WRANGLER);
const { unstable_getMiniflareWorkerOptions, unstable_readConfig } = await import("wrangler");

/** USER_HZ, the same on every Linux. */
const TICKS_PER_S = 100;

export interface Vars {
  LIMITER_SHARDS: string;
  METER: "0" | "1";
}

export class BenchServer {
  readonly port: number;
  readonly #url: URL;
  readonly #dispose: () => Promise<void>;
  readonly pid: () => number | undefined;

  private constructor(url: URL, pid: () => number | undefined, dispose: () => Promise<void>) {
    this.#url = url;
    this.port = Number(url.port);
    this.pid = pid;
    this.#dispose = dispose;
  }

  /**
   * Serves the bundle at `script_path` with its state in `folder`, and `cold_pages` pages without visits.
   */
  static async start(
    script_path: string,
    folder: string,
    vars: Vars,
    cold_pages: number,
  ): Promise<BenchServer> {
    await mkdir(folder, { recursive: true });
    const config = unstable_readConfig({ config: join(ROOT, "wrangler.toml") });
    const {
      modulesRules: _,
      // Assets would put Miniflare's entry Worker in front of ours again; no file is requested here.
      assets: __,
      bindings,
      durableObjects,
      ...worker
    } = unstable_getMiniflareWorkerOptions(config).workerOptions;
    // Miniflare's type asks for literal bindings; ours come from wrangler.toml.
    const bound: object = {
      ...worker,
      bindings: Object.assign({}, bindings, vars, {
        EDGE_CACHE: "local",
        SENDER_KEY: randomSecret(),
        SESSION_KEY: randomSecret(),
        HUB_WEBHOOK_SECRET: `whsec_${randomSecret()}`,
      }),
      durableObjects: Object.assign({}, durableObjects, {
        NAIVE_PAGE: { className: "NaivePage", useSQLite: true },
        NAIVE_LIMITER: { className: "NaiveLimiter", useSQLite: true },
      }),
    };
    const { miniflare, pid, dispose } = await startWorkerd(
      convertV4MiniflareOptions({
        ...bound,
        name: "sila",
        rootPath: ROOT,
        ...modulesOf(dirname(script_path), await readBundle(script_path)),
        unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
        host: "127.0.0.1",
        port: 0,
        resourcePersistencePath: folder,
        cf: false,
        logRequests: false,
        telemetry: { enabled: false },
        log: new Log(LogLevel.ERROR),
      } as Parameters<typeof convertV4MiniflareOptions>[0]),
    );
    const db: D1Database = await miniflare.getD1Database("DB");
    await migrate(db);
    await seed(db, cold_pages);
    return new BenchServer(await miniflare.unsafeGetDirectURL("sila"), pid, dispose);
  }

  /** Resets the meter, runs every alarm that is set, or reads. */
  async meter(path: "/reset" | "/settle" | "/read"): Promise<Reading> {
    const response = await fetch(new URL(path, this.#url), { headers: { "X-Bench": "meter" } });
    if (!response.ok) throw new Error(`the meter answered ${response.status}`);
    return (await response.json()) as Reading;
  }

  /** CPU seconds of workerd, to 0.01 s; null where the system does not report them. */
  async cpu(): Promise<number | null> {
    try {
      // Fields 14 and 15 of proc(5); the name in field 2 has no space.
      const fields = (await readFile(`/proc/${this.pid()}/stat`, "utf8")).split(" ");
      return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_S;
    } catch {
      return null;
    }
  }

  dispose(): Promise<void> {
    return this.#dispose();
  }
}
