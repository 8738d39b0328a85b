/** Wraps the deployed bundle in the module of one machine, and of a test, without changing a byte of the bundle. */
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import type { Request, Response } from "miniflare";
import { ROOT } from "./bundle.ts";
import { type Code, modulesOf } from "./modules.ts";

const ONE_MACHINE = join(ROOT, "test/server/worker/one-machine.ts");

export interface Around {
  /** A TypeScript file that exports what `one-machine.ts` exports, and imports it as `sila`. */
  module: string;
  /** Service bindings of the module, answered in this process. */
  services: Record<string, (request: Request) => Promise<Response>>;
}

/**
 * The Worker's modules for Miniflare; the first one is the entry.
 *
 * @param folder where they would be, for their imports of each other
 */
export async function modulesAround(folder: string, bundle: Code, module?: string) {
  const outer = [{ path: "sila", contents: await built(ONE_MACHINE, "bundle") }];
  if (module !== undefined)
    outer.unshift({ path: "outer.js", contents: await built(module, "sila") });
  return modulesOf(folder, bundle, "bundle", outer);
}

/** A module whose import `sila` is the module of this name. */
async function built(module: string, sila: string): Promise<string> {
  const named: Plugin = {
    name: "named",
    setup({ onResolve }) {
      onResolve({ filter: /^sila$/ }, () => ({ path: sila, external: true }));
    },
  };
  const { outputFiles } = await build({
    entryPoints: [module],
    bundle: true,
    external: ["cloudflare:workers"],
    plugins: [named],
    format: "esm",
    target: "es2024",
    write: false,
  });
  return outputFiles.map(({ text }) => text).join("\n");
}
