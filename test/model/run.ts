/** A whole run of one seed: bursts of events amid faults, then quiet, then judgement. */
import type { PageCounter } from "../../objects/counter.ts";
import type { Totals } from "../../objects/milestones.ts";
import type { Total } from "../../objects/tallies.ts";
import { integer } from "../random.ts";
import { begin, crowd } from "./clients.ts";
import { FAULTS, type Fault, SEASON_MS } from "./faults.ts";
import { type RunOptions, World } from "./world.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const BURST_MS = 30 * SECOND_MS;
/** Of a burst that brings a crowd, which is what makes a page reach a milestone. */
const CROWD_CHANCE = 0.2;
/** Clients give up so long after their burst began. */
const PATIENCE_MS = 5 * MINUTE_MS;
/** A request that has been sent is answered, or given up by the router, within this time. */
const ANSWERED_MS = 12 * SECOND_MS;
/** After the last recovery D1 must agree with the objects within this time (FAULTS I3). */
const HEAL_MS = 60 * SECOND_MS;
/** Time for what begins in the last moment of it to arrive. */
const SLACK_MS = 2 * SECOND_MS;
/** An alarm counts as lost when it is this late; the next sweep that comes by re-arms it. */
const ALARM_LOST_MS = 180 * SECOND_MS;

export interface Outcome {
  seed: number;
  violations: string[];
}

/** Runs one seed. */
export async function runSeed(options: RunOptions): Promise<Outcome> {
  const world = new World(options);
  try {
    const { scheduler, random, plan, notes } = world;
    let backup: ReturnType<typeof world.d1.snapshot> | null = null;
    for (const [burst, gap_ms] of world.gaps_ms.entries()) {
      world.calm = gap_ms >= SEASON_MS;
      await scheduler.run(scheduler.now_ms + gap_ms);
      world.calm = false;
      const from_ms = scheduler.now_ms;
      const at = (run: () => void) => scheduler.after(random() * BURST_MS, run);
      for (let i = 0; i < 5 + integer(20, random); i += 1) {
        at(() => begin(world, from_ms + PATIENCE_MS));
      }
      if (random() < CROWD_CHANCE) at(() => void crowd(world, from_ms + PATIENCE_MS));
      scheduleFaults(world, at);
      if (plan.restore) {
        at(() => {
          backup ??= world.d1.snapshot();
        });
        // In the middle of the last burst, so that events and flushes follow that may go wrong too.
        const restore = () => backup !== null && restoreD1(world, backup);
        if (burst === world.gaps_ms.length - 1)
          scheduler.after((0.2 + 0.6 * random()) * BURST_MS, restore);
      }
      await scheduler.run(from_ms + BURST_MS + random() * PATIENCE_MS);
    }
    // The outage of a run may be longer than its bursts.
    await scheduler.run(Math.max(scheduler.now_ms, plan.outage?.to_ms ?? 0));
    world.closing = true;
    await scheduler.run(scheduler.now_ms + ANSWERED_MS);
    await recover(world);
    await judge(world);
    return { seed: options.seed, violations: notes.violations };
  } finally {
    world.close();
  }
}

function sweep(counter: PageCounter): Promise<boolean> {
  return counter.sweep();
}

function restoreD1(world: World, backup: ReturnType<World["d1"]["snapshot"]>): void {
  world.hit("F20");
  world.tell("D1 is restored to an older point");
  world.d1.restore(backup);
  world.notes.d1Restored();
}

