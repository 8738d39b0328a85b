/** The modules of the three Workers, as Miniflare takes them. */
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A Worker's script, and the WebAssembly that it imports by these names from its own folder. */
export interface Code {
  script: string;
  wasm: ReadonlyMap<string, Uint8Array>;
  /** Modules around the script, the outermost first. */
  outer?: readonly { path: string; contents: string }[];
}

/** What a deployment uploads: the Worker that has the addresses, and the two behind it. */
export interface Bundle extends Code {
  workshop: Code;
  identity: Code;
  /** What `oneMachine` of `around.ts` makes, where it is made already. */
  oneMachine?: string;
}

/** Where wrangler writes the others, beside the script of the first Worker. */
export const WORKSHOP_FOLDER = "workshop";
export const IDENTITY_FOLDER = "identity";

/** The bundle that wrangler wrote: `path` is the first Worker's script. */
export async function readBundle(path: string): Promise<Bundle> {
  const [code, workshop, identity] = await Promise.all([
    readCode(path),
    readCode(join(dirname(path), WORKSHOP_FOLDER, "index.js")),
    readCode(join(dirname(path), IDENTITY_FOLDER, "index.js")),
  ]);
  return { ...code, workshop, identity };
}

async function readCode(path: string): Promise<Code> {
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
 * @param name of the script
 */
export function modulesOf(folder: string, code: Code, name = "index.js") {
  const script = (path: string, contents: string): Module => ({
    type: "ESModule",
    path: join(folder, path),
    contents,
  });
  const modules: Module[] = [
    ...(code.outer ?? []).map(({ path, contents }) => script(path, contents)),
    script(name, code.script),
    ...[...code.wasm].map(
      ([path, contents]): Module => ({ type: "CompiledWasm", path: join(folder, path), contents }),
    ),
  ];
  return { modules, modulesRoot: folder };
}
