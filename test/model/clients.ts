/**
 * Browsers, and the router between them and the objects. A client keeps an event's id and sends it
 * again, perhaps from another address, until it is acknowledged or until it gives up.
 */
import type { PageEvent } from "../../objects/event.ts";
import { integer } from "../random.ts";
import type { SentEvent } from "./notes.ts";
import type { World } from "./world.ts";

const SECOND_MS = 1_000;
/** As src/limits.ts has it. */
const ROUTER_TIMEOUT_MS = 10 * SECOND_MS;
const SENDERS = 4;
/** Values that a careless program would trip over. */
const POISON = [
  "__proto__",
  "constructor",
  "\u202e\u0000x",
  "'; DROP TABLE tallies; --",
  "(other)",
];

type Answer = "counted" | "duplicate" | { retry_ms: number };

/** Begins a new event of its own and sees it through. `until_ms`: when the client gives up. */
export function begin(world: World, until_ms: number): void {
  const { random, notes, scheduler } = world;
  const pages = [...world.pages.keys()];
  const page_id = pages[integer(pages.length, random)] as string;
  const views = random() < 0.3;
  // One id often stands for a view and for clicks; what is remembered is (id, link) (F12).
  const twins = random() < 0.2 ? 2 : 1;
  if (twins > 1) world.hit("F12");
  for (let i = 0; i < twins; i += 1) {
    const link_id = views && i === 0 ? "" : `l${notes.events.size % 80}`;
    const event: SentEvent = {
      key: hex(world),
      page_id,
      link_id,
      first_ms: scheduler.now_ms,
      acknowledged: false,
    };
    notes.events.set(event.key, event);
    void deliver(world, event, until_ms);
  }
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
  const { scheduler, notes } = world;
  await scheduler.pause(world.latency());
  if (world.closing) return { retry_ms: SECOND_MS };
  if (!(await admitted(world, sender))) return { retry_ms: 20 * SECOND_MS };
  if (world.isOverloaded()) return { retry_ms: SECOND_MS };
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const failed = () => resolve({ retry_ms: SECOND_MS });
  const callOff = scheduler.after(ROUTER_TIMEOUT_MS, failed);
  const page = world.pages.get(event.page_id);
  page
    ?.call((counter) => counter.record(toPageEvent(world, event)))
    .then((receipt) => {
      callOff();
      if ("url" in receipt) resolve(receipt.outcome);
      else notes.violated("I1", `${event.link_id} of ${event.page_id} is said to be unknown`);
    }, failed);
  const answer = await promise;
  if (typeof answer === "string") notes.answered(event, answer);
  world.tell(
    `s${sender}: ${event.link_id || "a view"} of ${event.page_id} ${typeof answer === "string" ? answer : "failed"}`,
  );
  return answer;
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
  const value = poisoned ? POISON[integer(POISON.length, random)] : `site${integer(3, random)}`;
  return {
    key,
    link_id,
    class: "human",
    visitor: random() < 0.8 ? `visitor ${integer(5, random)}` : null,
    origin: value === undefined ? null : { referrer: value, utm_source: value },
  };
}

function hex({ random }: World): string {
  const half = () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  return half() + half();
}
