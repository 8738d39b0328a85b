/** The modules of the Worker's bundle, as Miniflare takes them. */
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A script, and the WebAssembly that it imports by these names from its own folder. */
export interface Bundle {
  script: string;
  wasm: ReadonlyMap<string, Uint8Array>;
}

/** The bundle that wrangler wrote: `path` is its script. */
export async function readBundle(path: string): Promise<Bundle> {
  const folder = dirname(path);
  const names = (await readdir(folder)).filter((name) => name.endsWith(".wasm"));
  const files = names.map(async (name) => [name, await readFile(join(folder, name))] as const);
  return { script: await readFile(path, "utf8"), wasm: new Map(await Promise.all(files)) };
}

interface Module {
  type: "ESModule" | "CompiledWasm";
  path: string;
  contents: string | Uint8Array;
}

/**
 * Miniflare's options for this code; the first module is the entry.
 *
 * @param folder where the modules would be, for their imports of each other
 * @param names of the script, and of a module around it
 */
export function modulesOf(folder: string, bundle: Bundle, name = "index.js", outer?: string) {
  const script = (path: string, contents: string): Module => ({
    type: "ESModule",
    path: join(folder, path),
    contents,
  });
  const modules: Module[] = [
    ...(outer === undefined ? [] : [script("outer.js", outer)]),
    script(name, bundle.script),
    ...[...bundle.wasm].map(
      ([path, contents]): Module => ({ type: "CompiledWasm", path: join(folder, path), contents }),
    ),
  ];
  return { modules, modulesRoot: folder };
}
