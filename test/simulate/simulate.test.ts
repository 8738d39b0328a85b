/** The simulator's command: it finds a broken system, and its options and exit codes work. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AI_REQUESTS_PER_PLAN } from "../../src/http/limits.ts";
import { ROOT } from "../server/bundle.ts";
import { endSimulations, Simulating } from "./simulating.ts";

const TEST_TIMEOUT_MS = 120_000;
/** The judge waits for a minute where something is wrong. */
const BLOCKS_TIMEOUT_MS = 240_000;
/** Judges' rules are tested in `judge.test.ts`; that each of these systems is found by a whole run, weekly. */
const weekly = test.runIf(process.env.TEST_WEEKLY);

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
    const few = ["--events", "400", "--pages", "3", "--blocks", "0"];
    const calm = [...few, "--json", "--d1-outages", "0", "--edits", "0"];
    const spared = new Simulating([...calm, "--kills", "0", "--evictions", "0"], tmp, hasty);
    expect(await spared.exited(), spared.stdout).toBe(0);
    expect(await readdir(tmp)).toEqual([]);

    const killed = new Simulating([...calm, "--kills", "4", "--evictions", "0"], tmp, hasty);
    expect(await killed.exited(), killed.stdout).toBe(1);
    const { lost, seed, violations } = killed.result();
    // It writes seconds after its answers, and each kill comes with an answer.
    expect(lost).toBeGreaterThan(0);
    const ids = violations.filter(({ rule }) => rule === "lost").map(({ id }) => id);
    expect(ids).toContainEqual(expect.stringMatching(/^[0-9a-f]{16}$/));
    expect(seed).toBeGreaterThanOrEqual(0);
    expect(await readdir(tmp), "the evidence is kept").toHaveLength(1);
  });

  test("at a distance, through three routers, each answer is right and each refusal is counted", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    // Fifty events per sender and their repetitions: as many as a window admits.
    const busy = ["--events", "600", "--senders", "12", "--pages", "3", "--drop", "10", "--json"];
    const spared = ["--kills", "0", "--evictions", "3", "--blocks", "0"];
    const run = new Simulating([...busy, ...spared], tmp);
    const code = await run.exited();
    const result = run.result();
    expect(result.violations, `repeat with --seed ${result.seed}`).toEqual([]);
    expect(code).toBe(0);
    expect(result).toMatchObject({ lost: 0, doubled: 0, phantom: 0, pending: 0 });
    // The first answer to a call with events of at least one router.
    expect(result.lost_answers).toBeGreaterThan(0);
    expect(result.faults.evictions).toBe(3);
    // How many clients hung up, were refused or went on before their count is up to the machine. That each
    // of these is right is shown where it is made to happen: `test/bundle/distance.test.ts`.
    const { given_up, dropped, went_on, refusals, refusals_counted, p50_ms } = result;
    const facts = { given_up, dropped, went_on, refusals, refusals_counted, p50_ms };
    console.log("simulate", JSON.stringify(facts));
  });

  weekly(
    "a router whose requests wait for another's call fails by its 5xx",
    {
      timeout: TEST_TIMEOUT_MS,
    },
    async () => {
      const module = join(ROOT, "test/simulate/worker/shared-page-call.ts");
      // All clients begin at once, and meet in the first call of the router.
      const calm = ["--events", "300", "--pages", "1", "--routers", "1", "--json"];
      const spared = ["--kills", "0", "--d1-outages", "0"];
      // Some of its requests hang until their client gives up, so there is a limit of time.
      const brief = ["--evictions", "0", "--drop", "0", "--seconds", "3", "--blocks", "0"];
      const run = new Simulating([...calm, ...spared, ...brief], tmp, module);
      expect(await run.exited(), run.stdout).toBe(1);
      const { lost, answers_5xx, violations } = run.result();
      expect(violations.map(({ rule }) => rule)).toContain("crashed");
      expect(answers_5xx).toBeGreaterThan(0);
      expect(lost).toBe(0);
    },
  );

  test("tips, downloads, sign-ups and suggestions are what was acknowledged, through SIGKILL", {
    timeout: BLOCKS_TIMEOUT_MS,
  }, async () => {
    const run = new Simulating(
      ["--events", "200", "--blocks", "20", "--kills", "2", "--json"],
      tmp,
    );
    const code = await run.exited();
    const { violations, seed, blocks } = run.result();
    expect(violations, `repeat with --seed ${seed}`).toEqual([]);
    expect(code).toBe(0);
    expect(blocks?.downloads).toBe(10);
    expect(blocks?.downloads_wanted).toBe(20);
    expect(blocks?.subscribers).toBe(15);
    // Of ten tips of 5 points the first visitor can pay eight; the other one pays all.
    expect(blocks).toMatchObject({ tips_sent: 18, tips_refused: 2 });
    const { suggestions = 0, suggestions_refused = 0 } = blocks ?? {};
    // Each was answered. The visitor with the great quota got all; the other one at most its quota, of
    // which a kill may hold units for a minute.
    expect(suggestions + suggestions_refused).toBe(20);
    expect(suggestions).toBeGreaterThanOrEqual(6);
    expect(suggestions).toBeLessThanOrEqual(6 + AI_REQUESTS_PER_PLAN.free);
  });

  weekly(
    "a second transfer of a tip and a download without a limit are found",
    {
      timeout: BLOCKS_TIMEOUT_MS,
    },
    async () => {
      const module = join(ROOT, "test/simulate/worker/generous.ts");
      const calm = ["--events", "200", "--pages", "3", "--blocks", "8", "--json", "--kills", "0"];
      const spared = ["--d1-outages", "0", "--evictions", "0", "--edits", "0", "--drop", "0"];
      const run = new Simulating([...calm, ...spared], tmp, module);
      expect(await run.exited(), run.stdout).toBe(1);
      const rules = run.result().violations.map(({ rule }) => rule);
      expect(rules).toContain("tip_doubled");
      expect(rules).toContain("over_uses");
    },
  );

  weekly(
    "F33: a router with an id for each request in place of each tap is found, without any fault",
    {
      timeout: TEST_TIMEOUT_MS,
    },
    async () => {
      const module = join(ROOT, "test/simulate/worker/each-request.ts");
      const calm = ["--events", "200", "--pages", "3", "--blocks", "0", "--json", "--kills", "0"];
      const spared = ["--d1-outages", "0", "--evictions", "0", "--edits", "0", "--drop", "0"];
      // In the plan of this seed taps are sent twice; in that of another one perhaps none is.
      const run = new Simulating([...calm, ...spared, "--seed", "1"], tmp, module);
      expect(await run.exited(), run.stdout).toBe(1);
      const rules = run.result().violations.map(({ rule }) => rule);
      expect(rules).toContain("doubled");
      expect(rules).toContain("lost");
    },
  );

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
    for (const name of ["distance", "drop", "routers", "blocks", "edits"])
      expect(run.stdout).toContain(`--${name} `);
    for (const name of ["clients", "seconds", "seed", "json", "keep"]) {
      expect(run.stdout).toContain(`--${name} `);
    }
  });
});
