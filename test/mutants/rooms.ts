/** Runs the tests that must notice a mutant of a room, beside the broken code. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createVitest, type TestModule, type Vitest } from "vitest/node";
import config from "../vitest.config.ts";
import { broken, ROOT, withBroken } from "./breaks.ts";
import type { RoomMutant } from "./room-mutants.ts";

/** These tests read the code through Vite; the others bundle the files on disk. */
const THROUGH_VITE = ["test/workers/", "test/routers/", "test/plain/"];
const PROJECTS = ["workers", "workers-alone", "plain"];
const PARTS = [
  ...["objects", "src", "test", "migrations"],
  ...["wrangler.toml", "package.json", "tsconfig.json"],
];

let current: RoomMutant | null = null;
/** Started with the first mutant: it keeps what it has transformed, which is half of a run's time. */
let started: Promise<Vitest> | undefined;

const breaking = () => ({
  name: "mutant",
  enforce: "pre" as const,
  transform(text: string, id: string) {
    if (current === null || id.split("?")[0] !== join(ROOT, current.file)) return null;
    return broken(text, current);
  },
});

function start(): Promise<Vitest> {
  const projects = (config.test?.projects ?? []).flatMap((project) => {
    if (typeof project !== "object" || !("test" in project)) return [];
    if (!PROJECTS.includes(String(project.test?.name))) return [];
    const plugins = [breaking(), ...(project.plugins ?? [])];
    // The cache on disk does not know what is broken.
    return [{ ...project, plugins, test: { ...project.test, fsModuleCache: false } }];
  });
  return createVitest("test", {
    config: false,
    root: ROOT,
    // One that ends with its first run forgets what it has transformed.
    watch: true,
    bail: 1,
    maxWorkers: 1,
    reporters: [{}],
    projects,
  });
}

export async function endRooms(): Promise<void> {
  await (await started)?.close();
}

/**
 * The test that fails beside the broken code and not beside the right one, or null.
 *
 * @param pinned the test that is tried first, alone
 */
export async function failureOf(mutant: RoomMutant, pinned?: string): Promise<string | null> {
  const { caught_by } = mutant;
  if (caught_by === null) return null;
  if (!THROUGH_VITE.some((folder) => caught_by.startsWith(folder)))
    return onDisk(mutant, caught_by, pinned);
  if (pinned !== undefined) {
    const failure = await run(caught_by, mutant, pinned);
    if (failure !== null) return failure;
  }
  const failure = await run(caught_by, mutant);
  const control = failure === null ? null : await run(caught_by, null, failure);
  if (control !== null) throw new Error(`it fails without the break too: ${control}`);
  return failure;
}

async function run(file: string, mutant: RoomMutant | null, name?: string): Promise<string | null> {
  started ??= start();
  const vitest = await started;
  const tests = await vitest.globTestSpecifications([file]);
  for (const test of tests) test.testNames = name === undefined ? undefined : [name];
  current = mutant;
  if (mutant !== null) forget(vitest, mutant);
  try {
    const { testModules } = await vitest.runTestSpecifications(tests);
    const ran = testModules.filter(({ moduleId }) => moduleId === join(ROOT, file));
    if (ran.length === 0) throw new Error(`no such test: ${file}`);
    return firstFailure(ran);
  } finally {
    current = null;
    if (mutant !== null) forget(vitest, mutant);
  }
}

function forget(vitest: Vitest, { file }: RoomMutant): void {
  for (const { vite } of vitest.projects) {
    for (const { moduleGraph } of Object.values(vite.environments)) {
      moduleGraph.onFileChange(join(ROOT, file));
    }
  }
}

function firstFailure(modules: readonly TestModule[]): string | null {
  for (const module of modules) {
    const [failed] = module.children.allTests("failed");
    if (failed !== undefined) return failed.fullName;
    const [error] = module.errors();
    if (error !== undefined) return error.message;
  }
  return null;
}

/** The same with a copy of the repository; answers the test's own name. The one that is pinned runs alone. */
function onDisk(mutant: RoomMutant, test: string, pinned?: string): Promise<string | null> {
  return withBroken(mutant, PARTS, async (root) => {
    const vitest = [join(root, "node_modules/vitest/vitest.mjs"), "run", "--bail=1", test];
    const report = join(root, "report.json");
    const options = ["--config", "test/vitest.config.ts", "--reporter=json"];
    const only =
      pinned === undefined ? [] : ["-t", `${pinned.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`];
    const args = [...vitest, ...options, ...only, `--outputFile=${report}`];
    // It fails where the test does.
    const ran = promisify(execFile)(process.execPath, args, { cwd: root });
    const { stderr } = await ran.catch((error: { stderr: string }) => error);
    if (!existsSync(report)) throw new Error(`${test} does not run: ${stderr}`);
    const { testResults } = JSON.parse(await readFile(report, "utf8")) as Report;
    const tests = testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status === "passed" || status === "failed");
    if (tests.length === 0) throw new Error(`no such test: ${test}`);
    return tests.find(({ status }) => status === "failed")?.title ?? null;
  });
}

interface Report {
  testResults: { assertionResults: { status: string; title: string }[] }[];
}
