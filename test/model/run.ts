/** A whole run of one seed: bursts of events with faults, then recovery, then the judge. */
import type { PageCounter } from "../../objects/page/page-counter.ts";
import type { PageSnapshot } from "../../objects/page/page-snapshot.ts";
import type { Totals } from "../../objects/page/tables/milestones.ts";
import type { RevisionTotals } from "../../objects/page/tables/revisions.ts";
import type { Total } from "../../objects/page/tables/tallies.ts";
import { integer } from "../random.ts";
import { browse, passOn } from "./browser.ts";
import { changePages, deliver, endAgain, isNoted, runCron } from "./changes.ts";
import { begin, crowd, flood, meet } from "./clients.ts";
import type { SimulatedD1, Snapshot } from "./d1.ts";
import { FAULTS, type Fault, SEASON_MS } from "./faults.ts";
import { current } from "./isolate.ts";
import { withOwnedPromises } from "./owned-promise.ts";
import type { Truth } from "./truth.ts";
import { type Code, IMPORTED, type RunOptions, World } from "./world.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const BURST_MS = 30 * SECOND_MS;
/** Chance that a burst has a crowd, without which no page reaches a milestone. */
const CROWD_CHANCE = 0.2;
const BROWSERS_MAX = 4;
const PASS_ON_CHANCE = 0.3;
/** Clients give up this long after their burst began. */
const PATIENCE_MS = 5 * MINUTE_MS;
/** A request, with everything it does after its answer, is over within this time. */
const ANSWERED_MS = 60 * SECOND_MS;
/** After the last recovery D1 must agree with the objects within this time (docs/faults.md I3). */
const HEAL_MS = 60 * SECOND_MS;
/** Time for calls of the last moment to arrive. */
const SLACK_MS = 2 * SECOND_MS;
/** An alarm counts as lost when it is this late; the next sweep re-arms it. */
const ALARM_LOST_MS = 180 * SECOND_MS;

/** Runs one seed; answers what was violated. */
export function runSeed(options: RunOptions): Promise<string[]> {
  return withOwnedPromises(current, () => run(options));
}

