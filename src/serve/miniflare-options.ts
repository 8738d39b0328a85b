/** Miniflare's options, from the three wrangler.toml: the service with its bindings, in one or more Workers. */
import { join } from "node:path";
import {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  type MiniflareOptions,
  type WorkerdStructuredLog,
} from "miniflare";
import { MAIL_BINDING, mailWorker } from "../../test/demo/neighbours/mail-binding.ts";
import { IDENTITY_CONFIG, QUIET_WRANGLER, ROOT, WORKSHOP_CONFIG } from "./bundle.ts";
import { type Code, modulesOf } from "./modules.ts";

Object.assign(process.env, QUIET_WRANGLER);
// Reads the environment as it loads.
const { unstable_getMiniflareWorkerOptions, unstable_readConfig } = await import("wrangler");

/** Of the Worker behind `MAIL`; as in wrangler.toml. */
const COMPATIBILITY_DATE = "2026-10-23";

/** Name of the Worker that owns the objects; their folder carries it. */
const OWNER = "sila";

export interface ServiceOptions {
  statePath: string;
  port: number;
  /** Where workerd finds the code, in Miniflare's options. */
  code: object;
  workshop: Code;
  identity: Code;
  /** Replace the `[vars]` of wrangler.toml and its secrets. */
  vars: Record<string, string>;
  services: object;
  /** Origin of what takes mails. */
  mailbox: string;
  pageCache: boolean;
  routers: number;
  /** Number of databases of statistics, beside those of wrangler.toml. */
  stats: number;
  /** Takes each line that the Worker prints; without it they are printed here. */
  onLine: ((line: string) => void) | undefined;
}

/** The whole service, with wrangler.toml as it is now. */
export function serviceOptions(options: ServiceOptions): MiniflareOptions {
  const { bindings, serviceBindings, email: _, ...worker } = readWorkerOptions(options.stats);
  const vars: Record<string, unknown> = Object.assign({}, bindings, options.vars);
  const service = {
    ...worker,
    ...options.code,
    bindings: { ...vars, ONE_MACHINE: true, ...options.vars },
    serviceBindings: Object.assign({}, serviceBindings, { MAIL: MAIL_BINDING }, options.services),
    cacheAPI: options.pageCache,
  };
  const mail = mailWorker(options.mailbox, COMPATIBILITY_DATE);
  const names = routerNames(options.routers);
  const routers =
    names.length === 1
      ? [{ ...service, name: OWNER }]
      : names.map((name, i) => router(service, name, i));
  return miniflareOptions(
    options.statePath,
    options.port,
    [...routers, workshopWorker(options.workshop), identityWorker(options.identity), mail],
    options.onLine,
  );
}

/** The second Worker, under the name by which the first is bound to it. */
export function workshopWorker(code: Code) {
  return workerBehind(WORKSHOP_CONFIG, code);
}

/** The third. */
export function identityWorker(code: Code) {
  return workerBehind(IDENTITY_CONFIG, code);
}

function workerBehind(file: string, code: Code) {
  const config = unstable_readConfig({ config: file });
  const { modulesRules: _, ...worker } = unstable_getMiniflareWorkerOptions(config).workerOptions;
  // The folder of its modules need not exist.
  return { ...worker, name: config.name, ...modulesOf(join(ROOT, config.name), code) };
}

/** The service's databases and bucket, with a Worker that answers nothing, on a free port. */
export function storesOptions(statePath: string, stats: number): MiniflareOptions {
  const { d1Databases, r2Buckets } = readWorkerOptions(stats);
  return miniflareOptions(statePath, 0, [
    { name: OWNER, d1Databases, r2Buckets, script: "export default {}" },
  ]);
}

/** Names of the bindings of databases of statistics. */
export function statsNames(stats: number): string[] {
  const names = Object.keys(readWorkerOptions(stats).d1Databases ?? {});
  return names.filter((name) => name.startsWith("STATS_"));
}

/** Names of so many Workers; the first owns the objects. */
export function routerNames(routers: number): string[] {
  return Array.from({ length: routers }, (_, i) => (i === 0 ? OWNER : `router-${i + 1}`));
}

export function readCrons(): string[] {
  return readConfig().triggers.crons ?? [];
}

type WorkerOptions = ReturnType<typeof readWorkerOptions> & { bindings: object };

/** The i-th of several: the first owns the objects and the others call it for them; each has its own port. */
function router(worker: WorkerOptions, name: string, i: number): object {
  const objects = Object.entries(worker.durableObjects ?? {}).map(([binding, object]) => [
    binding,
    i === 0 ? object : Object.assign({}, object, { scriptName: OWNER }),
  ]);
  return {
    ...worker,
    name,
    bindings: { ...worker.bindings, ROUTER: String(i) },
    durableObjects: Object.fromEntries(objects),
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
  };
}

/** Where every local visitor and reader is: where the demo's creators are. */
const PLACE: Record<string, unknown> = { country: "SA", timezone: "Asia/Riyadh" };

type V4Options = Parameters<typeof convertV4MiniflareOptions>[0];

/** Miniflare's options, converted from the version 4 shape that wrangler returns. */
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
    cf: PLACE,
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

/** The bindings of wrangler.toml, without the module rules: they are for bundling, which is done by now. */
function readWorkerOptions(stats: number) {
  const { modulesRules: _, ...worker } = unstable_getMiniflareWorkerOptions(
    readConfig(),
  ).workerOptions;
  const more = Array.from({ length: stats }, (_, i) => [`STATS_${i}`, `stats-${i}`]);
  return Object.assign(worker, {
    d1Databases: Object.assign(Object.fromEntries(more), worker.d1Databases),
  });
}
