/**
 * Starts the bundle that a deployment would upload, in workerd, with wrangler.toml's bindings, all stored in
 * one folder.
 *
 * It uses Miniflare and not `wrangler dev`: 4,000–8,000 requests/s instead of 400–1,200, and no proxy between
 * the client and workerd. Miniflare passes on a client's CF-Connecting-IP, so a test can send as any number
 * of senders.
 */
import { mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { D1Database } from "@cloudflare/workers-types";
import type { Miniflare } from "miniflare";
import { ROOT } from "../root.ts";
import { type Around, identityAround, modulesAround } from "./around.ts";
import { bundledWorker } from "./bundle.ts";
import type { Checkout } from "./checkout.ts";
import { readSecret } from "./data-folder.ts";
import { lockState } from "./lock.ts";
import type { MailTarget } from "./mail-binding.ts";
import { migrate } from "./migrate.ts";
import {
  OWNER,
  routerNames,
  serviceOptions,
  statsNames,
  storesOptions,
} from "./miniflare-options.ts";
import { type Bundle, type Code, readBundle } from "./modules.ts";
import { startWorkerd, type Workerd } from "./workerd.ts";

/** Every minute, as wrangler.toml's only cron; a rarer one would need a real schedule. */
const CRON_INTERVAL_MS = 60_000;

/**
 * One limiter object fits one machine: a sender with an object of its own takes 0.28 MB and 2 to 6
 * ms, and many shards divide the groups that share a commit.
 */
export const ONE_MACHINE_VARS = { LIMITER_SHARDS: "1" } as const;

export type Media = Awaited<ReturnType<Miniflare["getR2Bucket"]>>;

export interface ServerOptions {
  /** 0, the default, takes a free one. */
  port?: number;
  /** The bindings store here, in the layout of wrangler's `--persist-to`. */
  statePath?: string;
  /** Replace the `[vars]` of wrangler.toml and its secrets. */
  vars?: Record<string, string>;
  /** No mail can be sent without it. */
  mail?: MailTarget | undefined;
  /** Fills the migrated database and the bucket before the first request can arrive. */
  seed?: (db: D1Database, media: Media) => Promise<void>;
  /** Starts dependencies while the state folder is locked, before the port opens. */
  before?: () => Promise<void>;
  /** workerd restarts by itself, on its port and state, unless the caller disposes. */
  onDeath?: () => void;
  /** Takes each line that the Worker prints; by default they are printed here. */
  onLine?: ((line: string) => void) | undefined;
  bundle?: (() => Promise<Bundle>) | undefined;
  checkout?: () => Promise<Checkout>;
  /** False turns the stand-in for the platform's page cache off; it would outlive a reload. */
  pageCache?: boolean;
  /** Serves the bundle inside another module than that of one machine. Not with `bundle`. */
  around?: Around | undefined;
  /** A TypeScript file around the identity Worker, which it imports as `identity`. */
  aroundIdentity?: string;
  /**
   * Workers of the same code in front of the same objects, D1, KV and R2: 1 by default. Each has an
   * isolate of its own and its number in the variable `ROUTER`. The first owns the objects.
   */
  routers?: number;
  /** Databases of statistics, STATS_0 and so on: 0 by default. */
  stats?: number;
  crons?: boolean;
}

export interface Server {
  url: URL;
  /** All routers; they keep their addresses when workerd restarts. */
  routers: URL[];
  /** Call it for each use: a restart of workerd invalidates the handles of before. */
  db(binding?: string): Promise<D1Database>;
  media(): Promise<Media>;
  workerd: Workerd;
  /**
   * Applies new migrations, reads wrangler.toml again and serves another bundle on the same port
   * and state. @throws when that fails; the previous version is served on
   */
  reload(bundle: Bundle): Promise<void>;
  dispose(): Promise<void>;
}

/** @throws for a failed build, a taken port (`ERR_ADDRESS_IN_USE`), or a folder being served */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const statePath = resolve(ROOT, options.statePath ?? ".wrangler/state");
  await mkdir(statePath, { recursive: true });
  const unlock = await lockState(statePath);
  try {
    const vars = await usualVars(statePath, options.vars);
    const readCheckout = options.checkout ?? (await import("./checkout.ts")).readCheckout;
    let checkout = await readCheckout();
    const [made] = await Promise.all([
      makeCode(statePath, options),
      prepareState(checkout, statePath, options),
    ]);
    // Last, so that only a port that is taken can make the start fail after it.
    await options.before?.();
    const {
      port = 0,
      routers = 1,
      stats = 0,
      pageCache = true,
      crons = true,
      around,
      mail,
      onLine,
    } = options;
    const services = around?.services ?? {};
    const configure = (made: Made) =>
      serviceOptions({
        ...{ checkout, statePath, port, vars, services, mail, pageCache, routers, stats, onLine },
        ...made,
      });
    const workerd = await startWorkerd(configure(made), options.onDeath);
    const { miniflare } = workerd;
    const clock = crons
      ? setInterval(() => runCrons(miniflare, checkout), CRON_INTERVAL_MS).unref()
      : undefined;
    const url = await miniflare.ready;
    const db = (binding = "DB"): Promise<D1Database> => miniflare.getD1Database(binding, OWNER);
    return {
      url,
      routers:
        routers === 1
          ? [url]
          : await Promise.all(
              routerNames(routers).map((name) => miniflare.unsafeGetDirectURL(name)),
            ),
      db,
      media: () => miniflare.getR2Bucket("MEDIA", OWNER),
      workerd,
      async reload(bundle) {
        checkout = await readCheckout();
        const { main, stats: of_stats } = checkout.migrations;
        await migrate(await db(), main);
        for (const name of statsNames(checkout, stats)) await migrate(await db(name), of_stats);
        await workerd.reload(configure(await madeOf(statePath, bundle, options)));
      },
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
 * Works in a workerd without a public port, while the bundle is being built. The first request must
 * find the pages: the edge cache would keep its 404 for half a minute.
 */
export async function prepareState(
  checkout: Checkout,
  statePath: string,
  { seed, stats = 0 }: Pick<ServerOptions, "seed" | "stats">,
): Promise<void> {
  const { migrations } = checkout;
  const { miniflare, dispose } = await startWorkerd(storesOptions(checkout, statePath, stats));
  try {
    const db: D1Database = await miniflare.getD1Database("DB");
    await migrate(db, migrations.main);
    for (const name of statsNames(checkout, stats))
      await migrate(await miniflare.getD1Database(name), migrations.stats);
    await seed?.(db, await miniflare.getR2Bucket("MEDIA"));
  } finally {
    await dispose();
  }
}

export interface Made {
  code: object;
  workshop: Code;
  identity: Code;
}

async function makeCode(statePath: string, options: ServerOptions): Promise<Made> {
  if (options.bundle !== undefined) return madeOf(statePath, await options.bundle(), options);
  const scriptPath = await bundledWorker(join(statePath, "bundle"));
  return madeOf(dirname(scriptPath), await readBundle(scriptPath), options);
}

export async function madeOf(
  folder: string,
  bundle: Bundle,
  { around, aroundIdentity }: ServerOptions = {},
): Promise<Made> {
  const [code, identity] = await Promise.all([
    modulesAround(folder, bundle, around?.module),
    aroundIdentity === undefined
      ? bundle.identity
      : identityAround(bundle.identity, aroundIdentity),
  ]);
  return { code, workshop: bundle.workshop, identity };
}

/** Miniflare has no clock for `[triggers]`. A run that fails is repeated by the next one. */
async function runCrons(miniflare: Miniflare, { crons }: Checkout): Promise<void> {
  try {
    const worker = await miniflare.getWorker(OWNER);
    for (const cron of crons) await worker.scheduled({ cron });
  } catch (error) {
    console.error("cron:", error);
  }
}

async function usualVars(statePath: string, vars: Record<string, string> = {}) {
  const { HUB_WEBHOOK_SECRET, ...keys } = await readSecrets(statePath);
  // The hub, where there is one, has it too.
  return { ...ONE_MACHINE_VARS, ...keys, ...(vars.HUB_URL && { HUB_WEBHOOK_SECRET }), ...vars };
}

export type Secrets = Awaited<ReturnType<typeof readSecrets>>;

/** Generated once: a new SENDER_KEY would reset every rate limit. */
export async function readSecrets(statePath: string) {
  return {
    SENDER_KEY: await readSecret(statePath, "sender-key"),
    SESSION_KEY: await readSecret(statePath, "session-key"),
    HUB_WEBHOOK_SECRET: `whsec_${await readSecret(statePath, "hub-webhook-secret")}`,
  };
}
