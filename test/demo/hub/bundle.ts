/** Bundles the demo hub as one module, for `npm start` and for the test runner. */
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Its bindings to Durable Objects; `worker/env.d.ts` lists its variables. */
export const HUB_OBJECTS = { STORE: { className: "HubStore", useSQLite: true } } as const;

/** The Worker's only module, as text. */
export async function bundleHub(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("worker/index.tsx", import.meta.url))],
    bundle: true,
    external: ["cloudflare:workers"],
    format: "esm",
    target: "es2024",
    jsx: "automatic",
    jsxImportSource: "hono/jsx",
    write: false,
  });
  return outputFiles.map(({ text }) => text).join("\n");
}
