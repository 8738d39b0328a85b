/**
 * The one way to start the real thing outside workerd's own test runner: the bundle a deployment
 * would upload, in workerd, with the bindings of wrangler.toml, every one of them kept in a folder.
 *
 * It is Miniflare and not `wrangler dev`: 4,000–8,000 requests/s instead of 400–1,200, and no proxy
 * between the client and workerd. Miniflare leaves a client's CF-Connecting-IP alone and fills in the
 * socket's address where there is none, so a test can be as many senders as it likes.
 */
import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  type Miniflare,
  type MiniflareOptions,
  type WorkerdStructuredLog,
} from "miniflare";
import { type Around, modulesAround } from "./around.ts";
import { bundledWorker, QUIET_WRANGLER, ROOT } from "./bundle.ts";
import { lockState } from "./lock.ts";
import { migrate } from "./migrate.ts";
import { startWorkerd, type Workerd } from "./workerd.ts";

Object.assign(process.env, QUIET_WRANGLER);
/** wrangler.toml's only cron is every minute; a second, rarer one would need a real schedule here. */
const CRON_INTERVAL_MS = 60_000;

// Reads the environment as it loads.
const { unstable_getMiniflareWorkerOptions, unstable_readConfig } = await import("wrangler");

/** R2 as Miniflare's own types spell it. */
export type Media = Awaited<ReturnType<Miniflare["getR2Bucket"]>>;

export interface ServerOptions {
  /** 0, the default, takes a free one. */
  port?: number;
  /** Everything the bindings hold, laid out as wrangler's `--persist-to` lays it out. */
  statePath?: string;
  /** Replace the `[vars]` of wrangler.toml and its secrets. */
  vars?: Record<string, string>;
  /** Fills a migrated database and bucket before the first request can come. */
  seed?: (db: D1Database, media: Media) => Promise<void>;
  /** Starts what the service depends on, with its secrets: when the state folder is ours, before the port opens. */
  before?: (secrets: Secrets) => Promise<void>;
  /** workerd ended by itself. It is started again on the same port and state unless the caller disposes. */
  onDeath?: () => void;
  /** Takes each line that the Worker prints; without it they are printed here. */
  onLine?: (line: string) => void;
  /** Serves the bundle inside another module; without it, the bundle alone. */
  around?: Around | undefined;
  /**
   * Workers of the same code in front of the same objects, D1, KV and R2: 1 by default. Each has an isolate,
   * and so a memory, of its own, and finds its number in the variable `ROUTER`. The first owns the objects.
   */
  routers?: number;
}

export interface Server {
  url: URL;
  /** Addresses of all routers, which stay the same when workerd is started again. */
  routers: URL[];
  /** Asked for anew each time, because a restart of workerd makes older ones useless. */
  db(): Promise<D1Database>;
  media(): Promise<Media>;
  workerd: Workerd;
  dispose(): Promise<void>;
}

/**
 * Builds, migrates, seeds and serves.
 *
 * @throws when the build fails, the port is taken (Miniflare's `ERR_ADDRESS_IN_USE`) or the state
 *   folder is being served already
 */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const statePath = resolve(ROOT, options.statePath ?? ".wrangler/state");
  await mkdir(statePath, { recursive: true });
  const unlock = await lockState(statePath);
  try {
    const secrets = await readSecrets(statePath);
    const [scriptPath] = await Promise.all([
      bundledWorker(join(statePath, "bundle")),
      prepareState(statePath, options.seed),
    ]);
    // Last, so that nothing but the port can fail once it runs.
    await options.before?.(secrets);
    const { bindings, serviceBindings, ...worker } = readWorkerOptions();
    const names = Array.from({ length: options.routers ?? 1 }, (_, i) => routerName(i));
    const sila = {
      ...worker,
      bindings: Object.assign({}, bindings, { EDGE_CACHE: "local" }, secrets, options.vars),
      ...(await source(scriptPath, options.around)),
      serviceBindings: Object.assign({}, serviceBindings, options.around?.services),
    };
    const workerd = await startWorkerd(
      miniflareOptions(
        statePath,
        options.port ?? 0,
        names.length === 1 ? [{ ...sila, name: OWNER }] : names.map((_, i) => router(sila, i)),
        options.onLine,
      ),
      options.onDeath,
    );
    const clock = setInterval(() => runCrons(workerd.miniflare), CRON_INTERVAL_MS).unref();
    const url = await workerd.miniflare.ready;
    return {
      url,
      routers:
        names.length === 1
          ? [url]
          : await Promise.all(names.map((name) => workerd.miniflare.unsafeGetDirectURL(name))),
      db: () => workerd.miniflare.getD1Database("DB"),
      media: () => workerd.miniflare.getR2Bucket("MEDIA"),
      workerd,
      async dispose() {
        clearInterval(clock);
        await workerd.dispose();
        await unlock();
      },
    };
  } catch (error) {
    await unlock();
    throw error;
  }
}

