/** What `npm run doctor` sees on this machine: versions, wrangler.toml, secrets, limits, the local database. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parseEnv } from "node:util";
import release from "../../package.json" with { type: "json" };
import { notAdditive } from "./additive.ts";
import { buildFiles, buildWorker } from "./build.ts";
import {
  type Configuration,
  configurationOf,
  readConfiguration,
  withPaths,
} from "./configuration.ts";
import { DeployError } from "./deploy-error.ts";
import { type Finding, note, ok, wrong } from "./finding.ts";
import type { KeptFiles } from "./kept.ts";
import { FIRST_RELEASE, readMigrations } from "./migrations.ts";
import { withFolder, writeJson } from "./scratch.ts";
import { adviceFor, chooseVars, settingFaults } from "./settings.ts";
import { jsonIn, ROOT, WranglerFailed, wranglerWith } from "./wrangler.ts";

const NODE_MIN = 24;
/** Compressed bytes of a Worker that the platform takes, by plan. */
const WORKER_BYTES_MAX = { free: 3_000_000, paid: 10_000_000 };
/** Mails a month that the paid plan includes. */
const MAILS_INCLUDED = 3_000;
const DAYS = 30;

export async function checkLocal(files: KeptFiles, environment: string): Promise<Finding[]> {
  const raw = await readConfiguration();
  const configuration = await configure(files, environment);
  return [
    checkVersions(raw.compatibility_date as string),
    ...checkSettings(files, configuration),
    ...checkDevVars(raw.vars ?? {}),
    ...checkPlan(configuration),
    ...(await checkBuild(configuration)),
    await checkMigrationFiles(configuration),
    await checkLocalDatabase(configuration),
  ];
}

/** The environment's configuration, with the variables that earlier deployments kept. */
export async function configure(files: KeptFiles, environment: string): Promise<Configuration> {
  const raw = await readConfiguration();
  return configurationOf(raw, environment, chooseVars(raw, files.read().vars, process.env, {}));
}

function checkVersions(compatibility_date: string): Finding {
  const [major = 0] = process.versions.node.split(".").map(Number);
  if (major < NODE_MIN) {
    return wrong(
      `Node ${process.versions.node} is too old.`,
      "Run npm ci, and start commands by npm run.",
    );
  }
  const require = createRequire(import.meta.url);
  const installed = (require("wrangler/package.json") as { version: string }).version;
  const wanted = release.devDependencies.wrangler;
  if (installed !== wanted) {
    return wrong(
      `wrangler ${installed} is installed, package.json wants ${wanted}.`,
      "Run: npm ci",
    );
  }
  const today = new Date().toISOString().slice(0, 10);
  if (compatibility_date > today) {
    return wrong(
      `The compatibility date ${compatibility_date} is in the future.`,
      `The platform refuses it. Set compatibility_date in wrangler.toml, or this machine's clock (${today}).`,
    );
  }
  return ok(
    `Node ${process.versions.node}, wrangler ${installed}, compatibility date ${compatibility_date}.`,
  );
}

function checkSettings(files: KeptFiles, configuration: Configuration): Finding[] {
  let secrets: Record<string, string>;
  try {
    secrets = files.secrets();
  } catch (error) {
    if (error instanceof DeployError) return [wrong(error.message, error.advice)];
    throw error;
  }
  const path = files.path("secrets.json");
  const deployed = existsSync(files.path("json"));
  const faults = settingFaults(configuration.vars, secrets);
  const findings: Finding[] = [];
  if (faults.length > 0) {
    const list = faults.map(([name, reason]) => `${name} ${reason}`).join("; ");
    findings.push(wrong(`A deployment would be refused: ${list}.`, adviceFor(faults)));
  } else findings.push(ok("The variables of a deployment are valid."));
  if (Object.keys(secrets).length > 0)
    findings.push(ok(`The secrets in ${path} are for you alone.`));
  else if (deployed) {
    findings.push(
      note(
        `${path} is not here. The service goes on with the secrets that the platform has.`,
        "Put your copy back; the platform shows no secret again.",
      ),
    );
  } else findings.push(note("There are no secrets yet.", "npm run deploy makes them."));
  return findings;
}

