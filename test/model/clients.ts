/**
 * Browsers. A client sends a beacon, or follows a link, through any of the routers. It keeps the id
 * of an event and retries, perhaps from another address, until the event is acknowledged or the
 * client gives up. It may hang up at any moment.
 */
import type { PageEvent } from "../../objects/events/event.ts";
import type { ClickIds } from "../../src/counting/event-key.ts";
import { integer } from "../random.ts";
import type { SimRequest } from "./isolate.ts";
import type { SentEvent } from "./notes.ts";
import type { Answer } from "./router.ts";
import type { World } from "./world.ts";

const SECOND_MS = 1_000;
const SENDERS = 4;
/** A crowd has at least this many people, fewer than twice as many, and may bring a page to a milestone. */
const CROWD_MIN = 60;
/** Requests of a flood: more than ten times the largest limit of a run, which is six. */
const FLOOD = 100;
const FLOOD_MS = 15 * SECOND_MS;
const FLOOD_MAX_MS = 90 * SECOND_MS;
/** At least so many people meet, and less than three times as many, within this time. */
const MEETING_MIN = 5;
const MEETING_MS = 30;
/** Those of them who hang up do it so soon that the calls which they share are under way. */
const LEAVES_WITHIN_MS = 100;
/** How long people click a link that is changed, and how many of them before and after. */
const FOLLOWED_MS = 150 * SECOND_MS;
const MANY = [
  { people: 0, until_ms: 0 },
  { people: 30, from_ms: 0 },
] as const;
/** Few, so that there is no flush for a while: every flush also updates the object's copy of the page. */
const FEW = [
  { people: 3, until_ms: 8 * SECOND_MS },
  { people: 4, from_ms: 90 * SECOND_MS },
] as const;
/** People who click a link when it opens or closes. */
const AT_BOUNDARY = 9;
const NOWHERE = "nowhere";
const POISON = [
  "__proto__",
  "constructor",
  "\u202e\u0000x",
  "'; DROP TABLE tallies; --",
  "(other)",
];

type Way = "beacon" | "redirect";

export function begin(world: World, until_ms: number): void {
  const { random, notes } = world;
  const page_id = pickPage(world);
  if (random() < 0.1) return void askNowhere(world, page_id);
  const views = random() < 0.3;
  // One id often stands for a view and for clicks; objects remember (id, link) (F12).
  const twins = random() < 0.2 ? 2 : 1;
  if (twins > 1) world.hit("F12");
  for (let i = 0; i < twins; i += 1) {
    const link_id = views && i === 0 ? "" : `l${notes.events.size % 80}`;
    const way = link_id !== "" && random() < 0.4 ? "redirect" : "beacon";
    // Without the page's script a link carries no id, so such a click cannot be retried.
    if (way === "redirect" && random() < 0.3) {
      const event = happen(world, page_id, link_id);
      void send(world, event, way, nameOf(integer(SENDERS, random)), { anonymous: true });
    } else void deliver(world, happen(world, page_id, link_id), way, until_ms);
  }
}

/** So many people come to one page at once that it may reach a milestone. Each has an own address. */
export function crowd(world: World, until_ms: number): void {
  const { random, notes } = world;
  const page_id = pickPage(world);
  const views = random() < 0.5;
  const people = CROWD_MIN + integer(CROWD_MIN, random);
  world.trace(`a crowd of ${people} on ${page_id}`);
  for (let i = 0; i < people; i += 1) {
    const event = happen(world, page_id, views ? "" : `l${notes.events.size % 80}`);
    void deliver(world, event, "beacon", until_ms, `one of a crowd, ${notes.events.size}`);
  }
}

/**
 * People who come to one router within a few milliseconds, so that they share calls. Some ask for a
 * link that nobody has asked for, some send their event twice, and some hang up at once.
 */
