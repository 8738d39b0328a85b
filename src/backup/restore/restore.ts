/** `npm run restore`: puts a backup back into D1 and the objects (docs/operations.md "Restoring"). */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DeployError } from "../../deploy/deploy-error.ts";
import { KeptFiles } from "../../deploy/kept.ts";
import { Secret } from "../../http/secret.ts";
import { callService } from "./call-service.ts";
import { HELP, type Options, readOptions } from "./options.ts";
import { lackingText, listText, reportText } from "./report-text.ts";
import { askWentBack, type Listed, RestoreRefused, restoreBackup } from "./restore-backup.ts";

const BAD_OPTIONS = 2;

/** The exit code. */
async function main(args: readonly string[]): Promise<number> {
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
    await run(options);
    return 0;
  } catch (error) {
    if (error instanceof RestoreRefused) console.error(`Not restored: ${error.message}`);
    else if (error instanceof DeployError) console.error(`${error.message}\n${error.advice}`);
    else console.error(error instanceof Error ? error.message : error);
    return 1;
  }
}

async function run(options: Options): Promise<void> {
  const { url, key } = await serviceOf(options);
  // The report alone goes to the standard output.
  const say = (line: string) => console.error(line);
  const call = callService(url, key, say);
  if (options.lacking) {
    const went_back = await askWentBack(call);
    console.log(options.json ? JSON.stringify(went_back, null, 2) : lackingText(went_back));
    return;
  }
  if (options.date === null) {
    const { backups } = (await call({ step: "list" })) as { backups: Listed[] };
    console.log(options.json ? JSON.stringify(backups) : listText(backups));
    return;
  }
  const { date, dry_run } = options;
  const report = await restoreBackup(call, { date, dry_run, say });
  console.log(options.json ? JSON.stringify(report, null, 2) : reportText(report, dry_run));
}

/** Which service, and its key: of the options, of what a deployment kept here, or of `npm start`. */
async function serviceOf(options: Options): Promise<{ url: string; key: Secret }> {
  const { environment, secrets_file } = options;
  const files = environment === undefined ? undefined : new KeptFiles(environment);
  const isLocal = files === undefined && options.url === undefined;
  const url =
    options.url ?? (isLocal ? `http://localhost:${process.env.PORT || 8787}` : files?.read().url);
  if (url === undefined) {
    throw new RestoreRefused(`no deployment of ${environment} is known here: say its --url`);
  }
  const text =
    secrets_file === undefined
      ? (process.env.BACKUP_KEY ??
        files?.secrets().BACKUP_KEY ??
        (isLocal ? await keyOfStart() : undefined))
      : keyIn(await readText(secrets_file));
  if (text === undefined || text === "") {
    throw new RestoreRefused(
      isLocal
        ? "npm start has not run here yet; for a deployment say --env or --url (see --help)"
        : "there is no BACKUP_KEY in .sila, in --secrets-file or in the environment (see --help)",
    );
  }
  const key = Secret.parse(text.trim());
  if (typeof key === "string") throw new RestoreRefused(`BACKUP_KEY ${key}`);
  return { url, key };
}

/** The key that `npm start` has made for itself (test/demo/start.ts). */
async function keyOfStart(): Promise<string | undefined> {
  const path = join(process.env.STATE_PATH || ".wrangler/state", "backup-key");
  return readFile(path, "utf8").catch(() => undefined);
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new RestoreRefused(`--secrets-file: ${error instanceof Error ? error.message : error}`);
  }
}

function keyIn(text: string): string | undefined {
  if (!text.trimStart().startsWith("{")) {
    return /^BACKUP_KEY\s*=\s*["']?([^"'\s]+)/m.exec(text)?.[1];
  }
  try {
    return (JSON.parse(text) as Record<string, string>).BACKUP_KEY;
  } catch {
    throw new RestoreRefused("--secrets-file is not JSON");
  }
}

process.exitCode = await main(process.argv.slice(2));