function checkDevVars(vars: Record<string, string>): Finding[] {
  const path = join(ROOT, ".dev.vars");
  if (!existsSync(path)) return [];
  const values = parseEnv(readFileSync(path, "utf8")) as Record<string, string>;
  const faults = settingFaults({ ...vars, EDGE_CACHE: "local" }, values);
  const [first] = faults;
  if (first !== undefined) {
    return [
      wrong(
        `.dev.vars: ${first[0]} ${first[1]}.`,
        "wrangler dev would answer 503. Mend it, or delete the file: npm start needs none.",
      ),
    ];
  }
  if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0) {
    return [wrong("Other users of this machine may read .dev.vars.", "Run: chmod 600 .dev.vars")];
  }
  return [ok(".dev.vars is valid.")];
}

/** What depends on the account's plan, which nobody can read from here. */
function checkPlan(configuration: Configuration): Finding[] {
  const findings: Finding[] = [];
  const { limits } = configuration as { limits?: { cpu_ms?: number } };
  if (limits?.cpu_ms !== undefined) {
    findings.push(
      note(
        `Objects and requests may use ${limits.cpu_ms} ms of CPU: that needs the Workers Paid plan.`,
      ),
    );
  }
  const mails = Number(configuration.vars.MAIL_PER_DAY);
  if (configuration.vars.MAIL_FROM !== "" && mails * DAYS > MAILS_INCLUDED) {
    findings.push(
      note(
        `MAIL_PER_DAY allows ${mails * DAYS} mails a month; the paid plan includes ${MAILS_INCLUDED}.`,
        "Further ones are billed, and a new account may send fewer. Lower it to stay below.",
      ),
    );
  }
  return findings;
}

async function checkBuild(configuration: Configuration): Promise<Finding[]> {
  try {
    await buildFiles();
    const { gzip_bytes } = await withFolder(async (folder) => {
      const config = await writeJson(join(folder, "wrangler.json"), withPaths(configuration));
      return buildWorker(wranglerWith({}), configuration, config);
    });
    const size = `The Worker has ${(gzip_bytes / 1e6).toFixed(1)} MB compressed`;
    if (gzip_bytes > WORKER_BYTES_MAX.paid) {
      return [
        wrong(`${size}, and the platform takes 10 MB.`, "Look for a new dependency that is large."),
      ];
    }
    if (gzip_bytes > WORKER_BYTES_MAX.free) return [note(`${size}; the free plan takes 3 MB.`)];
    return [ok(`${size}, which every plan takes.`)];
  } catch (error) {
    if (error instanceof DeployError) return [wrong(error.message, error.advice)];
    if (error instanceof WranglerFailed)
      return [wrong(error.message, "Mend wrangler.toml or the code.")];
    throw error;
  }
}

async function checkMigrationFiles({ d1_databases }: Configuration): Promise<Finding> {
  for (const [binding, files] of Object.entries(await readMigrations(d1_databases))) {
    for (const { name, sql } of files) {
      const [fault] = binding === "DB" && name <= FIRST_RELEASE ? [] : notAdditive(sql);
      if (fault !== undefined) {
        return wrong(
          `The migration ${name} of ${binding} ${fault}`,
          "Migrations may only add: the code that serves now runs on them too.",
        );
      }
    }
  }
  return ok("All migrations since the first release only add.");
}

/** The state of `npm start`. */
async function checkLocalDatabase({ d1_databases }: Configuration): Promise<Finding> {
  const state = join(ROOT, ".wrangler/state");
  if (!existsSync(join(state, "v3/d1")))
    return note("There is no local database yet.", "npm start makes it.");
  try {
    const printed = await wranglerWith({}).run([
      ...["d1", "execute", "DB", "--local", "--persist-to", state, "--json"],
      ...["--command", "SELECT name FROM d1_migrations"],
    ]);
    const [answer] = jsonIn(printed) as { results: { name: string }[] }[];
    const applied = answer?.results.map(({ name }) => name) ?? [];
    const files = (await readMigrations(d1_databases)).DB ?? [];
    const pending = files.filter(({ name }) => !applied.includes(name));
    if (pending.length === 0) return ok("The local database has all migrations.");
    return note(
      `The local database lacks ${pending.map(({ name }) => name).join(", ")}.`,
      "npm start applies them.",
    );
  } catch (error) {
    if (!(error instanceof WranglerFailed)) throw error;
    return note(
      "The local database has no migrations yet, or is in use.",
      "npm start applies them.",
    );
  }
}
