/**
 * From a clean clone and an account to a running service: `npm run deploy` (docs/operations.md "Deploying"). Every step
 * asks what is there first, so that a run that broke off is simply run again. A failing step says what to do, and the
 * steps behind it do not begin.
 */
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import release from "../../package.json" with { type: "json" };
import { buildFiles, buildWorker } from "./build.ts";
import {
  type Configuration,
  configurationOf,
  kvTitle,
  readConfiguration,
  withPaths,
} from "./configuration.ts";
import { DeployError } from "./deploy-error.ts";
import { untilWell } from "./health.ts";
import { KeptFiles } from "./kept.ts";
import { readMigrations } from "./migrations.ts";
import { HELP, type Options, readOptions } from "./options.ts";
import { count, isDone, linesOf, type Plan, planOf } from "./plan.ts";
import { type Found, look, readAccounts } from "./platform.ts";
import { withFolder, writeJson } from "./scratch.ts";
import { chooseSecrets, HUB_SECRET } from "./secrets.ts";
import { ASKED, adviceFor, chooseVars, settingFaults } from "./settings.ts";
import { type Wrangler, WranglerFailed, wranglerWith } from "./wrangler.ts";

const BAD_OPTIONS = 2;
/** It runs TypeScript without a build. */
const NODE_MIN = 24;

const say = (line: string) => console.log(line);
const done = (line: string) => say(`✓ ${line}`);

/** The exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (options === null) {
    process.stdout.write(HELP);
    return 0;
  }
  if (typeof options === "string") {
    console.error(`${options}\nSee --help.`);
    return BAD_OPTIONS;
  }
  try {
    return options.rollback === undefined ? await deploy(options) : await rollback(options);
  } catch (error) {
    if (error instanceof DeployError) console.error(`✗ ${error.message}\n  ${error.advice}`);
    else if (error instanceof WranglerFailed) console.error(`✗ ${error.message}\n  ${AGAIN}`);
    else throw error;
    return 1;
  }
}

const AGAIN = "What was done before stays. Mend the cause and run the same command again.";

function deploy(options: Options): Promise<number> {
  checkNode();
  return withFolder((folder) => deployWith(folder, options));
}

async function deployWith(folder: string, options: Options): Promise<number> {
  const files = new KeptFiles(options.environment);
  const kept = files.read();
  const local_secrets = files.secrets();
  const raw = await readConfiguration();
  const vars = chooseVars(raw, kept.vars, process.env, options.set);
  if (!options.dry_run) await askForVars(raw.vars ?? {}, vars);
  const configuration = configurationOf(raw, options.environment, vars);
  refuseFaults(configuration, local_secrets);
  const { wrangler, account } = await signIn(options, kept.account);

  const config = await writeJson(join(folder, "wrangler.json"), withPaths(configuration));
  await buildFiles();
  const [found, built, migrations] = await Promise.all([
    look(wrangler, configuration, config, (one) => kvTitle(configuration.name, one)),
    buildWorker(wrangler, configuration, config),
    readMigrations(configuration.d1_databases),
  ]);
  const is_ephemeral = process.env.WORKERS_CI !== undefined;
  const secrets = chooseSecrets(found.secrets, local_secrets, process.env, is_ephemeral);
  refuseFaults(configuration, secrets.upload);
  const plan = planOf(found, secrets, built.tag, migrations);
  say(`${configuration.name} ${release.version}:`);
  for (const line of linesOf(plan, configuration.name)) say(`  ${line}`);
  if (options.dry_run) {
    say("This was a dry run: nothing was changed.");
    return 0;
  }

  const tools = { wrangler, configuration, config, folder, files, tag: built.tag };
  const address = await carryOut(plan, found, tools);
  const url = options.url ?? keptUrl(kept.url, address);
  files.write("json", {
    vars,
    account,
    ...(url === undefined ? {} : { url }),
  });
  if (isDone(plan)) done("Nothing had to be changed.");
  if (plan.secrets.made.includes(HUB_SECRET)) {
    say(`  Give your account hub the ${HUB_SECRET} that is in ${files.path("secrets.json")}.`);
  }
  if (Object.keys(plan.secrets.upload).length > 0) {
    say(
      `  Keep a copy of ${files.path("secrets.json")} in a safe place: the platform shows no secret again.`,
    );
  }
  return report(url, options);
}

/** An address that the user gave stays; that of a deployment is replaced by that of the next. */
function keptUrl(kept: string | undefined, address: string | undefined): string | undefined {
  return kept !== undefined && !kept.endsWith(".workers.dev") ? kept : (address ?? kept);
}

interface Tools {
  wrangler: Wrangler;
  configuration: Configuration;
  config: string;
  /** Of files that end with this run. */
  folder: string;
  files: KeptFiles;
  tag: string;
}

/**
 * Databases and migrations first, so that no code ever runs without its tables.
 *
 * @returns the address, where something was uploaded
 */
async function carryOut(plan: Plan, found: Found, tools: Tools): Promise<string | undefined> {
  const { wrangler, config, files } = tools;
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
  return addressIn(await readFile(log, "utf8"));
}

/** The first address that wrangler's record of a deployment names. */
function addressIn(record: string): string | undefined {
  for (const line of record.trim().split("\n")) {
    const { type, targets } = JSON.parse(line) as { type: string; targets?: string[] };
    const target =
      type === "deploy" ? targets?.find((one) => one.startsWith("https://")) : undefined;
    if (target !== undefined) return target;
  }
  return undefined;
}

