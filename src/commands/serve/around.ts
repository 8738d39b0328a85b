/** Wraps the deployed bundles in modules of one machine, of a test and of the demo, without changing a byte of them. */
import { join } from "node:path";
import type { Plugin } from "esbuild";
import type { Request, Response } from "miniflare";
import { ROOT } from "./bundle.ts";
import { type Bundle, type Code, modulesOf } from "./modules.ts";

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
export async function modulesAround(folder: string, bundle: Bundle, module?: string) {
  const outer = [{ path: "sila", contents: bundle.oneMachine ?? (await oneMachine()) }];
  if (module !== undefined)
    outer.unshift({ path: "outer.js", contents: await built(module, "sila", "sila") });
  return modulesOf(folder, { ...bundle, outer }, "bundle");
}

/** The module around the first Worker's, which it imports as `bundle`. */
export function oneMachine(): Promise<string> {
  return built(join(ROOT, "src/commands/serve/worker/one-machine.ts"), "sila", "bundle");
}

/** The identity Worker inside a module that imports it as `identity`. */
export async function identityAround(code: Code, module: string): Promise<Code> {
  const contents = await built(module, "identity", "index.js");
  return { ...code, outer: [{ path: "outer.js", contents }] };
}

/** A module whose import `name` is the module of this path. */
async function built(module: string, name: string, path: string): Promise<string> {
  const named: Plugin = {
    name: "named",
    setup({ onResolve }) {
      onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path, external: true }));
    },
  };
  // Only where something is built.
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [module],
    bundle: true,
    external: ["cloudflare:workers", "node:*"],
    plugins: [named],
    format: "esm",
    target: "es2024",
    write: false,
  });
  return outputFiles.map(({ text }) => text).join("\n");
}