/**
 * Migrates and seeds in a workerd of its own that nobody can reach, while the bundle is being built: the
 * first request must find the pages, or it would see a 404 that the edge cache keeps for half a minute.
 */
async function prepareState(statePath: string, seed: ServerOptions["seed"]): Promise<void> {
  const { d1Databases, r2Buckets } = readWorkerOptions();
  const { miniflare, dispose } = await startWorkerd(
    miniflareOptions(statePath, 0, [
      { name: OWNER, d1Databases, r2Buckets, script: "export default {}" },
    ]),
  );
  try {
    const db: D1Database = await miniflare.getD1Database("DB");
    await migrate(db);
    await seed?.(db, await miniflare.getR2Bucket("MEDIA"));
  } finally {
    await dispose();
  }
}

/** Where workerd finds its code: the bundle as it is, or with a module around it. */
async function source(scriptPath: string, around: Around | undefined): Promise<object> {
  if (around !== undefined) return modulesAround(scriptPath, around.module);
  return { scriptPath, modulesRoot: dirname(scriptPath) };
}

/** Miniflare knows the `[triggers]` but has no clock. A run that fails is made up for by the next. */
async function runCrons(miniflare: Miniflare): Promise<void> {
  try {
    const worker = await miniflare.getWorker();
    for (const cron of readConfig().triggers.crons ?? []) await worker.scheduled({ cron });
  } catch (error) {
    console.error("cron:", error);
  }
}

/** The worker whose objects these are; their folder is named after it. */
const OWNER = "sila";

function routerName(i: number): string {
  return i === 0 ? OWNER : `router-${i + 1}`;
}

type WorkerOptions = ReturnType<typeof readWorkerOptions> & { bindings: object };

/** The i-th of several: the first owns the objects, the others call them there; each has a port of its own. */
function router(worker: WorkerOptions, i: number): object {
  const objects = Object.entries(worker.durableObjects ?? {}).map(([binding, object]) => [
    binding,
    i === 0 ? object : Object.assign({}, object, { scriptName: OWNER }),
  ]);
  return {
    ...worker,
    name: routerName(i),
    bindings: { ...worker.bindings, ROUTER: String(i) },
    durableObjects: Object.fromEntries(objects),
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
  };
}

type V4Options = Parameters<typeof convertV4MiniflareOptions>[0];

/** Miniflare's options, made from the older shape that wrangler still hands out. */
function miniflareOptions(
  statePath: string,
  port: number,
  workers: object[],
  onLine?: (line: string) => void,
): MiniflareOptions {
  return convertV4MiniflareOptions({
    workers: workers.map((worker) => ({ modules: true, ...worker })),
    rootPath: ROOT,
    host: "127.0.0.1",
    port,
    // The folder inside `--persist-to` that wrangler's `--local` commands look into.
    resourcePersistencePath: join(statePath, "v3"),
    cf: false,
    logRequests: false,
    telemetry: { enabled: false },
    log: new Log(LogLevel.ERROR),
    ...(onLine === undefined
      ? {}
      : { handleStructuredLogs: ({ message }: WorkerdStructuredLog) => onLine(message) }),
  } as V4Options);
}

function readConfig() {
  return unstable_readConfig({ config: join(ROOT, "wrangler.toml") });
}

/** The bindings of wrangler.toml, without the rules for a bundler that has done its work already. */
function readWorkerOptions() {
  const { modulesRules: _, ...worker } = unstable_getMiniflareWorkerOptions(
    readConfig(),
  ).workerOptions;
  return worker;
}

export type Secrets = Awaited<ReturnType<typeof readSecrets>>;

/** Made once for a state folder: with another SENDER_KEY, every limit would start anew. */
export async function readSecrets(statePath: string) {
  return {
    SENDER_KEY: await readSecret(statePath, "sender-key"),
    SESSION_KEY: await readSecret(statePath, "session-key"),
    HUB_WEBHOOK_SECRET: `whsec_${await readSecret(statePath, "hub-webhook-secret")}`,
  };
}

/** 32 random bytes in base64. */
async function readSecret(statePath: string, name: string): Promise<string> {
  const file = join(statePath, name);
  try {
    return await readFile(file, "utf8");
  } catch {
    const secret = randomBytes(32).toString("base64");
    await mkdir(statePath, { recursive: true });
    await writeFile(file, secret, { mode: 0o600 });
    return secret;
  }
}
