/**
 * `npm run deploy` (docs/operations.md "Deploying") does what `wrangler deploy` does not: it makes
 * secrets once, makes databases and migrates them before the code that needs them, and waits until
 * the service is well. What is there stays, so a run that broke off is simply run again.
 */
import { secretIn } from "../../../objects/platform/secrets.ts";
import { DeployError } from "./deploy-error.ts";
import { HELP, type Options, readOptions } from "./deploy-options.ts";
import { refuseInUse } from "./domain-in-use.ts";
import { KeptFiles } from "./kept.ts";
import { BadOptions } from "./options.ts";
import { sayPlan } from "./plan.ts";
import { planSecrets } from "./plan-secrets.ts";
import { checkBuckets, findNamespaces, prepareDatabases } from "./resources.ts";
import { RunNotes } from "./run-notes.ts";
import { sayOfFirstOwner, sayOfSecrets, sayTarget } from "./say-service.ts";
import { SETUP_CODE, SILA_KEY, secretsOnPlatform, secretToShow } from "./secrets.ts";
import { AGAIN, say } from "./step.ts";
import { chooseTarget } from "./target.ts";
import { uploadWorkers } from "./upload.ts";
import { waitUntilWell } from "./wait.ts";
import { Wrangler, WranglerFailed } from "./wrangler.ts";

const BAD_OPTIONS = 2;

async function main(args: readonly string[]): Promise<number> {
  try {
    const options = readOptions(args);
    if (options !== null) return await deploy(options);
    process.stdout.write(HELP);
    return 0;
  } catch (error) {
    if (error instanceof BadOptions) {
      console.error(`${error.message}\nSee npm run deploy -- --help`);
      return BAD_OPTIONS;
    }
    if (error instanceof DeployError) {
      console.error(`✗ ${error.message}\n  ${error.advice.replaceAll("\n", "\n  ")}`);
    } else if (error instanceof WranglerFailed) console.error(`✗ ${error.message}\n  ${AGAIN}`);
    else throw error;
    return 1;
  }
}

/** Answers the exit code. */
async function deploy(options: Options): Promise<number> {
  const { dry_run, newSetupCode, show } = options;
  const files = new KeptFiles(options.environment);
  const target = await chooseTarget(options, files);
  const { configurations, service, domain, isMoved } = target;
  const wrangler = new Wrangler(files.folder, target.account);
  if (show !== undefined) return showSecret(show, wrangler, service.name, files);
  const { isNew, ...secrets } = await planSecrets(wrangler, service, files, newSetupCode);
  sayTarget(target, secrets);
  if (domain && isMoved) await refuseInUse(domain);
  const notes = new RunNotes(files, target, options, isNew);
  // Kept before the first step: a run that breaks off is repeated without the options.
  if (!dry_run) notes.keep();

  if (isNew) await checkBuckets(wrangler);
  await findNamespaces(wrangler, configurations);
  await prepareDatabases(wrangler, service, files.writeConfiguration(service), dry_run);
  // Kept before the upload: a value that is only on the platform could never be read again.
  const values = dry_run ? {} : files.keepSecrets(secrets.given, secrets.made);
  const names = Object.keys({ ...secrets.given, ...secrets.made });
  const uploaded = await uploadWorkers(wrangler, files, target, { names, values }, dry_run);
  if (dry_run) {
    say("This was a dry run: nothing was changed.");
    return 0;
  }

  const reached = notes.keepUploaded(uploaded);
  sayOfSecrets(secrets, service, files);
  if (uploaded.plan !== undefined) sayPlan(uploaded.plan, service.vars);
  if (secrets.lacking.includes(SILA_KEY)) {
    say("  The service answers 503 until it has one, and needs no other deployment then.");
    return 0;
  }
  const workers = configurations.map(({ name }) => name);
  const code = await waitUntilWell(reached, workers, isMoved && reached === `https://${domain}`);
  const setup_code = secretIn(values, SETUP_CODE);
  if ((newSetupCode || notes.is_untold) && setup_code !== undefined) {
    sayOfFirstOwner(service, reached, setup_code);
    notes.keepTold();
  }
  return code;
}

async function showSecret(
  name: string,
  wrangler: Wrangler,
  worker: string,
  files: KeptFiles,
): Promise<number> {
  const on_platform = await secretsOnPlatform(wrangler, worker);
  process.stdout.write(`${secretToShow(name, files.secrets(), on_platform ?? [])}\n`);
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
