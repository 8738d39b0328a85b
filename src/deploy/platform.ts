/** What the platform has of a service: asked by wrangler, and nothing is changed by asking. */
import type { Configuration } from "./configuration.ts";
import { jsonIn, type Wrangler, WranglerFailed } from "./wrangler.ts";

export interface FoundDatabase {
  binding: string;
  name: string;
  exists: boolean;
  /** Names of the applied migrations, oldest first. */
  applied: string[];
}

export interface Found {
  /** The version that serves; null before the first deployment. */
  current: { id: string; tag: string; created_on: string } | null;
  secrets: string[];
  databases: FoundDatabase[];
  /** Binding names of namespaces that the Worker has not, but the account: their ids. */
  namespaces: Record<string, string>;
}

export interface Account {
  id: string;
  name: string;
}

interface VersionView {
  id: string;
  annotations?: Record<string, string>;
  metadata: { created_on: string };
  resources: { bindings: { name: string; type: string }[] };
}

/** The accounts of the user who is signed in to wrangler; null if nobody is. */
export async function readAccounts(wrangler: Wrangler): Promise<Account[] | null> {
  try {
    return (jsonIn(await wrangler.run(["whoami", "--json"])) as { accounts: Account[] }).accounts;
  } catch (error) {
    if (!(error instanceof WranglerFailed)) throw error;
    if (
      /"loggedIn": ?false|not authenticated|authentication error|\b(?:401|10000|9109)\b/i.test(
        error.output,
      )
    )
      return null;
    throw error;
  }
}

/**
 * @param config path of the environment's configuration
 * @param title the title of a namespace that an earlier, broken-off run made
 */
export async function look(
  wrangler: Wrangler,
  configuration: Configuration,
  config: string,
  title: (binding: string) => string,
): Promise<Found> {
  const [current, databases] = await Promise.all([
    readCurrent(wrangler, configuration.name),
    readDatabases(wrangler, configuration, config),
  ]);
  const bindings = current?.resources.bindings ?? [];
  const found = {
    current:
      current === null
        ? null
        : {
            id: current.id,
            tag: current.annotations?.["workers/tag"] ?? "",
            created_on: current.metadata.created_on,
          },
    secrets: bindings.filter(({ type }) => type === "secret_text").map(({ name }) => name),
    databases,
  };
  const without = (configuration.kv_namespaces ?? []).filter(
    ({ binding, id }) => id === undefined && !bindings.some(({ name }) => name === binding),
  );
  if (without.length === 0) return { ...found, namespaces: {} };
  const all = jsonIn(await wrangler.run(["kv", "namespace", "list"])) as {
    id: string;
    title: string;
  }[];
  const namespaces = without.flatMap(({ binding }) => {
    const id = all.find((one) => one.title === title(binding))?.id;
    return id === undefined ? [] : [[binding, id]];
  });
  return { ...found, namespaces: Object.fromEntries(namespaces) };
}

/** The version with all traffic, or most of it. */
async function readCurrent(wrangler: Wrangler, name: string): Promise<VersionView | null> {
  try {
    const status = jsonIn(
      await wrangler.run(["deployments", "status", "--json", "--name", name]),
    ) as { versions: { version_id: string; percentage: number }[] };
    const [first] = status.versions.toSorted((a, b) => b.percentage - a.percentage);
    if (first === undefined) return null;
    const view = ["versions", "view", first.version_id, "--json", "--name", name];
    return jsonIn(await wrangler.run(view)) as VersionView;
  } catch (error) {
    if (error instanceof WranglerFailed && error.isMissing) return null;
    throw error;
  }
}

async function readDatabases(
  wrangler: Wrangler,
  configuration: Configuration,
  config: string,
): Promise<FoundDatabase[]> {
  return Promise.all(
    configuration.d1_databases.map(async ({ binding, database_name: name }) => {
      const applied = await readApplied(wrangler, binding, config);
      return { binding, name, exists: applied !== null, applied: applied ?? [] };
    }),
  );
}

/**
 * The applied migrations; null where there is no such database. `wrangler d1 migrations list` would make the table,
 * which a dry run must not.
 */
async function readApplied(
  wrangler: Wrangler,
  binding: string,
  config: string,
): Promise<string[] | null> {
  const sql = "SELECT name FROM d1_migrations ORDER BY id";
  try {
    const [answer] = jsonIn(
      await wrangler.run([
        ...["d1", "execute", binding, "--remote", "--json", "--config", config],
        ...["--command", sql],
      ]),
    ) as { results: { name: string }[] }[];
    return (answer?.results ?? []).map(({ name }) => name);
  } catch (error) {
    if (!(error instanceof WranglerFailed)) throw error;
    if (/no such table/i.test(error.output)) return [];
    if (error.isMissing) return null;
    throw error;
  }
}
