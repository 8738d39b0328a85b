/**
 * What a build leaves for `npm run serve`, and whether it is of the sources that are here: then a start takes neither
 * wrangler nor a writable checkout.
 */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "./bundle.ts";
import type { Checkout } from "./checkout.ts";
import { type Bundle, readBundle } from "./modules.ts";

export const BUILT_FOLDER = join(ROOT, "src/serve/dist");
/** Written last. */
export const STAMP = join(BUILT_FOLDER, "stamp");
export const CHECKOUT = join(BUILT_FOLDER, "checkout.json");
export const ONE_MACHINE = join(BUILT_FOLDER, "one-machine.js");

const SOURCES = ["src", "objects", "migrations", "wrangler.toml", "package-lock.json"];
const BUILT = /^src\/(?:client|serve)\/dist\//;

export interface Built {
  bundle: Bundle;
  checkout: Checkout;
}

/** Null where there is none, or none of these sources. */
export async function readBuilt(): Promise<Built | null> {
  const stamp = await readFile(STAMP, "utf8").catch(() => "");
  if (stamp !== (await stampOf())) return null;
  const [bundle, oneMachine, checkout] = await Promise.all([
    readBundle(join(BUILT_FOLDER, "index.js")),
    readFile(ONE_MACHINE, "utf8"),
    readFile(CHECKOUT, "utf8"),
  ]);
  return { bundle: { ...bundle, oneMachine }, checkout: JSON.parse(checkout) as Checkout };
}

/** A hash of all sources, and of where they are: the build names folders. */
export async function stampOf(): Promise<string> {
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
