/**
 * Makes a release of this checkout: `npm run release -- 3.1.0`.
 *
 * Moves the version in package.json and its lock, dates the changelog's section of what is not released, and keeps the
 * bundle in this folder, so that `test/local/upgrade.test.ts` upgrades from it in every later run. It commits nothing.
 */
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleWorker, ROOT } from "../server/bundle.ts";
import { releaseOf, writeRelease } from "./release-file.ts";

const UNRELEASED = "## [Unreleased]\n";
/** The major number is the interface's (docs/contract.md). */
const VERSION = /^3\.\d{1,4}\.\d{1,4}$/;

/** The exit code. */
export async function main([version = "", ...rest]: readonly string[]): Promise<number> {
  const now = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")).version as string;
  if (!VERSION.test(version) || rest.length > 0 || !isLater(version, now)) {
    console.error(`Usage: npm run release -- 3.<minor>.<patch>, later than ${now}`);
    return 2;
  }
  const changes = await readFile(join(ROOT, "CHANGELOG.md"), "utf8");
  if (!changes.includes(UNRELEASED)) {
    console.error("CHANGELOG.md has no section of what is not released.");
    return 1;
  }
  const date = new Date().toISOString().slice(0, 10);
  const dated = changes.replace(UNRELEASED, `${UNRELEASED}\n## [${version}] - ${date}\n`);
  await writeFile(join(ROOT, "CHANGELOG.md"), dated);
  execFileSync("npm", ["version", version, "--no-git-tag-version"], { cwd: ROOT, stdio: "ignore" });
  const folder = await mkdtemp(join(tmpdir(), "sila-release-"));
  try {
    await bundleWorker(folder);
    console.log(`kept ${await writeRelease(await releaseOf(ROOT, folder))}`);
  } finally {
    await rm(folder, { recursive: true });
  }
  console.log(`Now: npm test, commit, and tag it v${version}.`);
  return 0;
}

function isLater(version: string, now: string): boolean {
  return version.localeCompare(now, "en", { numeric: true }) > 0;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
