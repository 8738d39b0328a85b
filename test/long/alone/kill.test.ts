/**
 * docs/faults.md F1–F5, F7, F9–F12 and F21–F25 in the real runtime, under load: clients send events and
 * hang up, through several routers with delayed calls; workerd is ended with SIGKILL repeatedly, D1 fails,
 * objects are evicted, answers are lost and pages are edited. What was acknowledged is compared with what
 * was counted, as sets of ids, down to the files on disk (`test/simulate`).
 *
 * Its moments are random, so it demands what holds at every moment, and that every fault was done.
 * `test/bundle/kill.test.ts` ends workerd at each step of counting.
 */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { endSimulations, Simulating } from "../../simulate/simulating.ts";

/** Each costs the seconds of a start. The weekly run of `npm run simulate` has sixty. */
const KILLS = 8;
const D1_OUTAGES = 2;
const EVICTIONS = 20;
const EVENTS = 800;
/** The run ends with its last event. So long only where it is stuck. */
const RUN_MAX_S = 600;
const TEST_TIMEOUT_MS = 900_000;

let statePath: string;
beforeEach(async () => {
  statePath = await mkdtemp(join(tmpdir(), "sila-kill-"));
});
afterEach(async () => {
  await endSimulations();
  await rm(statePath, { recursive: true, force: true });
});

test("no acknowledged event is lost or counted twice, through SIGKILL, D1 outages and evictions", {
  timeout: TEST_TIMEOUT_MS,
}, async () => {
  const seed = process.env.KILL_SEED === undefined ? [] : ["--seed", process.env.KILL_SEED];
  const run = new Simulating(
    [
      ...["--events", `${EVENTS}`, "--kills", `${KILLS}`],
      ...["--d1-outages", `${D1_OUTAGES}`, "--evictions", `${EVICTIONS}`],
      ...["--pages", "6", "--links", "3", "--senders", "80", "--clients", "48"],
      ...["--seconds", `${RUN_MAX_S}`, "--json", ...seed],
    ],
    statePath,
  );
  const code = await run.exited();
  const result = run.result();
  const { violations, blocks: _, ...facts } = result;
  console.log("kill", JSON.stringify(facts));
  const again = `repeat with KILL_SEED=${result.seed}`;
  expect(violations, again).toEqual([]);
  expect(result, again).toMatchObject({
    sent: EVENTS,
    lost: 0,
    doubled: 0,
    phantom: 0,
    pending: 0,
    faults: { kills: KILLS, d1_outages: D1_OUTAGES, evictions: EVICTIONS, edits: 4 },
  });
  // Each outage has two kinds, and each kind lasts until a call has met it.
  expect(result.broken_d1_calls).toBeGreaterThanOrEqual(2 * D1_OUTAGES);
  // The first answer to a call with events of at least one router.
  expect(result.lost_answers).toBeGreaterThan(0);
  expect(code).toBe(0);
  expect(await readdir(statePath), "left behind").toEqual([]);
});
