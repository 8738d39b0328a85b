/**
 * Starts the service outside workerd's own test runner: the bundle that a deployment would upload, in
 * workerd, with the bindings of wrangler.toml, all of them stored in one folder.
 *
 * It uses Miniflare and not `wrangler dev`: 4,000–8,000 requests/s instead of 400–1,200, and no proxy
 * between the client and workerd. Miniflare passes on a client's CF-Connecting-IP and fills in the
 * socket's address where there is none, so a test can send as any number of senders.
 */
import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { D1Database } from "@cloudflare/workers-types";
import type { Miniflare } from "miniflare";
import { type Around, identityAround, modulesAround } from "./around.ts";
import { bundledWorker, ROOT } from "./bundle.ts";
import { lockState } from "./lock.ts";
import { migrate } from "./migrate.ts";
import {
  readCrons,
  routerNames,
  serviceOptions,
  statsNames,
  storesOptions,
} from "./miniflare-options.ts";
import { type Bundle, type Code, readBundle } from "./modules.ts";
import { startWorkerd, type Workerd } from "./workerd.ts";

/** wrangler.toml's only cron runs every minute; a second, rarer one would need a real schedule here. */
const CRON_INTERVAL_MS = 60_000;

/** R2 as Miniflare's own types spell it. */
export type Media = Awaited<ReturnType<Miniflare["getR2Bucket"]>>;

export interface ServerOptions {
  /** 0, the default, takes a free one. */
  port?: number;
  /** Folder of all that the bindings store, in the layout of wrangler's `--persist-to`. */
  statePath?: string;
  /** Replace the `[vars]` of wrangler.toml and its secrets. */
  vars?: Record<string, string>;
  /** Origin of what takes mails; without it none can be sent. */
  mailbox?: string;
  /** Fills the migrated database and the bucket before the first request can arrive. */
  seed?: (db: D1Database, media: Media) => Promise<void>;
  /** Starts what the service depends on; runs when the state folder is locked, before the port opens. */
  before?: (secrets: Secrets) => Promise<void>;
  /** Called when workerd ended by itself. It restarts on the same port and state unless the caller disposes. */
  onDeath?: () => void;
  /** Takes each line that the Worker prints; without it they are printed here. */
  onLine?: ((line: string) => void) | undefined;
  /** Makes the Worker's modules; by default wrangler makes them, as for a deployment. */
  bundle?: (() => Promise<Bundle>) | undefined;
  /** False turns the stand-in for the platform's page cache off; it would outlive a reload. */
  pageCache?: boolean;
  /** Serves the bundle inside another module; without it, inside that of one machine. Not with `bundle`. */
  around?: Around | undefined;
  /** A TypeScript file that exports what the identity Worker does, and imports it as `identity`; it is served inside. */
  aroundIdentity?: string;
  /**
   * Number of Workers of the same code in front of the same objects, D1, KV and R2: 1 by default. Each has an
   * isolate of its own and its number in the variable `ROUTER`. The first owns the objects.
   */
  routers?: number;
  /** Number of databases of statistics, STATS_0 and so on: 0 by default. */
  stats?: number;
  /** False leaves the runs of the cron to the caller. */
  crons?: boolean;
}

