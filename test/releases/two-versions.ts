/**
 * Two versions of the service on one state folder: one owns the objects, and each has a router in front of them, as in
 * the minutes of a deployment. Which version owns the objects changes by a restart, which breaks what is under way.
 */
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, type MiniflareOptions } from "miniflare";
import {
  unstable_getMiniflareWorkerOptions,
  unstable_readConfig,
  unstable_splitSqlQuery,
} from "wrangler";
import { ROOT } from "../../src/commands/root.ts";
import { modulesAround } from "../../src/commands/serve/around.ts";
import { readCheckout } from "../../src/commands/serve/checkout.ts";
import { migrate } from "../../src/commands/serve/migrate.ts";
import { workerBehind } from "../../src/commands/serve/miniflare-options.ts";
import { type Bundle, modulesOf } from "../../src/commands/serve/modules.ts";
import { startWorkerd, type Workerd } from "../../src/commands/serve/workerd.ts";
import type { Release } from "./release-file.ts";

type Options = ReturnType<typeof unstable_getMiniflareWorkerOptions>["workerOptions"];

export type Side = "old" | "new";

const OWNER = "sila";
const OTHER = "other";

/** A module without anything: the magic number and the version (WebAssembly Core 5.5.16). */
const EMPTY_WASM = Uint8Array.of(0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00);

export class TwoVersions {
  readonly #statePath: string;
  readonly #vars: Record<string, string>;
  readonly #sides: Record<Side, { options: Options; code: object }>;
  readonly #behind: readonly object[];
  #workerd: Workerd | undefined;

  private constructor(
    statePath: string,
    vars: Record<string, string>,
    sides: Record<Side, { options: Options; code: object }>,
    behind: readonly object[],
  ) {
    this.#statePath = statePath;
    this.#vars = vars;
    this.#sides = sides;
    this.#behind = behind;
  }

  static async make(
    statePath: string,
    vars: Record<string, string>,
    release: Release,
    bundle: Bundle,
  ): Promise<TwoVersions> {
    const today = optionsOf(join(ROOT, "wrangler.toml"));
    const folder = join(statePath, "old");
    await mkdir(folder, { recursive: true });
    const config = join(folder, "wrangler.toml");
    await writeFile(
      config,
      release.configuration.replace(
        /^directory = .*$/m,
        `directory = "${join(ROOT, "src/client/dist/public")}"`,
      ),
    );
    const before = optionsOf(config);
    // The same database, namespace and bucket, whatever the ids in the two files are; a bucket that is not bound any more
    // stays.
    const shared = <T extends object>(old: T | undefined, now: T | undefined) =>
      Object.fromEntries(
        Object.entries(old ?? {}).map(([name, its]) => [
          name,
          (now as Record<string, unknown>)[name] ?? its,
        ]),
      );
    Object.assign(before, {
      d1Databases: shared(before.d1Databases as object, today.d1Databases as object),
      kvNamespaces: shared(before.kvNamespaces as object, today.kvNamespaces as object),
      r2Buckets: shared(before.r2Buckets as object, today.r2Buckets as object),
    });
    const old = {
      script: release.script,
      wasm: new Map(release.wasm.map((name) => [name, EMPTY_WASM])),
    };
    const sides = {
      old: { options: before, code: modulesOf(folder, old) },
      new: { options: today, code: await modulesAround(join(statePath, "new"), bundle) },
    };
    const { workshop, identity } = await readCheckout();
    const behind = [
      workerBehind(workshop, bundle.workshop),
      workerBehind(identity, bundle.identity),
    ];
    return new TwoVersions(statePath, vars, sides, behind);
  }

  async serve(objects: Side): Promise<void> {
    const options = this.#optionsFor(objects);
    if (this.#workerd === undefined) this.#workerd = await startWorkerd(options);
    else await this.#workerd.reload(options);
  }

  /** Addresses of the routers; those of before a restart are gone. */
  async routers(): Promise<string[]> {
    const { miniflare } = this.#running;
    const urls = [OWNER, OTHER].map((name) => miniflare.unsafeGetDirectURL(name));
    return (await Promise.all(urls)).map(({ href }) => href);
  }

  /** Applies the migrations of the old version, before anything is served. */
  async migrateToOld(release: Release): Promise<void> {
    const db = await this.db();
    await db.prepare("CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT UNIQUE)").run();
    for (const name of Object.keys(release.migrations)) {
      if (name.includes("/")) continue;
      const sql = readFileSync(join(ROOT, "migrations", name), "utf8");
      await db.batch([
        ...unstable_splitSqlQuery(sql).map((statement) => db.prepare(statement)),
        db.prepare("INSERT INTO d1_migrations (name) VALUES (?1)").bind(name),
      ]);
    }
  }

  /** Applies what is missing, as a deployment does before it uploads the new code. */
  async migrateToNew(): Promise<void> {
    await migrate(await this.db(), (await readCheckout()).migrations.main);
  }

  db(): Promise<D1Database> {
    return this.#running.miniflare.getD1Database("DB");
  }

  async totals(page_id: string): Promise<{ kind: string; link_id: string; accepted: number }[]> {
    const namespace = await this.#running.miniflare.getDurableObjectNamespace("PAGE");
    const stub = (namespace as unknown as { getByName(name: string): PageStub }).getByName(page_id);
    return (await stub.snapshot()).totals;
  }

  async stop(): Promise<void> {
    await this.#workerd?.dispose();
  }

  get #running(): Workerd {
    if (this.#workerd === undefined) throw new Error("call serve first");
    return this.#workerd;
  }

  #optionsFor(objects: Side): MiniflareOptions {
    const other = objects === "old" ? "new" : "old";
    const owner = this.#worker(objects, OWNER);
    const classes = new Set(
      Object.values(this.#sides[objects].options.durableObjects ?? {}).map(classOf),
    );
    return convertV4MiniflareOptions({
      workers: [owner, this.#worker(other, OTHER, classes), ...this.#behind],
      rootPath: ROOT,
      host: "127.0.0.1",
      port: 0,
      resourcePersistencePath: join(this.#statePath, "v3"),
      logRequests: false,
      telemetry: { enabled: false },
      cf: false,
      log: new Log(LogLevel.ERROR),
    } as Parameters<typeof convertV4MiniflareOptions>[0]);
  }

  /** @param owned classes of the objects that the first Worker has; those of a class that it has not stay here */
  #worker(side: Side, name: string, owned?: ReadonlySet<string>): object {
    const { options, code } = this.#sides[side];
    const { modulesRules: _, email: __, ...worker } = options as Options & { modulesRules: object };
    const durableObjects = Object.entries(worker.durableObjects ?? {}).map(([binding, object]) => [
      binding,
      owned?.has(classOf(object)) ? { ...(object as object), scriptName: OWNER } : object,
    ]);
    return {
      ...worker,
      ...code,
      modules: (code as { modules: unknown }).modules,
      name,
      durableObjects: Object.fromEntries(durableObjects),
      bindings: {
        ...(worker.bindings as object),
        // Of version 3.1.
        EDGE_CACHE: "local",
        ONE_MACHINE: true,
        ...this.#vars,
      },
      unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
    };
  }
}

interface PageStub {
  snapshot(): Promise<{ totals: { kind: string; link_id: string; accepted: number }[] }>;
}

function classOf(object: unknown): string {
  return typeof object === "string" ? object : (object as { className: string }).className;
}

function optionsOf(config: string): Options {
  return unstable_getMiniflareWorkerOptions(unstable_readConfig({ config })).workerOptions;
}
