/**
 * `npm run restore`: puts a backup back into D1 and the objects (docs/operations.md "Restoring").
 *
 *   --date YYYY-MM-DD  the backup's night; --list shows which there are
 *   --url …            the service's address, by default http://localhost:8787
 *   --secrets-file …   JSON or NAME=value lines with BACKUP_KEY; else it is read from the environment
 *   --dry-run          checks and compares, and writes nothing
 *   --json             the report for machines
 *
 * The service reads its own bucket and decrypts; the key never leaves this machine. A key on the command
 * line would be seen by others on it, so there is no option for one.
 */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Secret } from "../../http/secret.ts";
import type { AskedPage } from "../restore-steps.ts";
import { callService } from "./call-service.ts";
import { reportText } from "./report-text.ts";
import { RestoreRefused, restoreBackup } from "./restore-backup.ts";

const LOCAL = "http://localhost:8787";
/** Where a restore that is under way keeps what objects told it, for when it is begun again. */
const MEMORY = ".wrangler";

interface Listed {
  date: string;
  rows: number;
  bytes: number;
  finished_at: number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      date: { type: "string" },
      url: { type: "string", default: LOCAL },
      "secrets-file": { type: "string" },
      "dry-run": { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
    },
  });
  const { date, url, json, list } = values;
  const dry_run = values["dry-run"];
  const call = callService(url, await readKey(values["secrets-file"]));
  if (list) {
    const { backups } = (await call({ step: "list" })) as { backups: Listed[] };
    console.log(json ? JSON.stringify(backups) : listText(backups));
    return;
  }
  if (date === undefined || !/^\d{4}-\d\d-\d\d$/.test(date)) {
    throw new RestoreRefused("say which backup: --date YYYY-MM-DD; --list shows them");
  }
  const memory = join(MEMORY, `restore-${new URL(url).host.replace(/\W/g, "-")}-${date}.json`);
  const report = await restoreBackup(call, {
    date,
    dry_run,
    // The report alone goes to the standard output.
    say: (line) => console.error(line),
    remembered: await readMemory(memory),
    remember: async (pages) => {
      if (dry_run) return;
      await mkdir(MEMORY, { recursive: true });
      await writeFile(memory, JSON.stringify([...pages.values()]), { mode: 0o600 });
    },
  });
  if (!dry_run) await rm(memory, { force: true });
  console.log(json ? JSON.stringify(report, null, 2) : reportText(report, dry_run));
}

async function readKey(file: string | undefined): Promise<Secret> {
  const text = file === undefined ? process.env.BACKUP_KEY : keyIn(await readFile(file, "utf8"));
  if (text === undefined || text === "") {
    throw new RestoreRefused("there is no BACKUP_KEY in the environment, or in --secrets-file");
  }
  const key = Secret.parse(text);
  if (typeof key === "string") throw new RestoreRefused(`BACKUP_KEY ${key}`);
  return key;
}

function keyIn(text: string): string | undefined {
  if (text.trimStart().startsWith("{"))
    return (JSON.parse(text) as Record<string, string>).BACKUP_KEY;
  return /^BACKUP_KEY\s*=\s*["']?([^"'\s]+)/m.exec(text)?.[1];
}

async function readMemory(path: string): Promise<Map<string, AskedPage>> {
  try {
    const pages = JSON.parse(await readFile(path, "utf8")) as AskedPage[];
    return new Map(pages.map((page) => [page.page_id, page]));
  } catch {
    return new Map();
  }
}

function listText(backups: readonly Listed[]): string {
  if (backups.length === 0) return "There are no complete backups.";
  return backups
    .map(({ date, rows, bytes, finished_at }) => {
      const done = new Date(finished_at).toISOString().slice(0, 16).replace("T", " ");
      return `${date}  ${rows} rows, ${(bytes / 1e6).toFixed(1)} MB, complete at ${done} UTC`;
    })
    .join("\n");
}

try {
  await main();
} catch (error) {
  console.error(error instanceof RestoreRefused ? `Not restored: ${error.message}` : String(error));
  process.exitCode = 1;
}
