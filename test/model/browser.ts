/**
 * People with a browser in which the page's script runs. Each tap is one event, however many requests
 * the browser makes of it: it repeats by itself a GET whose answer it did not get, perhaps over another
 * network; people tap again before the redirect has answered, come back and tap again, or close the
 * page. And people who pass on an address of a redirect.
 */
import { SAME_TAP_MS, type Taps } from "../../src/client/taps.ts";
import { integer } from "../random.ts";
import { happen, pickPage, send } from "./clients.ts";
import type { SentEvent } from "./notes.ts";
import type { World } from "./world.ts";

const SECOND_MS = 1_000;
const TAPS_MAX = 4;
/** Times that a browser sends a GET again by itself. */
const REPEATS_MAX = 3;
const BREAKS_WITHIN_MS = 500;
const PEOPLE_MAX = 3;

export async function browse(world: World): Promise<void> {
  const { random, scheduler, notes, code } = world;
  const page_id = pickPage(world);
  const taps = code.makeTaps<string>(() => world.randomKey());
  const name = `a browser, ${notes.events.size}`;
  let link_id = "";
  for (let left = 1 + integer(TAPS_MAX, random); left > 0 && !world.closing; left -= 1) {
    if (link_id === "" || random() < 0.3) link_id = `l${notes.events.size % 80}`;
    await tap(world, taps, happen(world, page_id, link_id), name);
    if (random() < 0.2) return;
    if (random() < 0.5) {
      // The page was left and is back, sometimes at once: the next tap is another click.
      await scheduler.pause(random() ** 2 * 5 * SECOND_MS);
      taps.forget();
    } else {
      // The page is still there, as when links open in new tabs.
      await scheduler.pause(SAME_TAP_MS + random() * 3 * SECOND_MS);
    }
  }
}

/** One tap of one or two activations. Resolves after them, while their requests are under way. */
async function tap(world: World, taps: Taps<string>, event: SentEvent, name: string) {
  const { random, scheduler } = world;
  const activate = (leaves_ms?: number) => {
    void follow(world, event, name, taps.idOf(event.link_id, scheduler.now_ms), leaves_ms);
  };
  if (random() < 0.6) return activate();
  // The second one ends the request of the first, unless that opened a new tab.
  const gap_ms = random() * (SAME_TAP_MS - 1);
  activate(random() < 0.7 ? gap_ms : undefined);
  await scheduler.pause(gap_ms);
  world.hit("F33");
  activate();
}

async function follow(
  world: World,
  event: SentEvent,
  name: string,
  tap_id: string,
  leaves_ms: number | undefined,
): Promise<void> {
  const { random } = world;
  const ids = { tap_id, event_id: undefined };
  for (let n = 0; n <= REPEATS_MAX && !world.closing; n += 1) {
    const sender = random() < 0.3 ? `${name}, on another network` : name;
    // Either the service notices that the connection is gone, or its answer is lost on the way.
    const ends_ms = leaves_ms ?? (random() < 0.2 ? random() * BREAKS_WITHIN_MS : undefined);
    const end = ends_ms === undefined ? { isLost: random() < 0.3 } : { leaves_ms: ends_ms };
    const answer = await send(world, event, "redirect", sender, { ids, ...end });
    if (answer !== null || leaves_ms !== undefined) return;
    world.hit("F33");
  }
}

/** People get the same address of a redirect, with an id in it, and each of them opens it: a click each. */
export function passOn(world: World): void {
  const { random, scheduler, notes } = world;
  const page_id = pickPage(world);
  const link_id = `l${notes.events.size % 80}`;
  const ids = { tap_id: undefined, event_id: world.randomKey() };
  for (let people = 2 + integer(PEOPLE_MAX - 1, random); people > 0; people -= 1) {
    scheduler.after(random() * 5 * SECOND_MS, () => {
      if (world.closing) return;
      const event = happen(world, page_id, link_id);
      void send(world, event, "redirect", `got an address, ${notes.events.size}`, { ids });
    });
  }
}
