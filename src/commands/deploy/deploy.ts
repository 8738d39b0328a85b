/**
 * `npm run deploy` (docs/operations.md "Deploying") does what `wrangler deploy` does not: it makes
 * secrets once, makes databases and migrates them before the code that needs them, and waits until
 * the service is well. What is there stays, so a run that broke off is simply run again.
 */
import { rmSync } from "node:fs";
import { secretIn } from "../../../objects/platform/secrets.ts";
import release from "../../../package.json" with { type: "json" };
import { SETUP_PAGE } from "../../http/endpoints.ts";
import { chooseAccount } from "./account.ts";
import {
  type Configuration,
  configurationsOf,
  PRODUCTION,
  readConfigurations,
  serviceOf,
} from "./configuration.ts";
import { DeployError } from "./deploy-error.ts";
import { atDomain, chooseDomain, domainIn, withOrigin } from "./domain.ts";
import { refuseInUse } from "./domain-in-use.ts";
import { untilWell } from "./health.ts";
import { KeptFiles } from "./kept.ts";
import { addressIn, BadOptions, environmentIn, parseOptions } from "./options.ts";
import { isOfFreePlan, onFreePlan, sayPlan } from "./plan.ts";
import { checkBuckets, findNamespaces, foreign, prepareDatabases } from "./resources.ts";
import {
  chooseSecrets,
  HUB_SECRET,
  isOwn,
  SETUP_CODE,
  type Secrets,
  SILA_KEY,
  secretsOnPlatform,
  secretToShow,
} from "./secrets.ts";
import { hasHub, refuseFaults, settingFaults } from "./settings.ts";
import { AGAIN, say, step } from "./step.ts";
import { chooseVars, developmentValues } from "./vars.ts";
import { Wrangler, WranglerFailed } from "./wrangler.ts";

const HELP = `npm run deploy [-- options]

Makes a running service from this checkout and a Cloudflare account, or brings it up to date.
Run again, it replaces no secret, makes nothing twice, and uploads the code again.

  --dry-run            say what would be done, and bundle the code; change nothing in the account
  --env <name>         another service beside production, e.g. staging: own name, databases, KV, buckets and secrets
  --set NAME=VALUE     a variable of wrangler.toml's [vars]; kept for later runs. Repeat it for more:
                       SIGN_UP says who may make an account; HUB_URL, AUTH_URL and HUB_SESSION_COOKIE
                       are needed once where an account hub has the accounts
  --domain <domain>    the service's own, of a zone in the account, e.g. links.example.com; kept for later runs. A new
                       service is asked for it at a terminal; --domain= is the address below workers.dev
  --url <address>      where the service is reached, where neither of these is right; kept for later runs
  --new-setup-code     makes a code with which one more owner makes an account, and says its address
  --show <name>        prints a secret of the deployment and does nothing else: METRICS_TOKEN, ALERT_SECRET, BACKUP_KEY
  --help

One secret is made here, SILA_KEY, from which the service derives the others. It is kept in .sila/<env>.secrets.json and
never printed. To give it or another one yourself (the hub's HUB_WEBHOOK_SECRET, the AI_KEY), set it in the environment
of the first run. Variables may come from there too.
The account is that of npx wrangler login, or of CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID.
`;

const BAD_OPTIONS = 2;
/** A new version is everywhere within seconds; a new workers.dev address takes longer. */
const WAIT_MS = 60_000;
/** A certificate of a new domain takes minutes. */
const CERTIFICATE_MS = 10 * 60_000;

interface Options {
  environment: string;
  dry_run: boolean;
  set: Record<string, string>;
  url: string | undefined;
  domain: string | undefined;
  newSetupCode: boolean;
  show: string | undefined;
}

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

