import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";
import { readCheckout } from "../src/commands/serve/checkout.ts";
import { MAIL_BINDING, mailWorker } from "../src/commands/serve/mail-binding.ts";
import { workerBehind } from "../src/commands/serve/miniflare-options.ts";
import { WAIT_MS } from "./browser/wait.ts";
import { bundleNeighbours, NEIGHBOUR_OBJECTS } from "./demo/neighbours/bundle.ts";
import { mailTo } from "./demo/neighbours/neighbours.ts";
import { randomSecret } from "./secret.ts";
import DrawnSequencer from "./sequencer.ts";
import { bundleOnce, IDENTITY, WORKSHOP } from "./server/dev-bundle.ts";
import { outside } from "./workers/authoring/transfer/outside.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

const WEBHOOK_SECRET = `whsec_${randomSecret()}`;

/** Test files at once: more than the two cores they are meant for, because most of them wait now and then. */
const PARALLEL = 3;

/** Seeds of the models in `npm test`, and the last one in `npm run test:long`. */
const SEEDS = 60;
const SEEDS_LONG = process.env.TEST_WEEKLY ? 1_000 : 300;

declare module "vitest" {
  interface ProvidedContext {
    /** Of the models: the first and the last. */
    seeds: { from: number; to: number };
    /** Of `test/bundle/distance.test.ts`: round trips in milliseconds, and the number of concurrent requests. */
    distances: { distances_ms: number[]; crowd: number };
  }
}

const MIGRATIONS = await readD1Migrations(`${root}migrations`);
const STATS_MIGRATIONS = await readD1Migrations(`${root}migrations/stats`);
const HUB_SCRIPT = await bundleNeighbours("hub");
const { workshop, identity } = await readCheckout();
const BEHIND = [
  { ...workerBehind(workshop, await bundleOnce(WORKSHOP)), outboundService: outside },
  workerBehind(identity, await bundleOnce(IDENTITY)),
];

/**
 * What goes on beside a request, and what a browser shows, has its time. Milliseconds that `expect.poll` waits, more than
 * it takes on a busy machine.
 */
const POLLS = { poll: { timeout: 30_000 } };

/**
 * The real runtime with real D1, KV, R2 and Durable Objects. The plugin changes its options: each project has
 * its own.
 */
const workerd = () =>
  cloudflareTest({
    // Verbose, workerd prints every error that an object's method throws, caught by its caller or not.
    verbose: false,
    main: `${root}src/commands/serve/worker/one-machine.ts`,
    wrangler: { configPath: `${root}wrangler.toml` },
    miniflare: {
      bindings: {
        ONE_MACHINE: true,
        SENDER_KEY: randomSecret(),
        SESSION_KEY: randomSecret(),
        HUB_WEBHOOK_SECRET: WEBHOOK_SECRET,
        HUB_URL: "http://localhost:8788",
        AUTH_URL: "http://localhost:8788/sign-in",
        HUB_SESSION_COOKIE: "hub_session",
        SETUP_CODE: "",
        AI_URL: "http://localhost:8788/v1",
        AI_MODEL: "sila-demo",
        AI_KEY: "sk-test",
        SITE_ORIGIN: "https://sila.example",
        MAIL_FROM: "news@sila.example",
        TEST_WEEKLY: process.env.TEST_WEEKLY ?? "",
        TEST_SEED: process.env.TEST_SEED ?? "",
        TEST_MIGRATIONS: MIGRATIONS,
        TEST_STATS_MIGRATIONS: STATS_MIGRATIONS,
      },
      // Databases that a test binds as STATS_0 and so on (`test/workers/stats/stats-kit.ts`).
      d1Databases: { SPARE_0: "spare-0", SPARE_1: "spare-1" },
      // Every outgoing request of the service goes to the demo hub.
      outboundService: "hub",
      serviceBindings: { HUB: "hub", MAIL: MAIL_BINDING },
      // In place of it.
      email: { send_email: [] },
      workers: [
        ...BEHIND,
        { ...mailWorker(mailTo("http://hub"), "2026-10-23"), outboundService: "hub" },
        {
          name: "hub",
          modules: true,
          script: HUB_SCRIPT,
          compatibilityDate: "2026-10-23",
          durableObjects: NEIGHBOUR_OBJECTS,
          bindings: {
            SERVICE_URL: "https://sila.example",
            WEBHOOK_SECRET,
            SESSION_COOKIE: "hub_session",
          },
          // The service under test has no address here, so the hub cannot deliver a webhook.
          outboundService: () => new Response("nobody is here", { status: 410 }),
        },
      ],
    },
  });

