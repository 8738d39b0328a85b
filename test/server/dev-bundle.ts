/** Bundles the Workers for `npm run dev` in 0.3 s, where `bundleWorker` takes 4 s. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { type BuildOptions, build, context, type OutputFile, type Plugin } from "esbuild";
import { ROOT } from "../../src/commands/root.ts";
import type { Bundle, Code } from "../../src/commands/serve/modules.ts";

export const WORKSHOP = "src/workshop/index.ts";
export const IDENTITY = "src/identity/index.ts";

/**
 * Prepares esbuild, which keeps the syntax trees of unchanged files between two bundles, with the options
 * of wrangler 4. `test/long/alone/dev.test.ts` compares the two bundles, so that the options cannot drift apart.
 *
 * @param options.minify as wrangler does; without it, stack traces have the names of the sources
 * @returns a function that makes the Workers' modules; it throws esbuild's message, with file and line, when
 *   that fails
 */
export async function createBundler({ minify = false } = {}): Promise<() => Promise<Bundle>> {
  const [makeSila, makeWorkshop, makeIdentity] = await Promise.all([
    bundlerOf("src/index.ts", minify),
    bundlerOf(WORKSHOP, minify),
    bundlerOf(IDENTITY, minify),
  ]);
  return async () => {
    const [sila, workshop, identity] = await Promise.all([
      makeSila(),
      makeWorkshop(),
      makeIdentity(),
    ]);
    return { ...sila, workshop, identity };
  };
}

export async function bundleOnce(entry: typeof WORKSHOP | typeof IDENTITY): Promise<Code> {
  const wasm = new Map<string, Uint8Array>();
  return codeOf(await build(optionsOf(entry, { minify: false, wasm })), wasm);
}

async function bundlerOf(entry: string, minify: boolean): Promise<() => Promise<Code>> {
  const wasm = new Map<string, Uint8Array>();
  const esbuild = await context(optionsOf(entry, { minify, wasm }));
  return async () => codeOf(await esbuild.rebuild(), wasm);
}

function codeOf({ outputFiles }: { outputFiles: OutputFile[] }, wasm: Code["wasm"]): Code {
  return { script: outputFiles.map(({ text }) => text).join("\n"), wasm };
}

function optionsOf(
  entry: string,
  { minify, wasm }: { minify: boolean; wasm: Map<string, Uint8Array> },
) {
  return {
    entryPoints: [entry],
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
  } as const satisfies BuildOptions;
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
