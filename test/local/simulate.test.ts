/** The simulator's command: it finds a broken system, and its options and exit codes work. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ROOT } from "../server/bundle.ts";
import { endSimulations, Simulating } from "./simulating.ts";

const TEST_TIMEOUT_MS = 120_000;

describe("the command", () => {
  let tmp: string;
  beforeEach(async () => {
    tmp = await mkdtemp(join(tmpdir(), "sila-simulate-test-"));
  });
  afterEach(async () => {
    await endSimulations();
    await rm(tmp, { recursive: true, force: true });
  });

  test("a system that answers from memory passes without SIGKILL, and fails with it, id by id", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const hasty = join(ROOT, "test/simulate/worker/hasty.ts");
    const calm = ["--events", "400", "--pages", "3", "--json", "--d1-outages", "0", "--edits", "0"];
    const spared = new Simulating([...calm, "--kills", "0", "--evictions", "0"], tmp, hasty);
    expect(await spared.exited(), spared.stdout).toBe(0);
    expect(await readdir(tmp)).toEqual([]);

    const killed = new Simulating([...calm, "--kills", "4", "--evictions", "0"], tmp, hasty);
    expect(await killed.exited(), killed.stdout).toBe(1);
    const { lost, seed, violations } = killed.result();
    expect(lost).toBeGreaterThan(0);
    const ids = violations.filter(({ rule }) => rule === "lost").map(({ id }) => id);
    expect(ids).toContainEqual(expect.stringMatching(/^[0-9a-f]{16}$/));
    expect(seed).toBeGreaterThanOrEqual(0);
    expect(await readdir(tmp), "the evidence is kept").toHaveLength(1);
  });

  test("at a distance, through three routers, each answer is right and each refusal is counted", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    // Fifty events per sender and their repetitions: some use up their window.
    const busy = ["--events", "600", "--senders", "12", "--pages", "3", "--drop", "10", "--json"];
    const run = new Simulating([...busy, "--kills", "0", "--evictions", "3"], tmp);
    const code = await run.exited();
    const result = run.result();
    expect(result.violations, `repeat with --seed ${result.seed}`).toEqual([]);
    expect(code).toBe(0);
    expect(result).toMatchObject({ lost: 0, doubled: 0, phantom: 0, pending: 0 });
    for (const met of ["given_up", "dropped", "went_on", "refusals"] as const) {
      expect(result[met], met).toBeGreaterThan(0);
    }
    expect(result.p50_ms, "the way to the limiter and to the page").toBeGreaterThan(20);
    expect(result.refusals_counted).toBeGreaterThan(0);
  });

  test("a router whose requests wait for another's call fails by its 5xx", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const module = join(ROOT, "test/simulate/worker/shared-page-call.ts");
    const calm = ["--events", "300", "--pages", "1", "--json", "--kills", "0", "--d1-outages", "0"];
    // Some of its requests hang until their client gives up, so there is a limit of time.
    const brief = ["--evictions", "0", "--drop", "0", "--seconds", "3"];
    const run = new Simulating([...calm, ...brief], tmp, module);
    expect(await run.exited(), run.stdout).toBe(1);
    const { lost, answers_5xx, violations } = run.result();
    expect(violations.map(({ rule }) => rule)).toContain("crashed");
    expect(answers_5xx).toBeGreaterThan(0);
    expect(lost).toBe(0);
  });

  test("Ctrl-C ends everything and leaves nothing behind", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const run = new Simulating(["--kills", "1"], tmp);
    const exited = run.exited();
    await expect.poll(() => run.stderr, { timeout: TEST_TIMEOUT_MS }).toContain("20000 events");
    run.process.kill("SIGINT");
    expect(await exited).toBe(130);
    expect(await readdir(tmp)).toEqual([]);
  });

  test("invalid options are refused with exit code 2, in both languages", async () => {
    for (const [args, says] of [
      [["--events", "many"], '--events must be a whole number from 1 to 1000000, not "many"'],
      [["--events", "0"], "--events must be a whole number"],
      [["--kils", "3"], "Unknown option '--kils'"],
      [["--events", "600", "--senders", "11"], "--senders must be at least 12"],
      [["--pages", "3", "--edits", "2"], "--edits may be at most 1"],
    ] as const) {
      const run = new Simulating(args, tmp);
      expect(await run.exited()).toBe(2);
      expect(run.stderr).toContain(says);
      expect(run.stderr).toMatch(/\p{Script=Arabic}/u);
    }
  });

  test("--help names every option and exits with 0", async () => {
    const run = new Simulating(["--help"], tmp);
    expect(await run.exited()).toBe(0);
    for (const name of [
      "events",
      "pages",
      "links",
      "senders",
      "kills",
      "d1-outages",
      "evictions",
    ]) {
      expect(run.stdout).toContain(`--${name} `);
    }
    for (const name of ["distance", "drop", "routers", "edits"])
      expect(run.stdout).toContain(`--${name} `);
    for (const name of ["clients", "seconds", "seed", "json", "keep"]) {
      expect(run.stdout).toContain(`--${name} `);
    }
  });
});
