/**
 * Wrangler's view of the checkout as JSON: the Workers' bindings, the crons, the migrations. `npm
 * run serve` takes it from its build, because wrangler takes more memory than the service.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../root.ts";
import { IDENTITY_CONFIG, QUIET_WRANGLER, WORKSHOP_CONFIG } from "./bundle.ts";

Object.assign(process.env, QUIET_WRANGLER);
// Imported here, because it reads the environment as it loads.
const { unstable_getMiniflareWorkerOptions, unstable_readConfig, unstable_splitSqlQuery } =
  await import("wrangler");

export interface Checkout {
  service: WorkerOptions;
  workshop: WorkerOptions;
  identity: WorkerOptions;
  crons: string[];
  migrations: { main: Migration[]; stats: Migration[] };
}

/** A Worker's options for Miniflare in the shape of its version 4, without the code. */
export type WorkerOptions = { name: string } & ReturnType<
  typeof unstable_getMiniflareWorkerOptions
>["workerOptions"];

export interface Migration {
  name: string;
  statements: string[];
}

export async function readCheckout(): Promise<Checkout> {
  const service = join(ROOT, "wrangler.toml");
  return {
    service: workerOptions(service),
    workshop: workerOptions(WORKSHOP_CONFIG),
    identity: workerOptions(IDENTITY_CONFIG),
    crons: unstable_readConfig({ config: service }).triggers.crons ?? [],
    migrations: {
      main: await readMigrations("migrations"),
      stats: await readMigrations("migrations/stats"),
    },
  };
}

/** Module rules are for bundling. */
function workerOptions(file: string): WorkerOptions {
  const config = unstable_readConfig({ config: file });
  const { modulesRules: _, ...worker } = unstable_getMiniflareWorkerOptions(config).workerOptions;
  if (config.name === undefined) throw new Error(`${file} names no Worker`);
  return Object.assign(worker, { name: config.name });
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(join(ROOT, folder))).filter((name) => name.endsWith(".sql")).sort();
  const read = names.map(async (name) => {
    const sql = await readFile(join(ROOT, folder, name), "utf8");
    return { name, statements: unstable_splitSqlQuery(sql) };
  });
  // An editor may create a file before it writes its text.
  return (await Promise.all(read)).filter(({ statements }) => statements.length > 0);
}
