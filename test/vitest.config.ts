import { fileURLToPath } from "node:url";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";
import { bundleHub, HUB_OBJECTS } from "./demo/hub/bundle.ts";
import { randomSecret } from "./secret.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Shared between the service under test and the demo hub. */
const WEBHOOK_SECRET = `whsec_${randomSecret()}`;

export default defineConfig({
  test: {
    projects: [
      {
        // Rules of the domain, in the real runtime with real D1, KV, R2 and Durable Objects.
        plugins: [
          cloudflareTest({
            // Verbose, workerd prints every error that an object's method throws, caught by its caller or not.
            verbose: false,
            wrangler: { configPath: `${root}wrangler.toml` },
            miniflare: {
              bindings: {
                EDGE_CACHE: "local",
                SENDER_KEY: randomSecret(),
                SESSION_KEY: randomSecret(),
                HUB_WEBHOOK_SECRET: WEBHOOK_SECRET,
                TEST_MIGRATIONS: await readD1Migrations(`${root}migrations`),
              },
              // Whatever the service asks of the world, it asks of the demo hub.
              outboundService: "hub",
              serviceBindings: { HUB: "hub" },
              workers: [
                {
                  name: "hub",
                  modules: true,
                  script: await bundleHub(),
                  compatibilityDate: "2026-10-23",
                  durableObjects: HUB_OBJECTS,
                  bindings: {
                    SERVICE_URL: "https://sila.example",
                    WEBHOOK_SECRET,
                    SESSION_COOKIE: "hub_session",
                  },
                  // The service under test has no address: a webhook finds nobody there.
                  outboundService: () => new Response("nobody is here", { status: 410 }),
                },
              ],
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
