/**
 * A release as it was deployed, kept in this folder so that a test can run it: a checkout in CI has neither its commit
 * nor its packages. What draws pictures of link previews is not in the file: until 3.1 WebAssembly of 1.6 MB, since
 * then the workshop. The test asks for no such picture.
 */
import { createHash } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";

const SUFFIX = ".json.br";
/** The two last: the commit of a release is tested against the one before it. */
const KEPT = 2;

export interface Release {
  version: string;
  /** wrangler.toml. */
  configuration: string;
  script: string;
  /** Names of the WebAssembly that it imports. */
  wasm: string[];
  /** SHA-256 of each migration, by its path. */
  migrations: Record<string, string>;
}

/** All that are kept, oldest first. */
export async function readReleases(): Promise<Release[]> {
  const names = await namesOf();
  const read = async (name: string) => {
    const packed = await readFile(join(import.meta.dirname, name));
    return JSON.parse(brotliDecompressSync(packed).toString()) as Release;
  };
  return Promise.all(names.map(read));
}

export async function writeRelease(release: Release): Promise<string> {
  const path = join(import.meta.dirname, `${release.version}${SUFFIX}`);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
  };
  await writeFile(path, brotliCompressSync(JSON.stringify(release), { params }));
  for (const name of (await namesOf()).slice(0, -KEPT)) await rm(join(import.meta.dirname, name));
  return path;
}

/** @param folder the bundle that wrangler wrote */
export async function releaseOf(root: string, folder: string): Promise<Release> {
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  return {
    version,
    configuration: await readFile(join(root, "wrangler.toml"), "utf8"),
    script: await readFile(join(folder, "index.js"), "utf8"),
    wasm: (await readdir(folder)).filter((name) => name.endsWith(".wasm")),
    migrations: await migrationsOf(root),
  };
}

export async function migrationsOf(root: string): Promise<Record<string, string>> {
  const names = await readdir(join(root, "migrations"), { recursive: true });
  const files = names.filter((name) => name.endsWith(".sql")).sort();
  const hash = async (name: string) => {
    const text = await readFile(join(root, "migrations", name));
    return [name, createHash("sha256").update(text).digest("hex")] as const;
  };
  return Object.fromEntries(await Promise.all(files.map(hash)));
}

async function namesOf(): Promise<string[]> {
  const names = (await readdir(import.meta.dirname)).filter((name) => name.endsWith(SUFFIX));
  return names.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
}
