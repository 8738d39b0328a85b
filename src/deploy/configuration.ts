/**
 * The configuration of one environment, made from the one `wrangler.toml`: wrangler's own named environments inherit no
 * bindings, so each would have to repeat all of them. Every name that an account has once gets the environment's name.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { DeployError } from "./deploy-error.ts";
import { ROOT } from "./wrangler.ts";

export const PRODUCTION = "production";

export interface DatabaseBinding {
  binding: string;
  database_name?: string;
  database_id?: string;
  migrations_dir?: string;
}

/** What this folder reads of `wrangler.toml`; the rest is passed on as it is. */
export interface RawConfiguration {
  name: string;
  main: string;
  account_id?: string;
  vars?: Record<string, string>;
  assets?: { directory: string; [field: string]: unknown };
  d1_databases?: DatabaseBinding[];
  kv_namespaces?: { binding: string; id?: string }[];
  r2_buckets?: { binding: string; bucket_name?: string }[];
  ratelimits?: { name: string; namespace_id: string; [field: string]: unknown }[];
  analytics_engine_datasets?: { binding: string; dataset?: string }[];
  [field: string]: unknown;
}

export interface Configuration extends RawConfiguration {
  vars: Record<string, string>;
  d1_databases: (DatabaseBinding & { database_name: string })[];
}

/** wrangler.toml, with the name of the Worker that Workers Builds is connected to. @throws {DeployError} */
export async function readConfiguration(): Promise<RawConfiguration> {
  const { experimental_readRawConfig } = await import("wrangler");
  try {
    const { rawConfig } = experimental_readRawConfig({ config: join(ROOT, "wrangler.toml") });
    const raw = rawConfig as unknown as RawConfiguration;
    return { ...raw, name: process.env.WRANGLER_CI_OVERRIDE_NAME || raw.name };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DeployError(
      `wrangler.toml cannot be read: ${reason}`,
      "Mend it: git diff wrangler.toml",
    );
  }
}

/**
 * That of an environment, with these variables in place of the file's. Paths stay relative to the root. Routes and ids
 * are production's: another environment with the same route would take its visitors.
 *
 * @throws {DeployError} where a database would be used twice
 */
export function configurationOf(
  raw: RawConfiguration,
  environment: string,
  vars: Record<string, string>,
): Configuration {
  const isProduction = environment === PRODUCTION;
  const suffixed = (name: string, by = "-") => (isProduction ? name : name + by + environment);
  const name = suffixed(raw.name);
  const { build: _, account_id: __, routes, route, ...rest } = raw;
  const configuration: Configuration = {
    ...rest,
    ...(isProduction && routes !== undefined ? { routes } : {}),
    ...(isProduction && route !== undefined ? { route } : {}),
    name,
    vars: { ...raw.vars, ...vars },
    d1_databases: (raw.d1_databases ?? []).map(({ database_id, ...database }) => ({
      ...database,
      ...(isProduction && database_id !== undefined ? { database_id } : {}),
      database_name: suffixed(
        database.database_name ??
          `${raw.name}-${database.binding.toLowerCase().replaceAll("_", "-")}`,
      ),
    })),
    kv_namespaces: (raw.kv_namespaces ?? []).map(({ binding, id }) =>
      isProduction && id !== undefined ? { binding, id } : { binding },
    ),
    r2_buckets: (raw.r2_buckets ?? []).map((bucket) => ({
      ...bucket,
      bucket_name: suffixed(bucket.bucket_name ?? `${raw.name}-${bucket.binding.toLowerCase()}`),
    })),
    ratelimits: (raw.ratelimits ?? []).map((limit) => ({
      ...limit,
      namespace_id: isProduction ? limit.namespace_id : limitNamespace(limit.namespace_id, name),
    })),
    ...(raw.analytics_engine_datasets === undefined
      ? {}
      : {
          analytics_engine_datasets: raw.analytics_engine_datasets.map((one) => ({
            ...one,
            dataset: suffixed(one.dataset ?? one.binding.toLowerCase(), "_"),
          })),
        }),
  };
  refuseSharing(raw, configuration, isProduction);
  return configuration;
}

/** Two homes of pages in one database would delete each other's rows, and an environment those of production. */
function refuseSharing(
  raw: RawConfiguration,
  { d1_databases }: Configuration,
  isProduction: boolean,
) {
  const names = d1_databases.map(({ database_name }) => database_name);
  const ids = d1_databases.flatMap(({ database_id }) => database_id ?? []);
  const [twice] = [names, ids].flatMap((all) => all.filter((one, i) => all.indexOf(one) < i));
  if (twice !== undefined) {
    throw new DeployError(
      `Two bindings in wrangler.toml name the database ${twice}.`,
      "Give each a database of its own.",
    );
  }
  const production = isProduction ? [] : configurationOf(raw, PRODUCTION, {}).d1_databases;
  const shared = production.find(({ database_name }) => names.includes(database_name));
  if (shared === undefined) return;
  throw new DeployError(
    `This environment would use production's database ${shared.database_name}.`,
    "Give it another name with --env.",
  );
}

/** The title that wrangler gives to the namespace of a new Worker. */
export function kvTitle(name: string, binding: string): string {
  return `${name}-${binding.toLowerCase().replaceAll("_", "-")}`;
}

/** The same with absolute paths, for a file in another folder than the root. The command builds before. */
export function withPaths({ main, assets, d1_databases, ...rest }: Configuration): Configuration {
  return {
    ...rest,
    main: join(ROOT, main),
    ...(assets === undefined
      ? {}
      : { assets: { ...assets, directory: join(ROOT, assets.directory) } }),
    d1_databases: d1_databases.map(({ migrations_dir, ...database }) => ({
      ...database,
      migrations_dir: join(ROOT, migrations_dir ?? "migrations"),
    })),
  };
}

/** The number of a rate limit is the account's: two services with the same would share one limit. */
function limitNamespace(base: string, name: string): string {
  const hash = createHash("sha256").update(`${base} ${name}`).digest().readUInt32BE();
  return String(100_000 + (hash % 900_000));
}