async function run(options: RunOptions): Promise<string[]> {
  const world = new World(options);
  try {
    const { scheduler, random, plan, notes } = world;
    let backup: Snapshot[] | null = null;
    for (const [burst, gap_ms] of world.gaps_ms.entries()) {
      world.calm = gap_ms >= SEASON_MS;
      await scheduler.run(scheduler.now_ms + gap_ms);
      world.calm = false;
      const from_ms = scheduler.now_ms;
      const at = (run: () => void) => scheduler.after(random() * BURST_MS, run);
      for (let i = 0; i < 5 + integer(20, random); i += 1) {
        at(() => begin(world, from_ms + PATIENCE_MS));
      }
      const browsers = integer(BROWSERS_MAX, random);
      for (let i = 0; i < browsers; i += 1) at(() => void browse(world));
      if (random() < PASS_ON_CHANCE) at(() => passOn(world));
      if (random() < CROWD_CHANCE) at(() => crowd(world, from_ms + PATIENCE_MS));
      if (random() < plan.floods) at(() => flood(world));
      for (let i = 0; i < plan.meetings; i += 1) at(() => meet(world, from_ms + PATIENCE_MS));
      changePages(world, at);
      scheduleFaults(world, at);
      if (plan.restore) {
        at(() => {
          backup ??= world.databases.map((db) => db.snapshot());
        });
        // In the middle of the last burst, so that events and flushes with faults follow.
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
    if (world.putsBack) await putBack(world);
    return notes.violations;
  } finally {
    world.close();
  }
}

/**
 * Objects are put back to an older point than D1 (F36). D1 has everything at both times: what it does not have
 * is lost with the object's future, and what waited for it would be in it twice.
 */
async function putBack(world: World): Promise<void> {
  const { scheduler, random, plan, truth } = world;
  const pages = [...world.pages].filter(([page_id]) => !truth.hasEnded(page_id));
  const burst = async (n: number) => {
    world.closing = false;
    const from_ms = scheduler.now_ms;
    for (let i = 0; i < n; i += 1) {
      scheduler.after(random() * BURST_MS, () => begin(world, from_ms + PATIENCE_MS));
    }
    await scheduler.run(from_ms + BURST_MS + PATIENCE_MS);
    world.closing = true;
    await scheduler.run(scheduler.now_ms + ANSWERED_MS);
    await recover(world);
  };
  // An id that is sent again would count again: the object's memory of it is lost as well.
  world.repeats = false;
  const points = pages.map(([, host]) => host.disk.savePoint());
  await burst(integer(60, random));
  for (const [i, [page_id, host]] of pages.entries()) {
    host.end(`${page_id} is put back`);
    points[i]?.();
  }
  world.hit("F36");
  world.calm = false;
  // Either objects end until the sweep has found out, or people come at once. An object that ends before its first
  // flush, and had more new events than D1 has of its future, does not find out (docs/faults.md).
  const kills = random() < 0.5 || plan.fullDisk > 0 ? 1 + plan.kills + plan.aborts : 0;
  for (let i = 0; i < kills; i += 1) {
    scheduler.after(random() * 2 * SECOND_MS, () => {
      for (const [, host] of pages) host.end("killed", 100);
    });
  }
  if (kills > 0) {
    for (let at_ms = 0; at_ms < HEAL_MS; at_ms += SECOND_MS / 4) {
      scheduler.after(at_ms, () => sweep(world, () => {}));
    }
    await scheduler.run(scheduler.now_ms + HEAL_MS);
  }
  await burst(integer(60, random));
  await judge(world, false);
}

function sweep(world: World, failed: (error: unknown) => void): void {
  for (const { page_id } of world.d1.read("SELECT page_id FROM pages")) {
    const id = String(page_id);
    world.pages
      .get(id)
      ?.call((counter: PageCounter) => counter.sweep())
      .then((swept) => {
        if (swept === "ended") endAgain(world, id);
      })
      .catch(failed);
  }
}

function look(world: World, failed: (error: unknown) => void): void {
  for (const [page_id, host] of world.pages) {
    host
      .call((counter: PageCounter) => counter.snapshot())
      .then((snapshot) => {
        if (!world.truth.hasEnded(page_id)) judgeConfirmed(world, page_id, snapshot);
      })
      .catch(failed);
  }
}

/** What an object says to be in the database to read from is there, unless the page has left it since. */
function judgeConfirmed(world: World, page_id: string, { totals, stats }: PageSnapshot): void {
  const { notes, plan } = world;
  if (plan.restore) return;
  const flushed = totals.reduce((sum, total) => sum + total.flushed, 0);
  const in_d1 = world.database(stats).counted(page_id) || world.counted(page_id);
  if (flushed > in_d1) {
    notes.violated("I3", `${page_id} says that ${flushed} events are in D1, which has ${in_d1}`);
  }
}

function restoreD1(world: World, backup: readonly Snapshot[]): void {
  world.hit("F20");
  const { databases, truth, random } = world;
  const only = databases.length > 1 && random() < 0.7 ? integer(databases.length, random) : null;
  world.trace(`${only === null ? "every database" : `database ${only}`} is restored`);
  world.restoredApart = only !== null;
  for (const [i, db] of databases.entries()) {
    const snapshot = backup[i];
    if (snapshot === undefined || (only !== null && only !== i)) continue;
    db.restore(snapshot, i === 0 ? undefined : (page_id) => truth.hasEnded(page_id));
  }
  runCron(world);
  world.notes.d1Restored();
}

function scheduleFaults(world: World, at: (run: () => void) => void): void {
  const { plan, random, scheduler } = world;
  const anyHost = () => world.hosts[integer(world.hosts.length, random)];
  for (let i = 0; i < plan.kills; i += 1) {
    at(() => {
      const down_ms = 100 + random() * 2 * SECOND_MS;
      for (const host of world.hosts) host.end("killed", down_ms);
      // The routers are in the same process, or far away.
      if (random() < 0.5) for (const isolate of [...world.isolates]) world.replace(isolate);
    });
  }
  for (let i = 0; i < plan.aborts; i += 1) at(() => anyHost()?.end("aborted"));
  for (let i = 0; i < plan.evictions; i += 1) at(() => anyHost()?.evict() && world.hit("F10"));
  for (let i = 0; i < plan.lostAlarms; i += 1) at(() => anyHost()?.loseAlarm() && world.hit("F8"));
  for (let i = 0; i < plan.replacements; i += 1) at(() => world.replace(world.isolate()));
  for (let i = 0; i < plan.sweeps; i += 1) at(() => sweep(world, () => {}));
  for (let i = 0; i < plan.looks; i += 1) at(() => look(world, () => {}));
  for (let i = 0; i < world.statsPlan.deploys; i += 1) at(() => world.deploy());
  const step = (whose: string, ms: number, work: () => void) =>
    at(() => {
      world.hit("F14");
      world.trace(`the clocks of the ${whose} step by ${ms} ms`);
      work();
    });
  for (const ms of plan.clockSteps_ms) step("objects", ms, () => scheduler.step(ms));
  for (const ms of plan.routerSteps_ms) step("routers", ms, () => world.stepRouters(ms));
}

/**
 * No more faults: D1 must agree within 60 s, or after the cron sweep, if somebody looks; otherwise
 * within the interval of pages that nobody looks at.
 */
async function recover(world: World): Promise<void> {
  const { scheduler, plan } = world;
  world.calm = true;
  world.trace("no more faults");
  const from_ms = scheduler.now_ms;
  let until_ms = from_ms + HEAL_MS + SLACK_MS;
  if (world.random() < 0.5) {
    look(world, (error) => fails(world, "I6", error));
  } else until_ms += world.quiet_interval_ms;
  // A step back of the clock delays an alarm that was set before.
  for (const ms of plan.clockSteps_ms) until_ms += Math.max(0, -ms);
  const moves = world.statsPlan.deploys > 0;
  if (plan.lostAlarms > 0 || plan.restore || plan.sweeps > 0 || moves || world.putsBack) {
    if (plan.lostAlarms > 0) until_ms += ALARM_LOST_MS + world.quiet_interval_ms;
    // The sweep runs at once and then every minute; with a million pages it would take longer.
    for (let at_ms = 0; from_ms + at_ms < until_ms; at_ms += MINUTE_MS) {
      scheduler.after(at_ms, () => sweep(world, (error) => fails(world, "I3", error)));
    }
    until_ms += MINUTE_MS;
  }
  await scheduler.run(until_ms);
  // A change that D1 executed late is delivered by the next cron.
  deliver(world);
  await scheduler.run(scheduler.now_ms + SLACK_MS);
  if (isNoted(world)) world.notes.violated("F25", "a change was not delivered");
}

/** Nothing fails any more, but for calls of an object that ends itself because it was put back. */
function fails({ notes, putsBack }: World, promise: "I3" | "I6", error: unknown): void {
  const text = String(error);
  if (putsBack && text.includes("that this object had lost")) return;
  notes.violated(promise, text);
}

/** @param isWhole whether the objects still know whence everybody came, and since which version */
async function judge(world: World, isWhole = true): Promise<void> {
  const { notes, plan, truth } = world;
  const failed = (error: unknown) => fails(world, "I6", error);
  for (const [page_id, host] of world.pages) {
    if (truth.hasEnded(page_id)) {
      world.judgeEnded(page_id);
      const contents = host.disk.contents().join();
      if (contents !== "ended") notes.violated("F25", `${page_id} has ended and has ${contents}`);
    } else {
      const totals = (await host.ask((counter) => counter.totals(), failed)) ?? [];
      const names = (await host.ask((counter) => counter.statsNames(), failed)) ?? [];
      const home = judgeHome(world, page_id, names, totals.length > 0);
      judgePage(world, page_id, totals, home);
      if (!isWhole) continue;
      const versions = truth.takenOver(page_id);
      const numbers = versions.map(({ version }) => version);
      const noted = await host.ask((counter) => counter.revisionTotals(numbers), failed);
      judgeRevisions(world, page_id, versions, noted ?? []);
      judgeDays(world, page_id, home);
    }
  }
  notes.judgeLimit(world.limit, { objects: plan.clockSteps_ms, routers: plan.routerSteps_ms });
  for (const isolate of world.isolates) world.requests.judgeOpen(isolate.requests);
}

/**
 * A page that counted something is in its home and, unless a database was restored, nowhere else, with
 * its imported history. Answers the database that it is in.
 */
function judgeHome(
  world: World,
  page_id: string,
  names: readonly string[],
  hasCounted: boolean,
): SimulatedD1 {
  const { notes, databases, plan, stats } = world;
  const home = world.database(names[0] ?? "");
  if (stats.size === 0) return home;
  const right = world.homeOf(page_id);
  if (hasCounted && names.join() !== right) {
    notes.violated("I3", `${page_id} is in ${names.join()}, not in ${right}`);
  }
  if (plan.restore) return home;
  for (const db of databases) {
    const imported = db.imported(page_id);
    if (db !== home && db.counted(page_id) + imported > 0) {
      notes.violated("I3", `${page_id} has rows in a second database`);
    }
    if (db === home && imported !== IMPORTED) {
      notes.violated("I1", `${page_id} has ${imported} of ${IMPORTED} imported events`);
    }
  }
  return home;
}

function judgeDays(
  { notes, truth, scheduler, steps_ms }: World,
  page_id: string,
  home: SimulatedD1,
): void {
  const days = home.days(page_id);
  const began_ms = scheduler.unix_ms - scheduler.now_ms;
  const toMs = (unix_s: number) => unix_s * SECOND_MS - began_ms;
  notes.judgeDays(page_id, days, toMs, steps_ms + SECOND_MS);
  for (const [from_s] of days) {
    if (truth.mayBegin(page_id, from_s)) continue;
    notes.violated("I2", `${page_id}: a day begins at ${from_s}, midnight in none of its zones`);
  }
}

function judgeRevisions(
  { notes, plan }: World,
  page_id: string,
  versions: ReturnType<Truth["takenOver"]>,
  totals: readonly (RevisionTotals | null)[],
): void {
  let isOld = plan.oldState;
  for (const [i, version] of versions.entries()) {
    const noted = totals[i] ?? null;
    // Older code noted nothing: its events may be of any version before the first note.
    isOld &&= noted === null;
    if (!isOld) notes.judgeRevision(page_id, version, noted);
  }
}

function judgePage(
  { notes, d1 }: World,
  page_id: string,
  totals: readonly Total[],
  home: SimulatedD1,
): void {
  const all = new Map<string, number>();
  const people = new Map<string, number>();
  const limited = new Map<string, number>();
  for (const { link_id, class: eventClass, accepted, flushed, pending } of totals) {
    all.set(link_id, (all.get(link_id) ?? 0) + accepted);
    (eventClass === "limited" ? limited : people).set(link_id, accepted);
    if (pending > 0) notes.violated("I3", `${link_id}: ${pending} wait for D1, which has them`);
    if (accepted !== flushed + pending) {
      notes.violated("I3", `${link_id}: ${accepted} is not ${flushed} + ${pending}`);
    }
  }
  notes.judgeCounted(page_id, { people, limited });
  notes.judgeReached(page_id, sumsOf(totals), d1.milestones(page_id));
  const rows = home.read(
    "SELECT link_id, SUM(n) AS n FROM tallies WHERE page_id = ?1 AND shard = 0 GROUP BY link_id",
    page_id,
  );
  const in_d1 = new Map(rows.map(({ link_id, n }) => [String(link_id), Number(n)]));
  for (const link_id of new Set([...all.keys(), ...in_d1.keys()])) {
    const [object, of_d1] = [all.get(link_id) ?? 0, in_d1.get(link_id) ?? 0];
    if (object !== of_d1) {
      notes.violated("I3", `${page_id}/${link_id || "views"}: D1 has ${of_d1} of ${object}`);
    }
  }
}

function sumsOf(totals: readonly Total[]): Totals {
  const sums = { view: 0, click: 0 };
  for (const { kind, class: eventClass, accepted } of totals) {
    if (eventClass === "human") sums[kind] += accepted;
  }
  return sums;
}

export function missed(hits: ReadonlyMap<Fault, number>): Fault[] {
  return FAULTS.filter((fault) => (hits.get(fault) ?? 0) === 0);
}

/** The first seed that has a violation, with the first of them and how to repeat it; or null. */
export async function firstViolation(
  code: Code,
  seeds: { from: number; to: number },
  hits?: Map<Fault, number>,
): Promise<{ seed: number; violation: string } | null> {
  for (let seed = seeds.from; seed <= seeds.to; seed += 1) {
    const [violation] = await runSeed({ code, seed, ...(hits && { hits }) });
    if (violation !== undefined) {
      return { seed, violation: `npm run model -- --seed ${seed}: ${violation}` };
    }
  }
  return null;
}