/** Null for help. @throws {BadOptions} */
function readOptions(args: readonly string[]): Options | null {
  const values = parseOptions(args, {
    "dry-run": { type: "boolean", default: false },
    env: { type: "string", default: PRODUCTION },
    set: { type: "string", multiple: true, default: [] },
    url: { type: "string" },
    domain: { type: "string" },
    "new-setup-code": { type: "boolean", default: false },
    show: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  });
  if (values.help) return null;
  const set: Record<string, string> = {};
  for (const pair of values.set) {
    const [, name, value] = /^([A-Z][A-Z0-9_]*)=(.*)$/s.exec(pair) ?? [];
    if (name === undefined || value === undefined) {
      throw new BadOptions(`--set takes NAME=VALUE, not "${pair}"`);
    }
    set[name] = value;
  }
  return {
    environment: environmentIn(values.env),
    dry_run: values["dry-run"],
    set,
    url: addressIn(values.url),
    domain: values.domain === undefined ? undefined : domainIn(values.domain),
    newSetupCode: values["new-setup-code"],
    show: values.show,
  };
}

async function deploy(options: Options): Promise<number> {
  const { environment, dry_run, set, url, newSetupCode, show } = options;
  const files = new KeptFiles(environment);
  const kept = files.read();
  const raws = readConfigurations(files.folder);
  const raw = serviceOf(raws);
  const own_vars = chooseVars(raw.vars ?? {}, kept.vars, process.env, set);
  const configurations = configurationsOf(raws, environment, own_vars);
  const { route, routes = route } = serviceOf(configurations);
  const hasAddress = routes !== undefined || url !== undefined;
  const canAsk = isAtTerminal() && !dry_run && show === undefined && !hasAddress;
  // Asked before the questions: answers would be lost with a run of somebody who is not signed in.
  const asked_in = canAsk ? await chooseAccount(raw.account_id, files) : undefined;
  const domain = await chooseDomain(options.domain, kept, canAsk);
  const isMoved = domain !== kept.domain;
  if (domain) configurations.push(atDomain(serviceOf(configurations.splice(-1)), domain));
  const service = serviceOf(configurations);
  refuseFaults(settingFaults(service.vars ?? {}, files.secrets()));
  if (newSetupCode) refuseSetupCode(service);

  const account = asked_in ?? (await chooseAccount(raw.account_id, files));
  const wrangler = new Wrangler(files.folder, account);
  if (show !== undefined) {
    const on_platform = await secretsOnPlatform(wrangler, service.name);
    process.stdout.write(`${secretToShow(show, files.secrets(), on_platform ?? [])}\n`);
    return 0;
  }
  const { isNew, ...secrets } = await planSecrets(wrangler, service, files, newSetupCode);
  say(`${service.name} ${release.version}, in the account ${account}:`);
  for (const [name, value] of Object.entries(own_vars)) {
    if (value !== raw.vars?.[name]) say(`  ${name} = ${value}`);
  }
  if (domain) say(`  at ${domain}`);
  if (isMoved && !kept.is_untold) {
    const before = withOrigin({ ...raw.vars, ...own_vars }, kept.domain).SITE_ORIGIN || kept.url;
    sayOfPasskeys(before, service);
  }
  for (const [name, reason] of developmentValues(service.vars ?? {})) say(`! ${name} ${reason}`);
  for (const name of secrets.ignored) {
    say(`! The platform has a ${name}, so the environment's is not used: ${setBy(name, service)}`);
  }
  if (domain && isMoved) await refuseInUse(domain);
  const given_url = url ?? (options.domain === undefined ? kept.url : undefined);
  let { plan } = kept;
  // A value that the user gave is known to them, and the log of a CI is read by others.
  const isFirst = isNew && !process.env[SETUP_CODE] && !isEphemeral();
  let is_untold = (isFirst || kept.is_untold === true) && !hasHub(service.vars ?? {});
  const keep = (address = given_url) =>
    files.keep({
      ...{ vars: own_vars, account },
      ...(address !== undefined && { url: address }),
      ...(is_untold && { is_untold }),
      ...(domain !== undefined && { domain }),
      ...(plan !== undefined && { plan }),
    });
  // Kept before the first step: a run that breaks off is repeated without the options.
  if (!dry_run) keep();

  if (isNew) await checkBuckets(wrangler);
  await findNamespaces(wrangler, configurations);
  const write = (one: Configuration) => files.write(`${one.name}.wrangler.json`, one);
  await prepareDatabases(wrangler, service, write(service), dry_run);
  // Kept before the upload: a value that is only on the platform could never be read again.
  const all_secrets = dry_run ? {} : files.keepSecrets(secrets.given, secrets.made);
  const names = Object.keys({ ...secrets.given, ...secrets.made });
  const lacked = Object.fromEntries(names.map((name) => [name, all_secrets[name] ?? ""]));
  let address: string | undefined;
  for (const one of configurations) {
    const config = write(one);
    const given = one === service && names.length > 0 ? `, with ${names.join(", ")}` : "";
    if (dry_run) await wrangler.run(["deploy", "--dry-run", "--config", config]);
    await step(dry_run, `upload ${one.name}${given}`, async () => {
      if (one !== service) return uploadWorker(wrangler, config, {}, files);
      const upload = () => uploadWorker(wrangler, config, lacked, files);
      try {
        address = await upload();
        // A wrangler.toml without the limit asks nothing.
        plan = one.limits === undefined ? undefined : "paid";
      } catch (error) {
        if (!isOfFreePlan(error)) throw error;
        plan = "free";
        write(onFreePlan(one));
        address = await upload();
      }
    });
  }
  if (dry_run) {
    say("This was a dry run: nothing was changed.");
    return 0;
  }
  // An address that the user gave stays; a deployment's gives way to the next deployment's.
  const isGiven = given_url !== undefined && !given_url.endsWith(".workers.dev");
  const reached = isGiven ? given_url : domain ? `https://${domain}` : (address ?? given_url);
  // A domain's address follows from it.
  const url_to_keep = isGiven || !domain ? reached : undefined;
  keep(url_to_keep);
  sayOfSecrets(secrets, service, files);
  if (plan !== undefined) sayPlan(plan, service.vars);
  if (secrets.lacking.includes(SILA_KEY)) {
    say("  The service answers 503 until it has one, and needs no other deployment then.");
    return 0;
  }
  const workers = configurations.map(({ name }) => name);
  const isNewHost = isMoved && reached === `https://${domain}`;
  const code = await waitUntilWell(reached, workers, isNewHost ? CERTIFICATE_MS : WAIT_MS);
  const setup_code = secretIn(all_secrets, SETUP_CODE);
  if ((newSetupCode || is_untold) && setup_code !== undefined) {
    say("  Make your account here, once. Whoever opens the address first is the owner:");
    // A passkey belongs to the host of SITE_ORIGIN, where there is one.
    const origin = service.vars?.SITE_ORIGIN || (reached ?? "https://…");
    say(`  ${origin}${SETUP_PAGE}#${setup_code}`);
    is_untold = false;
    keep(url_to_keep);
  }
  return code;
}

