/**
 * From a clean clone and an account to a running service: `npm run deploy` (docs/operations.md "Deploying"). Every step
 * asks what is there first, so that a run that broke off is simply run again. A failing step says what to do, and the
 * steps behind it do not begin.
 */
import { join } from "node:path";
import release from "../../package.json" with { type: "json" };
import { buildFiles, buildWorker } from "./build.ts";
import { carryOut } from "./carry-out.ts";
import { configurationOf, kvTitle, readConfiguration, withPaths } from "./configuration.ts";
import { DeployError } from "./deploy-error.ts";
import { KeptFiles } from "./kept.ts";
import { readMigrations } from "./migrations.ts";
import { HELP, type Options, readOptions } from "./options.ts";
import { foreign, isDone, linesOf, planOf } from "./plan.ts";
import { look } from "./platform.ts";
import { report } from "./report.ts";
import { rollback } from "./rollback.ts";
import { withFolder, writeJson } from "./scratch.ts";
import { chooseSecrets, HUB_SECRET } from "./secrets.ts";
import { askForVars, chooseVars, refuseFaults } from "./settings.ts";
import { signIn } from "./sign-in.ts";
import { AGAIN, done, say, step } from "./step.ts";
import { WranglerFailed } from "./wrangler.ts";

const BAD_OPTIONS = 2;
/** It runs TypeScript without a build. */
const NODE_MIN = 24;

/** The exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (options === null) {
    process.stdout.write(HELP);
    return 0;
  }
  if (typeof options === "string") {
    console.error(`${options}\nSee npm run deploy -- --help`);
    return BAD_OPTIONS;
  }
  try {
    checkNode();
    if (options.rollback !== undefined) return await rollback(options);
    return await withFolder((folder) => deploy(folder, options));
  } catch (error) {
    if (error instanceof DeployError) console.error(`✗ ${error.message}\n  ${error.advice}`);
    else if (error instanceof WranglerFailed) console.error(`✗ ${error.message}\n  ${AGAIN}`);
    else throw error;
    return 1;
  }
}

/** @param folder of files that end with this run */
async function deploy(folder: string, options: Options): Promise<number> {
  const files = new KeptFiles(options.environment);
  const kept = files.read();
  const local_secrets = files.secrets();
  const raw = await readConfiguration();
  const vars = chooseVars(raw, kept.vars, process.env, options.set);
  if (!options.dry_run) await askForVars(raw.vars ?? {}, vars);
  const configuration = configurationOf(raw, options.environment, vars);
  refuseFaults(configuration.vars, local_secrets);
  const { wrangler, account } = await signIn(options, raw.account_id, kept.account);

  const config = await writeJson(join(folder, "wrangler.json"), withPaths(configuration));
  await buildFiles();
  const [found, built, migrations] = await Promise.all([
    step(
      () => look(wrangler, configuration, config, (one) => kvTitle(configuration.name, one)),
      "Nothing was changed. Look whether you are signed in (npx wrangler whoami), and whether it is the right account.",
    ),
    buildWorker(wrangler, configuration, config),
    readMigrations(configuration.d1_databases),
  ]);
  // The button and a build make an empty Worker first.
  if (found.current?.is_sila === false && process.env.WORKERS_CI === undefined)
    throw foreign("Worker", configuration.name, "name");
  const secrets = chooseSecrets(found.secrets, local_secrets, process.env, isEphemeral());
  refuseFaults(configuration.vars, secrets.upload);
  const plan = planOf(found, secrets, built.tag, migrations);
  say(`${configuration.name} ${release.version}, in the account ${account}:`);
  for (const [name, value] of Object.entries(vars)) {
    if (value !== raw.vars?.[name]) say(`  ${name} = ${value}`);
  }
  for (const line of linesOf(plan, configuration.name)) say(`  ${line}`);
  if (options.dry_run) {
    say("This was a dry run: nothing was changed.");
    return 0;
  }

  // Before the first step: a run that breaks off is repeated without the options.
  const url = options.url ?? kept.url;
  const keep = (one: string | undefined) =>
    files.write("json", { vars, account, ...(one === undefined ? {} : { url: one }) });
  keep(url);
  const tools = { wrangler, configuration, config, folder, files, local_secrets, tag: built.tag };
  const address = await carryOut(plan, found, tools);
  // An address that the user gave stays; that of a deployment is replaced by that of the next.
  const reached = url !== undefined && !url.endsWith(".workers.dev") ? url : (address ?? url);
  keep(reached);
  if (isDone(plan)) done("Nothing had to be changed.");
  if (plan.secrets.made.includes(HUB_SECRET)) {
    say(`  Give your account hub the ${HUB_SECRET} that is in ${files.path("secrets.json")}.`);
  }
  if (Object.keys(plan.secrets.upload).length > 0 && !isEphemeral()) {
    say(
      `  Keep a copy of ${files.path("secrets.json")} in a safe place: the platform shows no secret again.`,
    );
  }
  const version = plan.upload === null ? undefined : release.version;
  const open = options.open || (plan.upload === "first" && process.stdout.isTTY === true);
  return report(reached, { wait_s: options.wait_s, open, version });
}

/** Whether this machine ends with the run, and `.sila` with it: Workers Builds and every other CI. */
function isEphemeral(): boolean {
  const { CI = "", WORKERS_CI = "" } = process.env;
  return ![CI, WORKERS_CI].every((value) => ["", "0", "false"].includes(value.toLowerCase()));
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

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
