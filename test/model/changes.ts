/** Owners who change their pages, and the cron that delivers changes which failed at first (F25). */
import { integer } from "../random.ts";
import { follow, followAtBoundary, pickPage } from "./clients.ts";
import type { Answer, Context, SimRouter } from "./router.ts";
import { type ModelLink, openLink } from "./truth.ts";
import { type World, ZONES } from "./world.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** Changes begin this long after the first clicks, spread over `CHANGED_WITHIN_MS`. */
const CHANGED_FROM_MS = 5 * SECOND_MS;
const CHANGED_WITHIN_MS = 25 * SECOND_MS;
/** A second change comes within this time, while the first is still being delivered. */
const TWICE_WITHIN_MS = 400;
const SCHEDULED_WITHIN_S = 60;

type Change = (router: SimRouter, c: Context) => Promise<Answer>;

export function changePages(world: World, at: (run: () => void) => void): void {
  for (const page_id of world.quietPages) at(() => changePage(world, page_id, true));
  for (let i = 0; i < world.plan.changes; i += 1) {
    const page_id = pickPage(world);
    at(() => changePage(world, page_id, false));
  }
}

function changePage(world: World, page_id: string, isQuiet: boolean): void {
  const { random, scheduler } = world;
  const link_id = `l${integer(80, random)}`;
  follow(world, page_id, random() < 0.8 ? link_id : "", isQuiet);
  const times = isQuiet ? 1 : 1 + integer(3, random);
  for (let i = 0; i < times; i += 1) {
    const change = () => ask(world, drawChange(world, page_id, link_id));
    scheduler.after(CHANGED_FROM_MS + random() * CHANGED_WITHIN_MS, () => {
      change();
      if (random() < 0.4) scheduler.after(random() * TWICE_WITHIN_MS, change);
    });
  }
  if (random() < world.plan.ends) {
    const at_ms = random() * 3 * CHANGED_WITHIN_MS;
    scheduler.after(at_ms, () => ask(world, (router, c) => router.end(c, page_id)));
  }
}

/** Starts the cron, which runs every minute as long as a change may be undelivered. */
export function runCron(world: World): void {
  world.changesUntil_ms = world.scheduler.now_ms + 2 * MINUTE_MS;
  if (world.cronRuns) return;
  world.cronRuns = true;
  const run = () => {
    const isOver = world.scheduler.now_ms > world.changesUntil_ms && !isNoted(world);
    if (isOver) world.cronRuns = false;
    else {
      deliver(world);
      world.scheduler.after(MINUTE_MS, run);
    }
  };
  world.scheduler.after(world.random() * MINUTE_MS, run);
}

export function isNoted(world: World): boolean {
  return world.d1.read("SELECT 1 FROM page_changes LIMIT 1").length > 0;
}

export function deliver(world: World): void {
  const began_ms = world.scheduler.now_ms;
  const request = world.isolate().begin("cron", async (router) => {
    if (await router.cron()) world.truth.delivered(began_ms);
    return { status: 200 };
  });
  // D1 may never answer, and the next run does not wait for this one.
  world.scheduler.after(MINUTE_MS, () => request.end());
}

/** Ends a page again that the sweep found ended, and that D1 has again since it was restored. */
export function endAgain(world: World, page_id: string): void {
  runCron(world);
  world.isolate().begin("change", (router, c) => router.end(c, page_id));
}

/** An owner's request. Its client may hang up, and its isolate may die, before the change is delivered. */
function ask(world: World, change: Change): void {
  const { random, scheduler } = world;
  if (world.closing) return;
  runCron(world);
  world.hit("F25");
  const isolate = world.isolate();
  const request = isolate.begin("change", change);
  const soon_ms = random() * 300;
  if (random() < 0.2) scheduler.after(soon_ms, () => request.hangUp());
  else if (random() < 0.4) scheduler.after(soon_ms, () => world.replace(isolate));
}

function drawChange(world: World, page_id: string, link_id: string): Change {
  const { random } = world;
  const save = (sql: string, ...values: (string | number)[]): Change => {
    const update = `UPDATE pages SET version = version + 1, ${sql} WHERE page_id = ?1`;
    return (router, c) =>
      router.change(c, page_id, (db) => [db.prepare(update).bind(page_id, ...values)]);
  };
  const chance = random();
  if (chance < 0.08) return save("status = 'suspended'");
  if (chance < 0.13) return save("status = 'draft'");
  if (chance < 0.3) return save("status = 'published'");
  if (chance < 0.42) {
    const zone = ZONES[integer(ZONES.length, random)] ?? "UTC";
    return save("document = json_set(document, '$.time_zone', ?2)", zone);
  }
  if (chance < 0.55) return save(`document = json_set(document, '$.links', ${OTHERS})`, link_id);
  const link = JSON.stringify(drawLink(world, page_id, link_id));
  return save(`document = json_set(document, '$.links', ${WITH_LINK})`, link_id, link);
}

/** The links of a document without ?2, and with ?3 in its place. */
const OTHERS = `(SELECT json_group_array(json(value)) FROM json_each(document, '$.links')
  WHERE value ->> 'link_id' <> ?2)`;
const WITH_LINK = `json_insert(${OTHERS}, '$[#]', json(?3))`;

/** A link with a new address, which may be off, or open or close in a moment. */
function drawLink(world: World, page_id: string, link_id: string): ModelLink {
  const { random, scheduler } = world;
  const link = openLink(link_id, `https://example.org/${Math.round(scheduler.now_ms)}`);
  const chance = random();
  if (chance < 0.2) return { ...link, enabled: false };
  if (chance < 0.4) return link;
  const at_s = Math.ceil(scheduler.unix_ms / SECOND_MS) + integer(SCHEDULED_WITHIN_S, random);
  followAtBoundary(world, page_id, link_id, at_s);
  return random() < 0.5 ? { ...link, from: at_s } : { ...link, until: at_s };
}
