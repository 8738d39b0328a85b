/**
 * Makes a release of this checkout: `npm run release -- 3.1.0`.
 *
 * Moves the version in package.json and its lock, dates the changelog's section of what is not released, and keeps the
 * bundle in this folder, so that `test/long/upgrade.test.ts` upgrades from it in every later run. It commits nothing.
 * It begins only where everything is committed, so `git restore .` undoes it, and it does so itself where a step fails.
 */
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../../src/commands/root.ts";
import { bundleWorker } from "../../src/commands/serve/bundle.ts";
import { type Release, releaseOf, writeRelease } from "./release-file.ts";

const UNRELEASED = "## [Unreleased]\n";
/** The major number is the interface's (docs/contract.md). */
const VERSION = /^3\.(?:0|[1-9]\d{0,3})\.(?:0|[1-9]\d{0,3})$/;
/** The files with the version, and how often each has it. */
const VERSIONED = { "package.json": 1, "package-lock.json": 2 };

export async function main([version = "", ...rest]: readonly string[]): Promise<number> {
  const now = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")).version as string;
  if (!VERSION.test(version) || rest.length > 0 || !isLater(version, now)) {
    console.error(`Usage: npm run release -- 3.<minor>.<patch>, later than ${now}`);
    return 2;
  }
  const changes = await readFile(join(ROOT, "CHANGELOG.md"), "utf8");
  const fault = faultOfCheckout(version) ?? faultOfChanges(changes, version);
  if (fault !== null) {
    console.error(`${fault}\nNothing was changed.`);
    return 1;
  }
  const date = new Date().toISOString().slice(0, 10);
  const files = { "CHANGELOG.md": dated(changes, version, date) };
  for (const [path, times] of Object.entries(VERSIONED)) {
    const text = await readFile(join(ROOT, path), "utf8");
    Object.assign(files, { [path]: moved(text, now, version, times) });
  }
  let release: Release;
  try {
    for (const [path, text] of Object.entries(files)) await writeFile(join(ROOT, path), text);
    release = await bundled();
  } catch (error) {
    execFileSync("git", ["restore", "--", ...Object.keys(files)], { cwd: ROOT });
    console.error(`${error instanceof Error ? error.message : error}\nEverything is as it was.`);
    return 1;
  }
  console.log(`kept ${await writeRelease(release)}`);
  console.log(`Now: npm test, commit, and tag it v${version}.`);
  return 0;
}

async function bundled(): Promise<Release> {
  const folder = await mkdtemp(join(tmpdir(), "sila-release-"));
  try {
    await bundleWorker(folder);
    return await releaseOf(ROOT, folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The bundle must be that of a commit, or nobody could make it again. */
function faultOfCheckout(version: string): string | null {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain");
  if (changed !== "") return `Commit or put away first:\n${changed}`;
  return git("tag", "--list", `v${version}`) === ""
    ? null
    : `The tag v${version} is there already.`;
}

function faultOfChanges(changes: string, version: string): string | null {
  const [, section] = changes.split(UNRELEASED);
  if (section === undefined) return "CHANGELOG.md has no section of what is not released.";
  if (changes.includes(`## [${version}]`))
    return `CHANGELOG.md has a section of ${version} already.`;
  const [unreleased = ""] = section.split("\n## [");
  return /^- /m.test(unreleased) ? null : "CHANGELOG.md says nothing about what is not released.";
}

function dated(changes: string, version: string, date: string): string {
  return changes.replace(UNRELEASED, `${UNRELEASED}\n## [${version}] - ${date}\n`);
}

/** The package's own version is the first in both files. */
function moved(text: string, from: string, to: string, times: number): string {
  const parts = text.split(`"version": "${from}"`);
  if (parts.length <= times) throw new Error(`a file of npm lacks the version ${from}`);
  const head = parts.slice(0, times + 1).join(`"version": "${to}"`);
  return [head, ...parts.slice(times + 1)].join(`"version": "${from}"`);
}

function isLater(version: string, now: string): boolean {
  return version.localeCompare(now, "en", { numeric: true }) > 0;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
