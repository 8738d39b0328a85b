/**
 * Browsers, and the router between them and the objects. A client keeps an event's id and sends it
 * again, perhaps from another address, until it is acknowledged or until it gives up.
 */
import type { PageEvent, Receipt } from "../../objects/event.ts";
import { integer } from "../random.ts";
import type { SentEvent } from "./notes.ts";
import type { World } from "./world.ts";

const SECOND_MS = 1_000;
/** As src/limits.ts has it. */
const ROUTER_TIMEOUT_MS = 10 * SECOND_MS;
const SENDERS = 4;
/** A crowd is at least so many people and at most twice as many. */
const CROWD_MIN = 60;
/** Values that a careless program would trip over. */
const POISON = [
  "__proto__",
  "constructor",
  "\u202e\u0000x",
  "'; DROP TABLE tallies; --",
  "(other)",
];

type Answer = "counted" | "duplicate" | { retry_ms: number };

const FAILED: Answer = { retry_ms: SECOND_MS };

/** Begins a new event of its own and sees it through. `until_ms`: when the client gives up. */
export function begin(world: World, until_ms: number): void {
  const { random, notes } = world;
  const page_id = anyPage(world);
  const views = random() < 0.3;
  // One id often stands for a view and for clicks; what is remembered is (id, link) (F12).
  const twins = random() < 0.2 ? 2 : 1;
  if (twins > 1) world.hit("F12");
  for (let i = 0; i < twins; i += 1) {
    const link_id = views && i === 0 ? "" : `l${notes.events.size % 80}`;
    void deliver(world, happen(world, page_id, link_id), until_ms);
  }
}

/**
 * Many people come to one page at once, so many that it may reach a milestone. Each has an address
 * of their own and is admitted; the router gathers their events and sends again those that failed.
 */
export async function crowd(world: World, until_ms: number): Promise<void> {
  const { random, notes, scheduler } = world;
  const page_id = anyPage(world);
  const views = random() < 0.5;
  const people = CROWD_MIN + integer(CROWD_MIN, random);
  let waiting = Array.from({ length: people }, () =>
    happen(world, page_id, views ? "" : `l${notes.events.size % 80}`),
  );
  while (waiting.length > 0 && scheduler.now_ms < until_ms && !world.closing) {
    const answers = world.isOverloaded() ? null : await callPage(world, page_id, waiting);
    waiting = waiting.filter((_, i) => typeof answers?.[i] !== "string");
    world.tell(`a crowd of ${people} on ${page_id}: ${waiting.length} still to be counted`);
    await scheduler.pause(SECOND_MS * (1 + random()));
  }
}

function anyPage({ pages, random }: World): string {
  return [...pages.keys()][integer(pages.size, random)] as string;
}

/** A new event, written down but not sent yet. */
function happen(world: World, page_id: string, link_id: string): SentEvent {
  const first_ms = world.scheduler.now_ms;
  const event: SentEvent = { key: hex(world), page_id, link_id, first_ms, acknowledged: false };
  world.notes.events.set(event.key, event);
  return event;
}

/** Sends an event until it is acknowledged; and now and then once more, within the hour. */
async function deliver(world: World, event: SentEvent, until_ms: number): Promise<void> {
  const { random, scheduler } = world;
  let sender = integer(SENDERS, random);
  while (scheduler.now_ms < until_ms && !world.closing) {
    const answer = await send(world, event, sender);
    if (typeof answer === "string") break;
    if (random() < 0.4) {
      sender = integer(SENDERS, random);
      world.hit("F11");
    }
    await scheduler.pause(answer.retry_ms * (1 + random()));
  }
  if (random() < 0.3)
    scheduler.after(random() * 55 * 60 * SECOND_MS, () => void send(world, event, sender));
}

async function send(world: World, event: SentEvent, sender: number): Promise<Answer> {
  const { scheduler } = world;
  await scheduler.pause(world.latency());
  if (world.closing) return { retry_ms: SECOND_MS };
  if (!(await admitted(world, sender))) return { retry_ms: 20 * SECOND_MS };
  if (world.isOverloaded()) return FAILED;
  const [answer = FAILED] = await callPage(world, event.page_id, [event]);
  world.tell(
    `s${sender}: ${event.link_id || "a view"} of ${event.page_id} ${typeof answer === "string" ? answer : "failed"}`,
  );
  return answer;
}

/** One call to a page's object for these events, each with an answer of its own. */
async function callPage(
  world: World,
  page_id: string,
  events: readonly SentEvent[],
): Promise<Answer[]> {
  const { scheduler, notes } = world;
  const { promise, resolve } = Promise.withResolvers<(Receipt | null)[]>();
  const callOff = scheduler.after(ROUTER_TIMEOUT_MS, () => resolve([]));
  world.pages
    .get(page_id)
    ?.call((counter) =>
      Promise.all(
        events.map((event) => counter.record(toPageEvent(world, event)).catch(() => null)),
      ),
    )
    .then(resolve, () => resolve([]));
  const receipts = await promise;
  callOff();
  return events.map((event, i) => {
    const receipt = receipts[i];
    if (receipt == null) return FAILED;
    if (!("url" in receipt)) {
      notes.violated("I1", `${event.link_id} of ${page_id} is said to be unknown`);
      return FAILED;
    }
    notes.answered(event, receipt.outcome);
    return receipt.outcome;
  });
}

/** Asks the limiter; one that fails lets people through, as the router does for this scope. */
async function admitted(world: World, sender: number): Promise<boolean> {
  const { scheduler, notes, limit } = world;
  const request = notes.asked(`s${sender}`, scheduler.now_ms);
  try {
    const verdict = await world
      .limiterOf(sender)
      .call((windows) => windows.check({ sender: `s${sender}`, scope: "public", limit }));
    request.answered_ms = scheduler.now_ms;
    request.admitted = verdict.admitted;
    return verdict.admitted;
  } catch {
    return true;
  }
}

function toPageEvent(world: World, { key, link_id }: SentEvent): PageEvent {
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

function hex({ random }: World): string {
  const half = () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  return half() + half();
}