export interface Server {
  url: URL;
  /** Addresses of all routers, which stay the same when workerd restarts. */
  routers: URL[];
  /** Call it for each use: a restart of workerd invalidates the handles of before. */
  db(binding?: string): Promise<D1Database>;
  media(): Promise<Media>;
  workerd: Workerd;
  /**
   * Applies new migrations, reads wrangler.toml again and serves another bundle on the same port and state.
   *
   * @throws when a migration fails or workerd does not start with it; the previous version is served on
   */
  reload(bundle: Bundle): Promise<void>;
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
    const [made] = await Promise.all([
      makeCode(statePath, options),
      prepareState(statePath, options),
    ]);
    // Last, so that only a port that is taken can make the start fail after it.
    await options.before?.(secrets);
    const {
      port = 0,
      routers = 1,
      stats = 0,
      pageCache = true,
      crons = true,
      around,
      mailbox = "",
      onLine,
    } = options;
    const { HUB_WEBHOOK_SECRET, ...keys } = secrets;
    // Shared with a hub, where there is one.
    const vars = { ...keys, ...(options.vars?.HUB_URL && { HUB_WEBHOOK_SECRET }), ...options.vars };
    const services = around?.services ?? {};
    const configure = (made: Made) =>
      serviceOptions({
        ...{ statePath, port, vars, services, mailbox, pageCache, routers, stats, onLine },
        ...made,
      });
    const workerd = await startWorkerd(configure(made), options.onDeath);
    const clock = crons
      ? setInterval(() => runCrons(workerd.miniflare), CRON_INTERVAL_MS).unref()
      : undefined;
    const url = await workerd.miniflare.ready;
    const db = (binding = "DB"): Promise<D1Database> => workerd.miniflare.getD1Database(binding);
    return {
      url,
      routers:
        routers === 1
          ? [url]
          : await Promise.all(
              routerNames(routers).map((name) => workerd.miniflare.unsafeGetDirectURL(name)),
            ),
      db,
      media: () => workerd.miniflare.getR2Bucket("MEDIA"),
      workerd,
      async reload(bundle) {
        await migrate(await db());
        for (const name of statsNames(stats)) await migrate(await db(name), "stats");
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
 * Migrates and seeds in a workerd of its own, without a public port, while the bundle is being built. The
 * first request must find the pages: the edge cache would keep its 404 for half a minute.
 */
async function prepareState(
  statePath: string,
  { seed, stats = 0 }: Pick<ServerOptions, "seed" | "stats">,
): Promise<void> {
  const { miniflare, dispose } = await startWorkerd(storesOptions(statePath, stats));
  try {
    const db: D1Database = await miniflare.getD1Database("DB");
    await migrate(db);
    for (const name of statsNames(stats))
      await migrate(await miniflare.getD1Database(name), "stats");
    await seed?.(db, await miniflare.getR2Bucket("MEDIA"));
  } finally {
    await dispose();
  }
}

/** The code of the Workers: the first one's modules, with that of one machine or of a test around them. */
interface Made {
  code: object;
  workshop: Code;
  identity: Code;
}

/** The code of the caller, or wrangler's. */
async function makeCode(statePath: string, options: ServerOptions): Promise<Made> {
  if (options.bundle !== undefined) return madeOf(statePath, await options.bundle(), options);
  const scriptPath = await bundledWorker(join(statePath, "bundle"));
  return madeOf(dirname(scriptPath), await readBundle(scriptPath), options);
}

async function madeOf(
  folder: string,
  bundle: Bundle,
  { around, aroundIdentity }: ServerOptions,
): Promise<Made> {
  const [code, identity] = await Promise.all([
    modulesAround(folder, bundle, around?.module),
    aroundIdentity === undefined
      ? bundle.identity
      : identityAround(bundle.identity, aroundIdentity),
  ]);
  return { code, workshop: bundle.workshop, identity };
}

/** Miniflare reads the `[triggers]` but has no clock. A run that fails is repeated by the next one. */
async function runCrons(miniflare: Miniflare): Promise<void> {
  try {
    const worker = await miniflare.getWorker();
    for (const cron of readCrons()) await worker.scheduled({ cron });
  } catch (error) {
    console.error("cron:", error);
  }
}

export type Secrets = Awaited<ReturnType<typeof readSecrets>>;

/** The secrets of a state folder, generated once: a new SENDER_KEY would reset every rate limit. */
export async function readSecrets(statePath: string) {
  return {
    SENDER_KEY: await readSecret(statePath, "sender-key"),
    SESSION_KEY: await readSecret(statePath, "session-key"),
    HUB_WEBHOOK_SECRET: `whsec_${await readSecret(statePath, "hub-webhook-secret")}`,
  };
}

/** 32 random bytes in base64, generated once for a state folder. */
export async function readSecret(statePath: string, name: string): Promise<string> {
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
