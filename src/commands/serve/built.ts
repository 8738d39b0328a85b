/** A build's folder has its sources' hash: a start needs no wrangler and no writable checkout. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../root.ts";
import type { Checkout } from "./checkout.ts";
import { type Bundle, readBundle } from "./modules.ts";

export const BUILDS = join(ROOT, "src/commands/serve/dist");
export const CHECKOUT = "checkout.json";
export const ONE_MACHINE = "one-machine.js";

const SOURCES = ["src", "objects", "migrations", "wrangler.toml", "package-lock.json"];
const BUILT = /^src\/(?:client|commands\/serve)\/dist\//;

export interface Built {
  folder: string;
  bundle: Bundle;
  checkout: Checkout;
}

export async function readBuilt(): Promise<Built | null> {
  const folder = join(BUILDS, await hashOfSources());
  try {
    const [bundle, oneMachine, checkout] = await Promise.all([
      readBundle(join(folder, "index.js")),
      readFile(join(folder, ONE_MACHINE), "utf8"),
      readFile(join(folder, CHECKOUT), "utf8"),
    ]);
    const read = JSON.parse(checkout) as Checkout;
    return { folder, bundle: { ...bundle, oneMachine }, checkout: read };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** The hash includes where the sources are, because a build names folders. */
export async function hashOfSources(): Promise<string> {
  const hash = createHash("sha256").update(ROOT);
  for (const source of SOURCES) {
    for (const file of await filesOf(source)) {
      hash.update(`\0${file}\0`).update(await readFile(join(ROOT, file)));
    }
  }
  return hash.digest("hex");
}

async function filesOf(source: string): Promise<string[]> {
  if (source.includes(".")) return [source];
  const entries = await readdir(join(ROOT, source), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length).replaceAll("\\", "/"))
    .filter((file) => !BUILT.test(file))
    .sort();
}
