import { fileURLToPath } from "node:url";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL("..", import.meta.url));

export default defineConfig({
  test: {
    projects: [
      {
        // Rules of the domain, in the real runtime with real D1, KV, R2 and Durable Objects.
        plugins: [
          cloudflareTest({
            wrangler: { configPath: `${root}wrangler.toml` },
            miniflare: {
              bindings: {
                SENDER_KEY: "a secret of the tests",
                TEST_MIGRATIONS: await readD1Migrations(`${root}migrations`),
              },
            },
          }),
        ],
        test: {
          name: "workers",
          root,
          include: ["test/workers/**/*.test.{ts,tsx}"],
          setupFiles: ["test/workers/setup.ts"],
        },
      },
      {
        // The deployed bundle in a process of its own: browsers, kills, start and stop.
        test: {
          name: "local",
          root,
          include: ["test/local/**/*.test.ts"],
          // One at a time: a load of clients next to a browser would starve both on two cores.
          fileParallelism: false,
        },
      },
    ],
  },
});
