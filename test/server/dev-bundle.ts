/** Bundles the Worker for `npm run dev` in 0.3 s, where `bundleWorker` takes 2 s. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { context, type Plugin } from "esbuild";
import { ROOT } from "./bundle.ts";
import type { Bundle } from "./modules.ts";

/**
 * Prepares esbuild, which keeps the syntax trees of unchanged files between two bundles, with the options
 * of wrangler 4. `test/long/alone/dev.test.ts` compares the two bundles, so that the options cannot drift apart.
 *
 * @param options.minify as wrangler does; without it, stack traces have the names of the sources
 * @returns a function that makes the Worker's modules; it throws esbuild's message, with file and line, when
 *   that fails
 */
export async function createBundler({ minify = false } = {}): Promise<() => Promise<Bundle>> {
  const wasm = new Map<string, Uint8Array>();
  const esbuild = await context({
    entryPoints: ["src/index.ts"],
    absWorkingDir: ROOT,
    outdir: "never-written",
    write: false,
    bundle: true,
    format: "esm",
    target: "es2024",
    supported: { "import-source": true, using: true },
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    loader: { ".js": "jsx", ".mjs": "jsx", ".cjs": "jsx" },
    minify,
    define: {
      "process.env.NODE_ENV": '"production"',
      "global.process.env.NODE_ENV": '"production"',
      "globalThis.process.env.NODE_ENV": '"production"',
      "navigator.userAgent": '"Cloudflare-Workers"',
    },
    plugins: [wasmModules(wasm)],
    logLevel: "silent",
  });
  return async () => {
    const { outputFiles } = await esbuild.rebuild();
    return { script: outputFiles.map(({ text }) => text).join("\n"), wasm };
  };
}

/** Leaves imports of WebAssembly to workerd, under the names that wrangler gives to the files. */
function wasmModules(found: Map<string, Uint8Array>): Plugin {
  return {
    name: "wasm",
    setup({ onResolve, resolve }) {
      onResolve({ filter: /\.wasm$/ }, async ({ path, pluginData, ...place }) => {
        // The second call is our own, for the file of a path inside a package.
        if (pluginData === "resolved") return undefined;
        const { importer, namespace, resolveDir, kind } = place;
        const options = { importer, namespace, resolveDir, kind, pluginData: "resolved" };
        const file = await resolve(path, options);
        if (file.errors.length > 0) return { errors: file.errors };
        const content = await readFile(file.path);
        const name = `${createHash("sha1").update(content).digest("hex")}-${basename(file.path)}`;
        found.set(name, content);
        return { path: `./${name}`, external: true };
      });
    },
  };
}
