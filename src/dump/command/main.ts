/** `npm run dump` and `npm run load`: everything of a deployment into a folder, and back (docs/operations.md "Moving"). */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { secretIn } from "../../../objects/platform/secrets.ts";
import { Secret } from "../../http/secret.ts";
import { callService, Refused } from "./call-service.ts";
import { dumpAll } from "./dump.ts";
import { Folder } from "./folder.ts";
import { loadAll } from "./load.ts";

const HELP = `npm run dump -- --to folder   [--url https://sila.example] [--recipient age1…]
npm run load -- --from folder [--url https://sila.example] [--identity file]

Writes everything that a deployment has into a folder of plain files: the tables of D1, what only objects have,
pictures and files. load reads it into a deployment without pages, and compares the counts of each page.

  --url <address>     the service; without it the one that npm start runs on this machine
  --recipient age1…   encrypts each file for this key of age (https://age-encryption.org)
  --identity <file>   a file with the AGE-SECRET-KEY-1… that opens them
  --help

BACKUP_KEY, or the SILA_KEY from which the deployment derives it, is taken from the environment: an option could be read
by others. What broke off is begun again by the same command. The new deployment needs the secrets and databases of the old one.
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
      help: { type: "boolean" },
    },
  });
  const path = what === "dump" ? values.to : values.from;
  // A dump with --identity would not be encrypted.
  const foreign = what === "dump" ? values.identity : values.recipient;
  if (values.help || path === undefined || foreign !== undefined) {
    process.stdout.write(HELP);
    return values.help ? 0 : BAD_OPTIONS;
  }
  const origin = new URL(values.url ?? `http://localhost:${process.env.PORT || 8787}`).origin;
  // The report alone goes to the standard output.
  const say = (line: string) => console.error(line);
  const call = callService(origin, await readKey(values.url === undefined), say);
  const identity = values.identity && identityIn(await readFile(values.identity, "utf8"));
  const folder = new Folder(resolve(path), { recipient: values.recipient, identity });
  if (what === "dump") {
    const { rows, objects, media, inexact } = await dumpAll(call, folder, origin, say);
    console.log(`${rows} rows of D1, ${objects} objects, ${media} pictures and files.`);
    return report("These pages' counts were not exact", inexact);
  }
  const { rows, objects, media, pages, inexact, refused } = await loadAll(
    call,
    folder,
    origin,
    say,
  );
  console.log(
    `${rows} rows of D1, ${objects} objects, ${media} pictures and files, ${pages} pages.`,
  );
  return (
    report("These objects had something else, which they keep", refused) |
    report("These pages are missing, or their counts are not exact", inexact)
  );
}

/** 1 where there is something. */
function report(heading: string, names: readonly string[]): number {
  if (names.length === 0) return 0;
  console.log([`${heading}:`, ...names.map((name) => `  ${name}`)].join("\n"));
  return 1;
}

/** Of the environment, or the one that `npm start` has made for itself (test/demo/start.ts). */
async function readKey(is_local: boolean): Promise<Secret> {
  const kept = join(process.env.STATE_PATH || ".wrangler/state", "backup-key");
  const text =
    secretIn(process.env, "BACKUP_KEY") ??
    (is_local ? await readFile(kept, "utf8").catch(() => "") : "");
  if (text === "") {
    throw new Refused("there is neither BACKUP_KEY nor SILA_KEY in the environment (see --help)");
  }
  const key = Secret.parse(text.trim());
  if (typeof key === "string") throw new Refused(`BACKUP_KEY ${key}`);
  return key;
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