/** What the module around the bundle imports. */
const SILA = { alias: { sila: `${root}src/index.ts` } };

/** Milliseconds, longer than any test or hook without a limit of its own takes on a busy machine. */
const PATIENT = { testTimeout: 60_000, hookTimeout: 60_000 };

/**
 * The files of `test/workers` that count calls. They would count those of an alarm or a delivery that an
 * earlier file has left behind, so each has an isolate of its own.
 */
const COUNTING = readdirSync(`${root}test/workers`, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.test\.tsx?$/.test(name))
  .map((name) => `test/workers/${name}`)
  .filter((file) => /toHaveBeenCalled|\bmock\./.test(readFileSync(`${root}${file}`, "utf8")));

const WORKERD_TESTS = {
  root,
  ...PATIENT,
  setupFiles: ["test/workers/setup.ts"],
  expect: POLLS,
  maxWorkers: PARALLEL,
};

/** Options of the projects in Node that start the deployed bundle in a process of its own. */
const BUNDLE_TESTS = {
  ...PATIENT,
  root,
  globalSetup: ["test/server/bundle-once.ts"],
  expect: POLLS,
  maxWorkers: PARALLEL,
};

/** A folder for each kind of test. `npm test` runs all but the long ones. */
export default defineConfig({
  test: {
    // Milliseconds. The reporter lists a test by its name only if it took this long, or failed.
    slowTestThreshold: 30_000,
    reporters: ["./test/reporter.ts", "./test/silence.ts"],
    // The run prints its seed.
    sequence: { shuffle: { files: true }, sequencer: DrawnSequencer },
    projects: [
      {
        plugins: [workerd()],
        resolve: SILA,
        test: {
          ...WORKERD_TESTS,
          name: "workers",
          include: ["test/workers/**/*.test.{ts,tsx}"],
          exclude: COUNTING,
          // Loading the Worker's modules anew for each file takes as long as all the tests. `setup.ts` empties the
          // storage in between.
          isolate: false,
        },
      },
      {
        // They count the calls of an isolate, or load the Worker's modules several times.
        plugins: [workerd()],
        resolve: SILA,
        test: {
          ...WORKERD_TESTS,
          name: "workers-alone",
          include: [...COUNTING, "test/routers/**/*.test.ts"],
        },
      },
      {
        // Neither a server nor a browser.
        test: {
          ...PATIENT,
          name: "plain",
          root,
          include: ["test/plain/**/*.test.ts", "test/model/**/*.test.ts"],
          provide: { seeds: { from: 1, to: SEEDS } },
          isolate: false,
          maxWorkers: PARALLEL,
        },
      },
      {
        // The deployed bundle: its disk, its distances, its end by SIGKILL.
        test: {
          ...BUNDLE_TESTS,
          name: "bundle",
          include: ["test/bundle/**/*.test.ts"],
          // More than the 60 that a limit admits.
          provide: { distances: { distances_ms: [0, 20], crowd: 80 } },
        },
      },
      {
        test: {
          ...BUNDLE_TESTS,
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          expect: { poll: { timeout: WAIT_MS } },
        },
      },
      {
        test: {
          ...BUNDLE_TESTS,
          name: "long",
          include: ["test/{long,model,scale}/**/*.test.ts"],
          exclude: ["test/long/{alone,workers}/**"],
          provide: { seeds: { from: SEEDS + 1, to: SEEDS_LONG } },
        },
      },
      {
        // The same as `workers`: they take long.
        plugins: [workerd()],
        resolve: SILA,
        test: {
          ...WORKERD_TESTS,
          name: "long-workers",
          include: ["test/long/workers/**/*.test.ts"],
        },
      },
      {
        // They measure, or fill the machine: one by one, when everything else has ended.
        test: {
          ...BUNDLE_TESTS,
          name: "long-alone",
          include: [
            "test/long/alone/**/*.test.ts",
            "test/{bench,simulate,mutants}/**/*.test.ts",
            "test/bundle/distance.test.ts",
          ],
          provide: { distances: { distances_ms: [1, 5, 30, 150], crowd: 200 } },
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
