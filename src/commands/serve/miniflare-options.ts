/** The three Workers with their bindings, the first once or in several isolates. */
import { join } from "node:path";
import {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  type MiniflareOptions,
  type WorkerdStructuredLog,
} from "miniflare";
import { ROOT } from "../root.ts";
import type { Checkout, WorkerOptions } from "./checkout.ts";
import { MAIL_BINDING, type MailTarget, mailWorker } from "./mail-binding.ts";
import { type Code, modulesOf } from "./modules.ts";

/** Owns the objects; their folder carries its name. */
export const OWNER = "sila";

export interface ServiceOptions {
  checkout: Checkout;
  statePath: string;
  port: number;
  code: object;
  workshop: Code;
  identity: Code;
  vars: Record<string, string>;
  services?: object;
  mail: MailTarget | undefined;
  pageCache?: boolean;
  routers?: number;
  /** So many databases of statistics are added to those of wrangler.toml. */
  stats?: number;
  /** Networks that the Workers may ask, in workerd's words, for `npm run serve`. */
  outbound?: string[];
  onLine?: ((line: string) => void) | undefined;
}

export function serviceOptions(options: ServiceOptions): MiniflareOptions {
  const { checkout, mail, outbound, stats = 0, pageCache = true, services = {} } = options;
  // `one-machine.ts` has a limit of its own in place of Miniflare's.
  const {
    bindings,
    serviceBindings,
    email: _,
    ratelimits: __,
    ...worker
  } = serviceOf(checkout, stats);
  const vars: Record<string, unknown> = Object.assign({}, bindings, options.vars);
  const service = {
    ...worker,
    ...options.code,
    bindings: {
      ...vars,
      ONE_MACHINE: true,
      ...options.vars,
    },
    serviceBindings: Object.assign({}, serviceBindings, mail && { MAIL: MAIL_BINDING }, services),
    cacheAPI: pageCache,
    // `runtime.ts` has other addresses for them.
    ...(outbound && {
      unsafeDirectSockets: ["default", "Gateway"].map((entrypoint) => ({
        ...{ host: "127.0.0.1", port: 0, proxy: true, entrypoint },
      })),
    }),
  };
  const names = routerNames(options.routers ?? 1);
  const routers =
    names.length === 1
      ? [{ ...service, name: OWNER }]
      : names.map((name, i) => router(service, name, i));
  const others = [
    workerBehind(checkout.workshop, options.workshop),
    workerBehind(checkout.identity, options.identity),
    ...(mail === undefined ? [] : [mailWorker(mail, `${checkout.service.compatibilityDate}`)]),
  ];
  const workers = [...routers, ...others];
  if (outbound === undefined) return miniflareOptions(options, workers, { cf: PLACE });
  const bounded = workers.map((worker) => ({ ...worker, outboundService: OUTBOUND }));
  return miniflareOptions(options, [...bounded, outboundWorker(outbound)], {
    cf: {},
    unsafeTriggerHandlers: true,
  });
}

const OUTBOUND = "outbound";

/** Creators may name hosts with any address, and the platform reaches no private network. */
function outboundWorker(allow: string[]) {
  return {
    name: OUTBOUND,
    script: "export default { fetch: (request, { NETWORK }) => NETWORK.fetch(request) }",
    serviceBindings: { NETWORK: { network: { allow, tlsOptions: { trustBrowserCas: true } } } },
  };
}

export function workerBehind(options: WorkerOptions, code: Code) {
  // The folder of its modules need not exist.
  return { ...options, ...modulesOf(join(ROOT, options.name), code) };
}

export function storesOptions(
  checkout: Checkout,
  statePath: string,
  stats: number,
): MiniflareOptions {
  const { d1Databases, r2Buckets } = serviceOf(checkout, stats);
  return miniflareOptions({ statePath, port: 0 }, [
    { name: OWNER, d1Databases, r2Buckets, script: "export default {}" },
  ]);
}

export function statsNames(checkout: Checkout, stats: number): string[] {
  const names = Object.keys(serviceOf(checkout, stats).d1Databases ?? {});
  return names.filter((name) => name.startsWith("STATS_"));
}

export function routerNames(routers: number): string[] {
  return Array.from({ length: routers }, (_, i) => (i === 0 ? OWNER : `router-${i + 1}`));
}

/** The first router owns the objects and the others call it for them; each has its own port. */
function router(worker: WorkerOptions & { bindings: object }, name: string, i: number): object {
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

const PLACE: Record<string, unknown> = { country: "SA", timezone: "Asia/Riyadh" };

type V4Options = Parameters<typeof convertV4MiniflareOptions>[0];

function miniflareOptions(
  { statePath, port, onLine }: Pick<ServiceOptions, "statePath" | "port" | "onLine">,
  workers: object[],
  shared: object = {},
): MiniflareOptions {
  return convertV4MiniflareOptions({
    workers: workers.map((worker) => ({ modules: true, ...worker })),
    rootPath: ROOT,
    host: "127.0.0.1",
    port,
    // The folder inside `--persist-to` that wrangler's `--local` commands look into.
    resourcePersistencePath: join(statePath, "v3"),
    ...shared,
    logRequests: false,
    telemetry: { enabled: false },
    log: new Log(LogLevel.ERROR),
    ...(onLine === undefined
      ? {}
      : { handleStructuredLogs: ({ message }: WorkerdStructuredLog) => onLine(message) }),
  } as V4Options);
}

function serviceOf({ service }: Checkout, stats: number) {
  const more = Array.from({ length: stats }, (_, i) => [`STATS_${i}`, `stats-${i}`]);
  const d1Databases = Object.assign(Object.fromEntries(more), service.d1Databases);
  return Object.assign({}, service, { d1Databases });
}
