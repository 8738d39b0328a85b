/** The service needs databases and namespaces before its code is there. */
import { type Configuration, resourceName } from "./configuration.ts";
import { DeployError } from "./deploy-error.ts";
import { step } from "./step.ts";
import { type Wrangler, WranglerFailed } from "./wrangler.ts";

/** "Please enable R2 through the Cloudflare Dashboard." */
const R2_IS_OFF = 10042;

/**
 * Checked before anything is made: wrangler takes this refusal for a token's lack of a permission,
 * and its upload then fails for another reason. @throws {DeployError}
 */
export async function checkBuckets(wrangler: Wrangler): Promise<void> {
  try {
    await wrangler.run(["r2", "bucket", "list"]);
  } catch (error) {
    if (!(error instanceof WranglerFailed) || error.code !== R2_IS_OFF) return;
    throw new DeployError(
      "R2, where pictures and files are kept, is not switched on in this account.",
      "Open R2 in the dashboard and switch it on, once, then run the same command again. It asks for a payment card, also for what costs nothing.",
    );
  }
}

/** A namespace without an id is found by its title: the upload makes it, but not a second time. */
export async function findNamespaces(
  wrangler: Wrangler,
  configurations: readonly Configuration[],
): Promise<void> {
  const list = (await wrangler.ask(["kv", "namespace", "list"])) as { id: string; title: string }[];
  for (const { name, kv_namespaces = [] } of configurations) {
    for (const one of kv_namespaces) {
      const id = list.find(({ title }) => title === resourceName(name, one.binding))?.id;
      if (id !== undefined) one.id ??= id;
    }
  }
}

/**
 * Runs before the code is there: none may run without its tables. Wrangler would make a database in
 * the midst of the upload, where it resolves a name for each Worker by itself.
 */
export async function prepareDatabases(
  wrangler: Wrangler,
  service: Configuration,
  config: string,
  dry_run: boolean,
): Promise<void> {
  const list = (await wrangler.ask(["d1", "list", "--json"])) as { name: string; uuid: string }[];
  for (const one of service.d1_databases ?? []) {
    const { binding, database_name = "" } = one;
    one.database_id ??= list.find(({ name }) => name === database_name)?.uuid;
    const exists = one.database_id !== undefined;
    const on = ["--remote", "--config", config];
    if (exists) {
      const query = ["d1", "execute", binding, ...on, "--json", "--command", TABLES];
      const [answer] = (await wrangler.ask(query)) as { results: { name: string }[] }[];
      const tables = answer?.results.map(({ name }) => name) ?? [];
      if (tables.length > 0 && !tables.some((name) => OWN_TABLES.includes(name))) {
        throw foreign("database", database_name);
      }
    } else {
      await step(
        dry_run,
        `make the database ${database_name}`,
        () => wrangler.run(["d1", "create", database_name]),
        "Look whether the account may have D1, and one more database.\n",
      );
    }
    await step(
      dry_run,
      `apply the migrations that ${database_name} lacks`,
      () => wrangler.run(["d1", "migrations", "apply", binding, ...on]),
      "A migration that failed is undone as a whole, and the service runs as before.\n",
    );
  }
}

/** Leaves out D1's and SQLite's own tables, and that of a first migration that failed. */
const TABLES = `SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'd1_migrations'
  AND substr(name, 1, 4) <> '_cf_' AND substr(name, 1, 7) <> 'sqlite_'`;
/** The first migration makes these in a database of pages and in one of statistics. */
const OWN_TABLES = ["pages", "tallies"];

export function foreign(kind: string, name: string): DeployError {
  return new DeployError(
    `The account has a ${kind} ${name}, which is not Sila's. Nothing was changed.`,
    "Choose another name in wrangler.toml, or another account by CLOUDFLARE_ACCOUNT_ID.",
  );
}