/** @throws {DeployError} where nobody could use a new code, or strangers could read it */
function refuseSetupCode({ vars = {} }: Configuration): void {
  if (hasHub(vars)) {
    throw new DeployError(
      "The accounts are those of the account hub: no setup code is used.",
      "Make the account there, and name its id in OPERATORS.",
    );
  }
  if (isEphemeral()) {
    throw new DeployError(
      "A new setup code would be in the log of this run.",
      "Run it on a machine of your own.",
    );
  }
}

/** @throws {DeployError} for a taken name, a value of another service, or a lost hub */
async function planSecrets(
  wrangler: Wrangler,
  service: Configuration,
  files: KeptFiles,
  newSetupCode: boolean,
): Promise<Secrets & { isNew: boolean }> {
  const on_platform = await secretsOnPlatform(wrangler, service.name);
  const isNew = on_platform === null || !isOwn(on_platform);
  // Workers Builds and the button make an empty Worker first.
  if (isNew && on_platform !== null && process.env.WORKERS_CI === undefined) {
    throw foreign("Worker", service.name);
  }
  // A service that runs with development values goes on: the doctor says so.
  const { vars = {} } = service;
  if (isNew) refuseFaults(developmentValues(vars));
  const making = { isEphemeral: isEphemeral(), hasHub: hasHub(vars), newSetupCode };
  const secrets = chooseSecrets(on_platform ?? [], files.secrets(), process.env, making);
  refuseFaults(settingFaults(vars, { ...secrets.given, ...secrets.made }, on_platform ?? []));
  // The button has asked for a key, which may be on the Worker only after its first build.
  if (secrets.lacking.includes(SILA_KEY) && process.env.WORKERS_CI === undefined) {
    throw new DeployError(
      `A new service needs a ${SILA_KEY}, and one that is made here ends with this machine.`,
      "Make one with openssl rand -hex 32, keep it, and give it in the environment.",
    );
  }
  return { ...secrets, isNew };
}

