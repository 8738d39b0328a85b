/**
 * The simulator's command: it finds a broken system, and nothing where the system is right, through every fault that it
 * has (docs/faults.md F1–F5, F7, F9–F12 and F21–F25).
 */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AI_REQUESTS_PER_PLAN } from "../../src/blocks/ai/limits.ts";
import { ROOT } from "../../src/commands/root.ts";
import { readOptions } from "./options.ts";
import { endSimulations, Simulating } from "./simulating.ts";

const TEST_TIMEOUT_MS = 120_000;
/** The judge waits for a minute where something is wrong. */
const BLOCKS_TIMEOUT_MS = 480_000;
/** Each kill costs the seconds of a start. */
const KILLS = 4;
const D1_OUTAGES = 2;
const EVENTS = 400;
/** Judges' rules are tested in `judge.test.ts`; that this system is found by a whole run, weekly. */
const weekly = test.runIf(process.env.TEST_WEEKLY);

const HASTY = join(ROOT, "test/simulate/worker/hasty.ts");
const GENEROUS = join(ROOT, "test/simulate/worker/generous.ts");
/** No fault but those that a test adds. */
const CALM = ["--json", "--kills", "0", "--d1-outages", "0", "--evictions", "0", "--edits", "0"];

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
  const calm = [...CALM, "--events", "400", "--pages", "3", "--blocks", "0"];
  const spared = new Simulating(calm, tmp, HASTY);
  expect(await spared.exited(), spared.stdout).toBe(0);
  expect(await readdir(tmp)).toEqual([]);

  const killed = new Simulating([...calm, "--kills", "4"], tmp, HASTY);
  expect(await killed.exited(), killed.stdout).toBe(1);
  const { lost, violations } = killed.result();
  // It writes seconds after its answers, and each kill comes with an answer.
  expect(lost).toBeGreaterThan(0);
  const ids = violations.filter(({ rule }) => rule === "lost").map(({ id }) => id);
  expect(ids).toContainEqual(expect.stringMatching(/^[0-9a-f]{16}$/));
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
  // Twice 5 ms at least: the limiter is called, and then the page.
  expect(result.p50_ms).toBeGreaterThan(10);
  // How many clients hung up, were refused or went on before their count is up to the machine. That each
  // of these is right is shown where it is made to happen: `test/bundle/distance.test.ts`.
  const { given_up, dropped, went_on, refusals, refusals_counted, p50_ms } = result;
  const facts = { given_up, dropped, went_on, refusals, refusals_counted, p50_ms };
  console.log("simulate", JSON.stringify(facts));
});

test("events, tips, downloads, sign-ups and suggestions are what was acknowledged, through SIGKILL and D1 outages", {
  timeout: BLOCKS_TIMEOUT_MS,
}, async () => {
  const faults = ["--kills", `${KILLS}`, "--d1-outages", `${D1_OUTAGES}`];
  const options = ["--events", `${EVENTS}`, "--blocks", "20", ...faults, "--json"];
  const run = new Simulating(options, tmp);
  const code = await run.exited();
  const result = run.result();
  const { violations, seed, blocks } = result;
  expect(violations, `repeat with --seed ${seed}`).toEqual([]);
  expect(code).toBe(0);
  const faultsDone = { kills: KILLS, d1_outages: D1_OUTAGES, evictions: 20, edits: 4 };
  const counted = { sent: EVENTS, lost: 0, doubled: 0, phantom: 0, pending: 0 };
  expect(result).toMatchObject({ ...counted, faults: faultsDone });
  // Each outage has two kinds, and each kind lasts until a call has met it.
  expect(result.broken_d1_calls).toBeGreaterThanOrEqual(2 * D1_OUTAGES);
  expect(blocks).toMatchObject({ downloads: 10, downloads_wanted: 20, subscribers: 15 });
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
  "F33: an id for each request in place of each tap, tips sent twice and a download without a limit are found",
  {
    timeout: BLOCKS_TIMEOUT_MS,
  },
  async () => {
    const few = ["--events", "200", "--pages", "3", "--blocks", "8", "--drop", "0"];
    // In the plan of this seed taps are sent twice; in that of another one perhaps none is.
    const run = new Simulating([...CALM, ...few, "--seed", "1"], tmp, GENEROUS);
    expect(await run.exited(), run.stdout).toBe(1);
    const rules = run.result().violations.map(({ rule }) => rule);
    for (const rule of ["doubled", "lost", "tip_doubled", "over_uses"] as const) {
      expect(rules).toContain(rule);
    }
  },
);

test("options that make most requests refused, or edit the busiest pages, are refused", () => {
  expect(() => readOptions(["--events", "600", "--senders", "11"])).toThrow("at least 12");
  expect(() => readOptions(["--pages", "3", "--edits", "2"])).toThrow("at most 1");
  expect(readOptions(["--pages", "3"])).toMatchObject({ edits: 1, senders: 667 });
});
