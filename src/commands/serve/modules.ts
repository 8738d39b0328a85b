import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The script imports WebAssembly by these names from its own folder. */
export interface Code {
  script: string;
  wasm: ReadonlyMap<string, Uint8Array>;
  /** Modules around the script, the outermost first. */
  outer?: readonly { path: string; contents: string }[];
}

/** A deployment uploads these: the Worker that has the addresses, and the two behind it. */
export interface Bundle extends Code {
  workshop: Code;
  identity: Code;
  /** The result of `oneMachine` of `around.ts`, where it is made already. */
  oneMachine?: string;
}

/** Wrangler writes the others here, beside the script of the first Worker. */
export const WORKSHOP_FOLDER = "workshop";
export const IDENTITY_FOLDER = "identity";

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

/** The first module is the entry. In `folder` the modules would find each other's imports. */
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