async function rollback(options: Options): Promise<number> {
  checkNode();
  const kept = new KeptFiles(options.environment).read();
  const raw = await readConfiguration();
  const { name } = configurationOf(raw, options.environment, kept.vars);
  const { wrangler } = await signIn(options, kept.account);
  const target = options.rollback === "" ? [] : [options.rollback ?? ""];
  if (options.dry_run) {
    say(`Would bring ${name} back to ${target[0] ?? "the version before"}. Nothing was changed.`);
    return 0;
  }
  await step(
    () =>
      wrangler.run([
        "rollback",
        ...target,
        "--name",
        name,
        "--yes",
        "--message",
        "npm run deploy -- --rollback",
      ]),
    `There must be an earlier version: npx wrangler versions list --name ${name}`,
  );
  done(`${name} serves ${target[0] ?? "the version before"} again`);
  say(
    "  Databases stay as they are: migrations only add, and the older code does not see what is new.",
  );
  say("  Secrets and variables are those of that version. The next deployment goes forward again.");
  return report(options.url ?? kept.url, options);
}

/** Asks the service whether it is well. */
async function report(url: string | undefined, options: Options): Promise<number> {
  if (url === undefined) {
    say(
      "  The address of the service is not known here: give it with --url, and it will be probed.",
    );
    return 0;
  }
  const { ok, faults, version: serving } = await untilWell(url, options.wait_s * 1_000);
  if (!ok) {
    console.error(`✗ ${url} is not well yet:`);
    for (const fault of faults) console.error(`  ${fault}`);
    console.error(
      "  Mend it and run the same command again, or go back: npm run deploy -- --rollback",
    );
    return 1;
  }
  done(`${url} is well, version ${serving}`);
  if (options.open) openInBrowser(url);
  return 0;
}

/** Whose account it is: signs in where nobody is, and chooses among several. */
async function signIn(
  options: Options,
  kept: string | undefined,
): Promise<{ wrangler: Wrangler; account: string }> {
  const has_token = (process.env.CLOUDFLARE_API_TOKEN ?? "") !== "";
  const given = options.account ?? process.env.CLOUDFLARE_ACCOUNT_ID ?? kept;
  // Known from before: whether it is signed in, the next command shows.
  if (given !== undefined && (has_token || given === kept))
    return { wrangler: wranglerWith({ CLOUDFLARE_ACCOUNT_ID: given }), account: given };
  const wrangler = wranglerWith({});
  let accounts = await readAccounts(wrangler);
  if (
    accounts === null &&
    !has_token &&
    process.stdin.isTTY &&
    (await wrangler.attend(["login"]))
  ) {
    accounts = await readAccounts(wrangler);
  }
  if (accounts === null) {
    throw new DeployError(
      has_token ? "The platform refuses CLOUDFLARE_API_TOKEN." : "Nobody is signed in.",
      'Run: npx wrangler login. Or make a token from the template "Edit Cloudflare Workers" with D1 added, and set CLOUDFLARE_API_TOKEN.',
    );
  }
  const ids = accounts.map(({ id }) => id);
  const account = given ?? (ids.length === 1 ? ids[0] : undefined);
  // A token may be too narrow to list the account that it belongs to.
  if (account === undefined || (ids.length > 0 && !ids.includes(account))) {
    throw new DeployError(
      account === undefined ? "You have several accounts." : `You have no account ${account}.`,
      `Choose one with --account: ${accounts.map(({ id, name }) => `${id} (${name})`).join(", ")}`,
    );
  }
  return { wrangler: wranglerWith({ CLOUDFLARE_ACCOUNT_ID: account }), account };
}

/** Asks at the terminal for what each deployment has of its own, where nothing else said it. */
async function askForVars(
  known: Record<string, string>,
  vars: Record<string, string>,
): Promise<void> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return;
  const missing = Object.entries(ASKED).filter(([name]) => vars[name] === undefined);
  if (missing.length === 0) return;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    for (const [name, what] of missing) {
      const usual = name === "HUB_SESSION_COOKIE" ? ` [${known[name]}]` : "";
      const answer = (await terminal.question(`${name}, ${what}${usual}: `)).trim();
      if (answer !== "") vars[name] = answer;
    }
  } finally {
    terminal.close();
  }
}

function refuseFaults(configuration: Configuration, secrets: Record<string, string>): void {
  const faults = settingFaults(configuration.vars, secrets);
  if (faults.length === 0) return;
  const list = faults.map(([name, reason]) => `${name} ${reason}`).join("; ");
  throw new DeployError(`The service would refuse these settings: ${list}.`, adviceFor(faults));
}

function checkNode(): void {
  const [major = 0] = process.versions.node.split(".").map(Number);
  if (major < NODE_MIN) {
    throw new DeployError(
      `This is Node ${process.versions.node}.`,
      "Run it by npm: npm ci, then npm run deploy.",
    );
  }
}

/** @throws {DeployError} with wrangler's words and this advice */
async function step<T>(run: () => Promise<T>, advice: string): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof WranglerFailed)) throw error;
    throw new DeployError(error.message, `${advice}\n  ${AGAIN}`);
  }
}

function openInBrowser(url: string): void {
  const command = { darwin: "open", win32: "explorer" }[process.platform as string] ?? "xdg-open";
  spawn(command, [url], { stdio: "ignore", detached: true })
    .on("error", () => {})
    .unref();
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