/** @param before the service's address until now */
function sayOfPasskeys(before: string | undefined, { vars = {} }: Configuration): void {
  const after = vars.SITE_ORIGIN || "its address below workers.dev";
  if (!before || before === after || hasHub(vars)) return;
  say(`! Passkeys belong to a host: those of ${before} do not work at ${after}.`);
  say("  People sign in there with a code or a link, and add a passkey (docs/operations.md).");
}

function sayOfSecrets(
  { given, made, lacking }: Secrets,
  service: Configuration,
  files: KeptFiles,
): void {
  if (Object.keys({ ...given, ...made }).length > 0 && !isEphemeral()) {
    say(`  Keep a copy of ${files.secretsPath}: the platform shows no secret again.`);
  }
  if (HUB_SECRET in made) say(`  Give your account hub the ${HUB_SECRET} in it.`);
  for (const name of lacking) say(`! ${name} is missing: ${setBy(name, service)}`);
}

/** The Worker keeps secrets that it has. Answers its address, if wrangler names one. */
async function uploadWorker(
  wrangler: Wrangler,
  config: string,
  secrets: Record<string, string>,
  files: KeptFiles,
): Promise<string | undefined> {
  const args = ["deploy", "--config", config, "--message", `Sila ${release.version}`];
  let path: string | undefined;
  if (Object.keys(secrets).length > 0) {
    path = files.write(`upload-${process.pid}.secrets.json`, secrets);
    args.push("--secrets-file", path);
  }
  try {
    const { entries } = await wrangler.run(args);
    const targets = entries.flatMap((one) => (one.type === "deploy" ? (one.targets ?? []) : []));
    return targets.find((target) => target.startsWith("https://"));
  } finally {
    if (path !== undefined) rmSync(path);
  }
}

async function waitUntilWell(
  url: string | undefined,
  workers: string[],
  wait_ms: number,
): Promise<number> {
  if (url === undefined) {
    say("  The address of the service is not known here: give it with --url.");
    return 0;
  }
  if (wait_ms === CERTIFICATE_MS) say(`  waits for ${url}, whose certificate takes some minutes`);
  const faults = await untilWell(url, wait_ms, release.version);
  if (faults.length === 0) {
    say(`✓ ${url} is well, version ${release.version}`);
    return 0;
  }
  console.error(`✗ ${url} is not well:`);
  for (const fault of faults) console.error(`  ${fault}`);
  console.error("  Mend it and run the same command again, or go back to the version before:");
  for (const worker of workers) {
    console.error(`  npx wrangler versions list --name ${worker}`);
    console.error(`  npx wrangler rollback <version> --name ${worker}`);
  }
  return 1;
}

function setBy(secret: string, { name }: Configuration): string {
  return `npx wrangler secret put ${secret} --name ${name}`;
}

function isAtTerminal(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true && !isEphemeral();
}

/** Workers Builds and every other CI delete this machine after the run, and `.sila` with it. */
function isEphemeral(): boolean {
  const { CI = "", WORKERS_CI = "" } = process.env;
  return ![CI, WORKERS_CI].every((value) => ["", "0", "false"].includes(value.toLowerCase()));
}

process.exitCode = await main(process.argv.slice(2));
