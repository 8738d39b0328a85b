/** Puts modules of one machine, a test or the demo around bundles, whose bytes stay. */
import { join } from "node:path";
import type { Plugin } from "esbuild";
import type { Request, Response } from "miniflare";
import { ROOT } from "../root.ts";
import { type Bundle, type Code, modulesOf } from "./modules.ts";

export interface Around {
  /** A TypeScript file that exports what `one-machine.ts` exports, and imports it as `sila`. */
  module: string;
  /** This process answers the service bindings of the module. */
  services: Record<string, (request: Request) => Promise<Response>>;
}

/** The first module is the entry. In `folder` the modules would find each other's imports. */
export async function modulesAround(folder: string, bundle: Bundle, module?: string) {
  const outer = [{ path: "sila", contents: bundle.oneMachine ?? (await oneMachine()) }];
  if (module !== undefined)
    outer.unshift({ path: "outer.js", contents: await built(module, "sila", "sila") });
  return modulesOf(folder, { ...bundle, outer }, "bundle");
}

/** The module imports the first Worker as `bundle`. */
export function oneMachine(): Promise<string> {
  return built(join(ROOT, "src/commands/serve/worker/one-machine.ts"), "sila", "bundle");
}

/** The module imports the identity Worker as `identity`. */
export async function identityAround(code: Code, module: string): Promise<Code> {
  const contents = await built(module, "identity", "index.js");
  return { ...code, outer: [{ path: "outer.js", contents }] };
}

async function built(module: string, name: string, path: string): Promise<string> {
  const named: Plugin = {
    name: "named",
    setup({ onResolve }) {
      onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path, external: true }));
    },
  };
  // Loaded only where something is built.
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
