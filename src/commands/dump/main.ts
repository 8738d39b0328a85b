/**
 * `npm run dump` and `npm run load`: everything of a deployment into a folder, and back
 * (docs/operations.md "Moving").
 */
import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { secretIn } from "../../../objects/platform/secrets.ts";
import { Secret } from "../../http/secret.ts";
import { lockState } from "../serve/lock.ts";
import { callService, Refused } from "./call-service.ts";
import { dumpAll, sumsOf } from "./dump.ts";
import { Folder } from "./folder.ts";
import { loadAll } from "./load.ts";

const HELP = `npm run dump -- --to folder   [--url https://sila.example] [--recipient age1…]
npm run load -- --from folder [--url https://sila.example] [--identity file] [--with-other-keys]

Writes everything that a deployment has into a folder of plain files: the tables of D1, what only objects have,
pictures and files. load reads it into a deployment without pages and users, and compares the counts of each page.

  --url <address>     the service; without it the one on this machine, of npm run serve where DATA names its folder, or of npm start
  --recipient age1…   encrypts each file for this key of age (https://age-encryption.org)
  --identity <file>   a file with the AGE-SECRET-KEY-1… that opens them
  --with-other-keys   loads also where the deployment has other secrets than the old one; without it load says what would end
  --help

BACKUP_KEY, or the SILA_KEY from which the deployment derives it, is taken from the environment: an option could be read
by others. On this machine it is read from the service's folder. What broke off is begun again by the same command.
`;
const BAD_OPTIONS = 2;

/** The exit code: 1 also where a page is missing or its counts are not exact. */
async function main([what, ...args]: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      to: { type: "string" },
      from: { type: "string" },
      url: { type: "string" },
      recipient: { type: "string" },
      identity: { type: "string" },
      "with-other-keys": { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  const path = what === "dump" ? values.to : values.from;
  // A dump with --identity would not be encrypted.
  const foreign =
    what === "dump" ? (values.identity ?? values["with-other-keys"]) : values.recipient;
  if (values.help || path === undefined || foreign !== undefined) {
    process.stdout.write(HELP);
    return values.help ? 0 : BAD_OPTIONS;
  }
  const origin = new URL(values.url ?? `http://localhost:${process.env.PORT || 8787}`).origin;
  // Only the report goes to the standard output.
  const say = (line: string) => console.error(line);
  const call = callService(origin, await readKey(values.url === undefined), say);
  const identity = values.identity && identityIn(await readFile(values.identity, "utf8"));
  const folder = new Folder(resolve(path), { recipient: values.recipient, identity });
  await lockFolder(folder.path);
  if (what === "dump") {
    const manifest = await dumpAll(call, folder, origin, say);
    const { rows, media } = sumsOf(manifest);
    console.log(`${rows} rows of D1, ${manifest.objects} objects, ${media} pictures and files.`);
    return (
      report("These pages' counts were not exact", manifest.inexact) |
      report("These users' points moved while they were read", manifest.wrong_points)
    );
  }
  const loaded = await loadAll(call, folder, origin, say, values["with-other-keys"] === true);
  const { rows, objects, media, pages, inexact, refused, wrong_points, moved } = loaded;
  console.log(
    `${rows} rows of D1, ${objects} objects, ${media} pictures and files, ${pages} pages.`,
  );
  if (moved !== null) {
    console.log(
      `Passkeys belong to ${moved.from}. At ${moved.to} its users sign in by mail, an issuer or a recovery code.`,
    );
  }
  return (
    report("These objects had something else, which they keep", refused) |
    report("These pages are missing, or their counts are not exact", inexact) |
    report("These users' points do not add up", wrong_points)
  );
}

/** Two commands would mix files. The lock is outside the folder, which may be on any disk. */
async function lockFolder(path: string): Promise<void> {
  const name = createHash("sha256").update(path).digest("hex").slice(0, 16);
  const locks = join(tmpdir(), `sila-dump-${name}`);
  await mkdir(locks, { recursive: true });
  await lockState(locks).catch(() => {
    throw new Refused(`another command works in ${path}`);
  });
}

/** Answers the exit code: 1 where there are names. */
function report(heading: string, names: readonly string[]): number {
  if (names.length === 0) return 0;
  console.log([`${heading}:`, ...names.map((name) => `  ${name}`)].join("\n"));
  return 1;
}

/** The environment has it, or the folder of `npm run serve` or `npm start` on this machine. */
async function readKey(is_local: boolean): Promise<Secret> {
  const { DATA, STATE_PATH } = process.env;
  const kept = DATA || STATE_PATH || ".wrangler/state";
  const text =
    secretIn(process.env, "BACKUP_KEY") ?? (is_local ? await keptKey(kept) : undefined) ?? "";
  if (text === "") {
    throw new Refused("there is neither BACKUP_KEY nor SILA_KEY in the environment (see --help)");
  }
  const key = Secret.parse(text.trim());
  if (typeof key === "string") throw new Refused(`BACKUP_KEY ${key}`);
  return key;
}

async function keptKey(folder: string): Promise<string | undefined> {
  const read = (name: string) => readFile(join(folder, name), "utf8").catch(() => undefined);
  const [BACKUP_KEY, SILA_KEY] = [await read("backup-key"), await read("key")];
  return secretIn({ BACKUP_KEY, SILA_KEY }, "BACKUP_KEY");
}

function identityIn(text: string): string {
  const line = text.split("\n").find((each) => each.startsWith("AGE-SECRET-KEY-"));
  if (line === undefined) throw new Refused("--identity has no AGE-SECRET-KEY-1…");
  return line.trim();
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