export function meet(world: World, until_ms: number): void {
  const { random, scheduler, notes } = world;
  const page_id = pickPage(world);
  const router = integer(world.isolates.length, random);
  const people = MEETING_MIN + integer(2 * MEETING_MIN, random);
  const within_ms = random() < 0.3 ? 0 : MEETING_MS * random();
  world.trace(`${people} meet on ${page_id}`);
  for (let i = 0; i < people; i += 1) {
    scheduler.after(random() * within_ms, () => {
      if (world.closing) return;
      if (random() < 0.1) return void askNowhere(world, page_id, router);
      const link_id = random() < 0.3 ? "" : `l${notes.events.size % 80}`;
      const way = link_id !== "" && random() < 0.3 ? "redirect" : "beacon";
      const event = happen(world, page_id, link_id);
      const sender = random() < 0.4 ? nameOf(integer(SENDERS, random)) : `met ${event.key}`;
      const isLeaving = world.plan.hangUps > 0 && random() < 0.3;
      const leaves_ms = isLeaving ? random() ** 2 * LEAVES_WITHIN_MS : undefined;
      const times = random() < 0.2 ? 2 : 1;
      for (let n = 0; n < times; n += 1) {
        const there = { router, ...(leaves_ms !== undefined && { leaves_ms }) };
        void send(world, event, way, sender, there).then((answer) => {
          if (answer === null && !world.closing) void deliver(world, event, way, until_ms, sender);
        });
      }
    });
  }
}

/** One sender asks for one link, or views one page, far more often than the limit allows. */
export function flood(world: World): void {
  const { random, notes, scheduler } = world;
  const page_id = pickPage(world);
  const link_id = random() < 0.3 ? "" : `l${notes.events.size % 80}`;
  const way = link_id !== "" && random() < 0.7 ? "redirect" : "beacon";
  const sender = nameOf(integer(SENDERS, random));
  const router = integer(world.isolates.length, random);
  // A long flood lasts beyond the windows of its first refusals.
  const isLong = world.plan.routerSteps_ms.length > 0 || random() < 0.5;
  const lasts_ms = isLong ? FLOOD_MAX_MS : FLOOD_MS;
  world.trace(`${sender} floods ${page_id}/${link_id}`);
  for (let i = 0; i < FLOOD; i += 1) {
    scheduler.after(random() * lasts_ms, () => {
      if (world.closing) return;
      const event = happen(world, page_id, link_id);
      void send(world, event, way, sender, random() < 0.9 ? { router } : {});
    });
  }
}

/** People keep clicking a link, or viewing a page, that its owner is about to change. */
export function follow(world: World, page_id: string, link_id: string, isQuiet: boolean): void {
  const { random, scheduler } = world;
  const click = (sender: string) => {
    if (world.closing) return;
    if (random() < 0.15) return void askNowhere(world, page_id);
    // A redirect shows a wrong address; a beacon shows that a removed link still counts.
    const way = link_id !== "" && random() < 0.5 ? "redirect" : "beacon";
    void send(world, happen(world, page_id, link_id), way, sender);
  };
  const [before, after] = isQuiet ? FEW : MANY;
  for (let i = 0; i < before.people; i += 1) {
    scheduler.after(random() * before.until_ms, () => click(`an early follower, ${i}`));
  }
  for (let i = 0; i < after.people; i += 1) {
    const at_ms = after.from_ms + random() * (FOLLOWED_MS - after.from_ms);
    scheduler.after(at_ms, () => click(`a late follower, ${i}`));
  }
}

export function followAtBoundary(
  world: World,
  page_id: string,
  link_id: string,
  at_s: number,
): void {
  const { random, scheduler } = world;
  for (let i = 0; i < AT_BOUNDARY; i += 1) {
    const at_ms = at_s * SECOND_MS + (random() * 3 - 1) * SECOND_MS - scheduler.unix_ms;
    scheduler.after(at_ms, () => {
      if (world.closing) return;
      const way = random() < 0.5 ? "redirect" : "beacon";
      void send(world, happen(world, page_id, link_id), way, `at the second, ${i}`);
    });
  }
}

export function pickPage({ busyPages, random }: World): string {
  return busyPages[integer(busyPages.length, random)] ?? "";
}

function nameOf(sender: number): string {
  return `s${sender}`;
}

export function happen(world: World, page_id: string, link_id: string): SentEvent {
  const event: SentEvent = {
    key: world.randomKey(),
    page_id,
    link_id,
    sent_ms: world.scheduler.now_ms,
    acknowledged: false,
    acknowledged_ms: Number.POSITIVE_INFINITY,
    counted: null,
  };
  world.notes.events.set(event.key, event);
  return event;
}

