/**
 * The configurations of one deployment, made from the files of the repository: wrangler's own named environments inherit
 * no bindings, so each would have to repeat all of them. Every name that an account has once gets the environment's name.
 */
import { createHash } from "node:crypto";
import { dirname, join, relative } from "node:path";
import { experimental_readRawConfig } from "wrangler";
import { ROOT } from "../root.ts";
import { DeployError } from "./deploy-error.ts";

/** The order of uploads. The last Worker is the service itself and binds the others. */
const WORKERS = ["src/workshop/wrangler.toml", "src/identity/wrangler.toml", "wrangler.toml"];

export const PRODUCTION = "production";

interface Database {
  binding: string;
  database_name?: string;
  database_id?: string | undefined;
  migrations_dir?: string;
}

export interface Configuration {
  name: string;
  main: string;
  account_id?: string | undefined;
  vars?: Record<string, string> | undefined;
  assets?: { directory: string; [field: string]: unknown } | undefined;
  services?: { binding: string; service: string; [field: string]: unknown }[] | undefined;
  d1_databases?: Database[] | undefined;
  kv_namespaces?: { binding: string; id?: string | undefined }[] | undefined;
  r2_buckets?: { binding: string; bucket_name?: string }[] | undefined;
  ratelimits?: { namespace_id: string; [field: string]: unknown }[] | undefined;
  analytics_engine_datasets?: { binding: string; dataset?: string }[] | undefined;
  routes?: unknown[] | undefined;
  route?: unknown;
  [field: string]: unknown;
}

/** Paths begin at the folder of the deployment's own files. @throws {DeployError} */
export function readConfigurations(folder: string): Configuration[] {
  return WORKERS.map((file) => {
    try {
      const { rawConfig } = experimental_readRawConfig({ config: join(ROOT, file) });
      const from = relative(folder, join(ROOT, dirname(file)));
      return withPaths(rawConfig as unknown as Configuration, from);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new DeployError(`${file} cannot be read: ${reason}`, `Mend it: git diff ${file}`);
    }
  });
}

function withPaths(raw: Configuration, from: string): Configuration {
  return {
    ...raw,
    main: join(from, raw.main),
    assets: raw.assets && { ...raw.assets, directory: join(from, raw.assets.directory) },
    d1_databases: raw.d1_databases?.map((one) => ({
      ...one,
      migrations_dir: join(from, one.migrations_dir ?? "migrations"),
    })),
  };
}

/**
 * Puts these variables in place of the file's; the service comes last, and `ci_name` is the
 * Worker's name in Workers Builds. Routes and ids are production's: another environment with the
 * same route would take its visitors. @throws {DeployError} where a database would be used twice
 */
export function configurationsOf(
  raws: readonly Configuration[],
  environment: string,
  vars: Record<string, string>,
  ci_name = process.env.WRANGLER_CI_OVERRIDE_NAME || undefined,
): Configuration[] {
  const base = serviceOf(raws).name;
  const name = inEnvironment(environment, ci_name ?? base);
  const own = new Set(raws.map((raw) => raw.name));
  const renamed = (worker: string) => (own.has(worker) ? worker.replace(base, name) : worker);
  const configurations = raws.map((raw) => ({
    ...configurationOf(raw, environment, name),
    name: renamed(raw.name),
    services: raw.services?.map((one) => ({ ...one, service: renamed(one.service) })),
  }));
  const service = serviceOf(configurations);
  service.vars = { ...service.vars, ...vars };
  for (const one of configurations) {
    one.d1_databases = asBound(one.d1_databases, service.d1_databases);
    one.r2_buckets = asBound(one.r2_buckets, service.r2_buckets);
  }
  refuseTwice(service);
  if (environment !== PRODUCTION) {
    refuseSharing(configurations, configurationsOf(raws, PRODUCTION, {}, ci_name));
  }
  return configurations;
}

export function serviceOf(configurations: readonly Configuration[]): Configuration {
  const service = configurations.at(-1);
  if (service === undefined) throw new Error("there is no Worker");
  return service;
}

function inEnvironment(environment: string, name: string, by = "-"): string {
  return environment === PRODUCTION ? name : name + by + environment;
}

/** @param name of the service, which keys its limits */
function configurationOf(raw: Configuration, environment: string, name: string): Configuration {
  const isProduction = environment === PRODUCTION;
  const production = <T>(value: T) => (isProduction ? value : undefined);
  const own = (resource: string, by?: string) => inEnvironment(environment, resource, by);
  return {
    ...raw,
    account_id: undefined,
    routes: production(raw.routes),
    route: production(raw.route),
    d1_databases: raw.d1_databases?.map((one) => ({
      ...one,
      database_id: production(one.database_id),
      database_name: own(one.database_name ?? resourceName(raw.name, one.binding)),
    })),
    kv_namespaces: raw.kv_namespaces?.map(({ binding, id }) => ({ binding, id: production(id) })),
    r2_buckets: raw.r2_buckets?.map((one) => ({
      ...one,
      bucket_name: own(one.bucket_name ?? resourceName(raw.name, one.binding)),
    })),
    ratelimits: raw.ratelimits?.map((one) => ({
      ...one,
      namespace_id: production(one.namespace_id) ?? limitNamespace(one.namespace_id, name),
    })),
    analytics_engine_datasets: raw.analytics_engine_datasets?.map((one) => ({
      ...one,
      dataset: own(one.dataset ?? one.binding.toLowerCase(), "_"),
    })),
  };
}

/**
 * Replaces a Worker's bindings by the service's own. By the name in the file wrangler would find or
 * make another one where the service has an id or another name.
 */
function asBound<T extends { binding: string }>(
  own: readonly T[] | undefined,
  of_service: readonly T[] = [],
): T[] | undefined {
  return own?.map((one) => of_service.find(({ binding }) => binding === one.binding) ?? one);
}

/** Wrangler gives this name to a resource where the configuration gives none. */
export function resourceName(worker: string, binding: string): string {
  return `${worker}-${binding.toLowerCase().replaceAll("_", "-")}`;
}

/** Two homes of pages in one database would delete each other's rows. */
function refuseTwice({ d1_databases = [] }: Configuration): void {
  const names = d1_databases.map(({ database_name }) => database_name);
  const ids = d1_databases.flatMap(({ database_id }) => database_id ?? []);
  const [twice] = [names, ids].flatMap((all) => all.filter((one, i) => all.indexOf(one) < i));
  if (twice === undefined) return;
  throw new DeployError(
    `Two bindings in wrangler.toml name the database ${twice}.`,
    "Give each a database of its own.",
  );
}

/** An environment's name may make one of production's: `sila-stats-0`, `sila-workshop`. */
function refuseSharing(own: readonly Configuration[], production: readonly Configuration[]): void {
  const namesOf = (all: readonly Configuration[]) => ({
    Worker: all.map(({ name }) => name),
    database: all.flatMap((one) => one.d1_databases ?? []).map((one) => one.database_name ?? ""),
  });
  for (const kind of ["Worker", "database"] as const) {
    const shared = namesOf(own)[kind].find((name) => namesOf(production)[kind].includes(name));
    if (shared === undefined) continue;
    throw new DeployError(
      `This environment would use production's ${kind} ${shared}.`,
      "Give it another name with --env.",
    );
  }
}

/** Numbers of rate limits are the account's: two services with one would share its limit. */
function limitNamespace(base: string, name: string): string {
  const hash = createHash("sha256").update(`${base} ${name}`).digest().readUInt32BE();
  return String(100_000 + (hash % 900_000));
}