function scheduleFaults(world: World, at: (run: () => void) => void): void {
  const { plan, random, scheduler } = world;
  const anyHost = () => world.hosts[integer(world.hosts.length, random)];
  for (let i = 0; i < plan.kills; i += 1) {
    at(() => {
      const down_ms = 100 + random() * 2 * SECOND_MS;
      for (const host of world.hosts) host.end("killed", down_ms);
    });
  }
  for (let i = 0; i < plan.aborts; i += 1) at(() => anyHost()?.end("aborted"));
  for (let i = 0; i < plan.evictions; i += 1) at(() => anyHost()?.evict() && world.hit("F10"));
  for (let i = 0; i < plan.lostAlarms; i += 1) at(() => anyHost()?.loseAlarm() && world.hit("F8"));
  for (let i = 0; i < plan.sweeps; i += 1) {
    at(() => {
      for (const page of world.pages.values()) page.call(sweep).catch(() => {});
    });
  }
  for (const ms of plan.clockSteps_ms) {
    at(() => {
      world.hit("F14");
      world.tell(`the objects' clock steps by ${ms} ms`);
      scheduler.step(ms);
    });
  }
}

/** No more faults; D1 must come to agree within 60 s, or when the cron sweep has come by. */
async function recover(world: World): Promise<void> {
  const { scheduler, plan } = world;
  world.calm = true;
  world.tell("no more faults");
  const from_ms = scheduler.now_ms;
  let until_ms = from_ms + HEAL_MS + SLACK_MS;
  // An alarm that was set before a step back comes that much later.
  for (const ms of plan.clockSteps_ms) until_ms += Math.max(0, -ms);
  if (plan.lostAlarms > 0 || plan.restore || plan.sweeps > 0) {
    if (plan.lostAlarms > 0) until_ms += ALARM_LOST_MS + world.flush_interval_ms;
    // It comes by at once and then every minute; with a million pages it would take longer.
    for (let at_ms = 0; from_ms + at_ms < until_ms; at_ms += MINUTE_MS) {
      scheduler.after(at_ms, () => {
        for (const page of world.pages.values()) {
          page.call(sweep).catch((error) => world.notes.violated("I3", String(error)));
        }
      });
    }
    until_ms += MINUTE_MS;
  }
  await scheduler.run(until_ms);
}

async function judge(world: World): Promise<void> {
  const { scheduler, notes, plan } = world;
  for (const [page_id, host] of world.pages) {
    const asked = host.call((counter) => counter.totals());
    let totals: Awaited<typeof asked> | null = null;
    asked.then(
      (answer) => {
        totals = answer;
      },
      (error) => notes.violated("I6", String(error)),
    );
    await scheduler.run(scheduler.now_ms + SECOND_MS, () => totals !== null);
    const counted = new Map<string, number>();
    for (const { link_id, accepted, flushed, pending } of totals ?? []) {
      counted.set(link_id, accepted);
      if (accepted !== flushed + pending) {
        notes.violated("I3", `${link_id}: ${accepted} is not ${flushed} + ${pending}`);
      }
    }
    notes.judgeCounted(page_id, counted);
    notes.judgeReached(page_id, sumsOf(totals ?? []), world.d1.milestones(page_id));
    const rows = world.d1.read(
      "SELECT link_id, SUM(n) AS n FROM tallies WHERE page_id = ?1 GROUP BY link_id",
      page_id,
    );
    const in_d1 = new Map(rows.map(({ link_id, n }) => [String(link_id), Number(n)]));
    for (const link_id of new Set([...counted.keys(), ...in_d1.keys()])) {
      const [object, d1] = [counted.get(link_id) ?? 0, in_d1.get(link_id) ?? 0];
      if (object !== d1) {
        notes.violated("I3", `${page_id}/${link_id || "views"}: D1 has ${d1} of ${object}`);
      }
    }
  }
  notes.judgeLimit(world.limit, plan.clockSteps_ms);
}

/** An object's totals by kind; the clients of a run are all people. */
function sumsOf(totals: readonly Total[]): Totals {
  const sums = { view: 0, click: 0 };
  for (const { kind, accepted } of totals) sums[kind] += accepted;
  return sums;
}

/** Which faults no run has met. */
export function missed(hits: ReadonlyMap<Fault, number>): Fault[] {
  return FAULTS.filter((fault) => (hits.get(fault) ?? 0) === 0);
}
