/**
 * The steps of a plan that change the account: databases and migrations first, so that no code runs without
 * its tables.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import release from "../../package.json" with { type: "json" };
import { type Configuration, withPaths } from "./configuration.ts";
import { DeployError } from "./deploy-error.ts";
import type { KeptFiles } from "./kept.ts";
import { count, type Plan } from "./plan.ts";
import type { Found } from "./platform.ts";
import { writeJson } from "./scratch.ts";
import { done, step } from "./step.ts";
import type { Wrangler } from "./wrangler.ts";

interface Tools {
  wrangler: Wrangler;
  configuration: Configuration;
  /** Path of the configuration. */
  config: string;
  /** Of files that end with this run. */
  folder: string;
  files: KeptFiles;
  /** The secrets that were here when the plan was made. */
  local_secrets: Record<string, string>;
  tag: string;
}

/** Answers the service's address, where something was uploaded and wrangler named one. */
export async function carryOut(
  plan: Plan,
  found: Found,
  tools: Tools,
): Promise<string | undefined> {
  const { wrangler, config, files, local_secrets } = tools;
  for (const { binding, name, create, pending } of plan.databases) {
    if (create) {
      await step(
        () => wrangler.run(["d1", "create", name]),
        "A database could not be made. Look whether the account may have D1, and whether its number of databases is used up.",
      );
      done(`made the database ${name}`);
    }
    if (pending.length === 0) continue;
    await step(
      () => wrangler.run(["d1", "migrations", "apply", binding, "--remote", "--config", config]),
      "A migration that failed is undone as a whole, those before it stay, and the service runs as before.",
    );
    done(`applied ${count(pending.length, "migration")} to ${name}`);
  }
  if (plan.upload === null) return undefined;
  if (!isDeepStrictEqual(files.secrets(), local_secrets)) {
    throw new DeployError(
      `${files.path("secrets.json")} was changed meanwhile. The Worker was not uploaded.`,
      "Another deployment is running, or somebody edits the file. Run the same command again when that is over.",
    );
  }
  // Before the upload: a value that is only on the platform could never be read again.
  files.write("secrets.json", plan.secrets.file);
  const address = await upload(plan, found, tools);
  done(`uploaded ${tools.configuration.name}, version ${tools.tag}`);
  return address;
}

async function upload(plan: Plan, found: Found, tools: Tools): Promise<string | undefined> {
  const { wrangler, configuration, folder, tag } = tools;
  // A namespace that a broken-off first run made: a second one with its title would be refused.
  const kv_namespaces = configuration.kv_namespaces?.map((one) => {
    const id = found.namespaces[one.binding];
    return id === undefined ? one : { ...one, id };
  });
  const config = await writeJson(
    join(folder, "wrangler.json"),
    withPaths({ ...configuration, ...(kv_namespaces === undefined ? {} : { kv_namespaces }) }),
  );
  const args = ["deploy", "--config", config, "--tag", tag, "--message", `Sila ${release.version}`];
  if (Object.keys(plan.secrets.upload).length > 0) {
    args.push("--secrets-file", await writeJson(join(folder, "secrets.json"), plan.secrets.upload));
  }
  const log = join(folder, "wrangler.ndjson");
  await step(
    () => wrangler.run(args, { WRANGLER_OUTPUT_FILE_PATH: log }),
    "If it asks for a workers.dev subdomain, register one in the dashboard of the account (Workers & Pages).",
  );
  return addressIn(await readFile(log, "utf8").catch(() => ""));
}

/** The first address that wrangler's record of a deployment names; the deployment is done, whatever the record says. */
export function addressIn(record: string): string | undefined {
  for (const line of record.split("\n")) {
    try {
      const { type, targets } = JSON.parse(line) as { type?: unknown; targets?: unknown };
      const found = type === "deploy" && Array.isArray(targets) ? targets.map(String) : [];
      const address = found.find((one) => one.startsWith("https://"));
      if (address !== undefined) return address;
    } catch {
      // Not a line of the record.
    }
  }
  return undefined;
}
