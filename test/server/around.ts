/** Wraps the deployed bundle in a module of a test, without changing a byte of the bundle. */
import { dirname } from "node:path";
import { build } from "esbuild";
import type { Request, Response } from "miniflare";
import { modulesOf, readBundle } from "./modules.ts";

export interface Around {
  /** A TypeScript file that exports what the bundle exports; it imports the bundle as `sila`. */
  module: string;
  /** Service bindings of the module, answered in this process. */
  services: Record<string, (request: Request) => Promise<Response>>;
}

/** The Worker's modules for Miniflare; the first one is the entry. */
export async function modulesAround(bundlePath: string, module: string) {
  const { outputFiles } = await build({
    entryPoints: [module],
    bundle: true,
    external: ["sila", "cloudflare:workers"],
    format: "esm",
    target: "es2024",
    write: false,
  });
  const outer = outputFiles.map(({ text }) => text).join("\n");
  return modulesOf(dirname(bundlePath), await readBundle(bundlePath), "sila", outer);
}
