import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Its bindings to Durable Objects; the hub's `worker/env.d.ts` lists its variables. */
export const NEIGHBOUR_OBJECTS = {
  STORE: { className: "HubStore", useSQLite: true },
} as const;

/** With or without the demo of the account hub. */
const ENTRIES = { neighbours: "worker/index.ts", hub: "../hub/worker/index.tsx" } as const;

export async function bundleNeighbours(entry: keyof typeof ENTRIES): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(ENTRIES[entry], import.meta.url))],
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