async function deliver(
  world: World,
  event: SentEvent,
  way: Way,
  until_ms: number,
  name?: string,
): Promise<void> {
  const { random, scheduler } = world;
  let sender = name ?? nameOf(integer(SENDERS, random));
  while (scheduler.now_ms < until_ms && !world.closing) {
    const answer = await send(world, event, way, sender);
    if (answer !== null && answer.status < 429) break;
    // Over the redirect an id belongs to its sender.
    if (way === "beacon" && name === undefined && random() < 0.4) {
      sender = nameOf(integer(SENDERS, random));
      world.hit("F11");
    }
    const wait_ms = answer?.retry_ms ?? SECOND_MS;
    await scheduler.pause(random() < 0.5 ? wait_ms : wait_ms * (1 + random()));
  }
  if (random() < 0.3 && world.repeats)
    scheduler.after(random() * 55 * 60 * SECOND_MS, () => void send(world, event, way, sender));
}

interface Sending {
  router?: number;
  /** Without an id. */
  anonymous?: boolean;
  /** In the address of a redirect, in place of the event's key as an id that belongs to its sender. */
  ids?: ClickIds;
  isLost?: boolean;
  /** The client hangs up after so many milliseconds. */
  leaves_ms?: number;
}

/** One request for an event; answers null if the connection broke or the client hung up. */
export async function send(
  world: World,
  event: SentEvent,
  way: Way,
  sender: string,
  { router, anonymous = false, ids, isLost = false, leaves_ms }: Sending = {},
): Promise<Answer | null> {
  const { random, scheduler } = world;
  // A request at the very moment that a refusal named must be admitted.
  if (leaves_ms === undefined && random() < 0.5) await scheduler.pause(random() * 20);
  if (world.closing) return null;
  const isolate = world.isolate(router);
  const { page_id, link_id, key } = event;
  const page_event = toPageEvent(world, link_id, key);
  const own = { event_id: anonymous ? undefined : key, tap_id: undefined };
  const visit = { sender, page_id, event: page_event, ids: ids ?? own };
  const request = isolate.visit(way, visit);
  if (leaves_ms !== undefined) scheduler.after(leaves_ms, () => request.hangUp());
  else if (random() < world.plan.hangUps) {
    scheduler.after(random() ** 3 * 12 * SECOND_MS, () => request.hangUp());
  }
  const answer = await request.answer;
  if (isLost) return null;
  if (answer !== null) judge(world, event, request, answer);
  if (answer?.outcome === "counted") {
    event.counted = { at_ms: scheduler.now_ms, has_origin: page_event.origin !== null };
  }
  return answer;
}

/** Asks for a link that no page has: it must not count, whatever D1 does. */
async function askNowhere(world: World, page_id: string, router?: number): Promise<void> {
  const event = toPageEvent(world, NOWHERE, world.randomKey());
  const ids = { event_id: undefined, tap_id: undefined };
  const visit = { sender: nameOf(integer(SENDERS, world.random)), page_id, event, ids };
  const request = world.isolate(router).visit("beacon", visit);
  const answer = await request.answer;
  if (answer !== null && answer.status < 400)
    world.notes.violated("I2", "it counted a link of no page");
}

function judge(world: World, event: SentEvent, request: SimRequest, answer: Answer): void {
  const { truth, notes } = world;
  const { page_id, link_id } = event;
  const { outcome, status, url } = answer;
  const name = `${page_id}/${link_id || "views"}`;
  if (outcome !== undefined) {
    notes.answered(event, outcome, request.began_ms, world.scheduler.now_ms);
    if (!truth.counts(page_id, link_id, request.began_ms)) {
      notes.violated("F25", `${name} was counted although it is gone`);
    }
  }
  if (url !== undefined && !truth.led(page_id, link_id, url, request.began_ms)) {
    notes.violated("F25", `${name} led to ${url}, which has been changed`);
  }
  if ((status === 404 || status === 410) && !truth.refuses(page_id, link_id, request.began_ms)) {
    notes.violated("I1", `${name} was refused with ${status} although it is there`);
  }
}

function toPageEvent(world: World, link_id: string, key: string): PageEvent {
  const { random } = world;
  const poisoned = random() < 0.1;
  if (poisoned) world.hit("F13");
  const value =
    (poisoned ? POISON[integer(POISON.length, random)] : null) ?? `site${integer(3, random)}`;
  const event = { key, link_id, class: "human" } as const;
  if (random() < 0.2) return { ...event, visitor: null, origin: null };
  return {
    ...event,
    visitor: `address ${integer(5, random)}\nuser agent`,
    origin: { referrer: value, utm_source: value },
  };
}
