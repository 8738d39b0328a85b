/** What the platform has of a service: asked by wrangler, and nothing is changed by asking. */
import type { Configuration } from "./configuration.ts";
import { DeployError } from "./deploy-error.ts";
import { jsonIn, type Wrangler, WranglerFailed } from "./wrangler.ts";

export interface FoundDatabase {
  binding: string;
  name: string;
  exists: boolean;
  /** Names of the applied migrations, oldest first. */
  applied: string[];
  /** Whether it has tables, and none of migrations. */
  is_foreign: boolean;
}

export interface Found {
  /** The version that serves; null before the first deployment. */
  current: { tag: string; is_sila: boolean } | null;
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
  annotations?: Record<string, string>;
  resources: { bindings: { name: string; type: string }[] };
}

/** Not any "not found": a Worker that is taken for missing would get new secrets. */
const NO_WORKER = /\[code: 100(?:07|90)\]/;
/** One that the button or a build has made. */
const NO_DEPLOYMENT = /has no deployments/;
const NO_DATABASE = /Couldn't find an? (?:auto-provisioned )?D1 DB|\[code: 7404\]/;
/** Every version of Sila has it. */
const OWN_BINDING = "PAGE";

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
  const [{ current, bindings }, databases] = await Promise.all([
    readCurrent(wrangler, configuration.name),
    readDatabases(wrangler, configuration, config),
  ]);
  const secrets = bindings.filter(({ type }) => type === "secret_text").map(({ name }) => name);
  const found = { current, secrets, databases };
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
async function readCurrent(
  wrangler: Wrangler,
  name: string,
): Promise<{ current: Found["current"]; bindings: VersionView["resources"]["bindings"] }> {
  let status: { versions: { version_id: string; percentage: number }[] };
  try {
    const printed = await wrangler.run(["deployments", "status", "--json", "--name", name]);
    status = jsonIn(printed) as typeof status;
  } catch (error) {
    if (!(error instanceof WranglerFailed)) throw error;
    if (NO_WORKER.test(error.output)) return { current: null, bindings: [] };
    if (!NO_DEPLOYMENT.test(error.output)) throw error;
    const list = ["secret", "list", "--format", "json", "--name", name];
    return { current: null, bindings: jsonIn(await wrangler.run(list)) as [] };
  }
  const [first] = status.versions.toSorted((a, b) => b.percentage - a.percentage);
  if (first === undefined) throw new Error(`a deployment of ${name} has no version`);
  const view = ["versions", "view", first.version_id, "--json", "--name", name];
  const { annotations, resources } = jsonIn(await wrangler.run(view)) as VersionView;
  const { bindings } = resources;
  const is_sila = bindings.some((one) => one.name === OWN_BINDING);
  return { current: { tag: annotations?.["workers/tag"] ?? "", is_sila }, bindings };
}

function readDatabases(
  wrangler: Wrangler,
  configuration: Configuration,
  config: string,
): Promise<FoundDatabase[]> {
  const query = async (binding: string, sql: string) => {
    const args = ["d1", "execute", binding, "--remote", "--json", "--config", config];
    const printed = await wrangler.run([...args, "--command", sql]);
    const [answer] = jsonIn(printed) as { results: { name: string }[] }[];
    return (answer?.results ?? []).map(({ name }) => name);
  };
  return Promise.all(
    configuration.d1_databases.map(async ({ binding, database_name: name, database_id }) => {
      const found = { binding, name, exists: true, applied: [] as string[], is_foreign: false };
      try {
        return { ...found, applied: await query(binding, APPLIED) };
      } catch (error) {
        if (!(error instanceof WranglerFailed)) throw error;
        if (/no such table/i.test(error.output)) {
          return { ...found, is_foreign: (await query(binding, TABLES)).length > 0 };
        }
        if (!NO_DATABASE.test(error.output)) throw error;
        if (database_id === undefined) return { ...found, exists: false };
        throw new DeployError(
          `The account has no database with the id ${database_id}, which wrangler.toml gives to ${binding}.`,
          "Look whether it is the right account. Without an id the database is found by its name, or made.",
        );
      }
    }),
  );
}

/** `wrangler d1 migrations list` would make the table, which a dry run must not. */
const APPLIED = "SELECT name FROM d1_migrations ORDER BY id";
/** Without D1's and SQLite's own. */
const TABLES = `SELECT name FROM sqlite_master WHERE type = 'table'
  AND substr(name, 1, 4) <> '_cf_' AND substr(name, 1, 7) <> 'sqlite_'`;
