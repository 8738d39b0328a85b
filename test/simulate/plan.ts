/**
 * The plan of a run, made before it starts: the same options and seed give the same events, senders and
 * faults in the same order. Only their exact times differ.
 */
import { clickKey, eventKey } from "../../src/counting/event-key.ts";
import type { Secret } from "../../src/http/secret.ts";
import { parseSender } from "../../src/http/sender.ts";
import type { Page } from "../../src/pages/document/pages-store.ts";
import { plainPage } from "../plain-page.ts";
import { generator, integer, type Random } from "../random.ts";
import type { Address, Senders } from "./senders.ts";

export interface SentEvent {
  /** The key under which the objects remember it. */
  key: string;
  event_id: string;
  page_id: string;
  /** `''` for a view. */
  link_id: string;
  /**
   * How it is sent: by the beacon; by a redirect's address that has an id and may be shared; or by a tap in
   * a browser, whose id the page's script has set. The same id sent another way is another event. Views are
   * sent by the beacon only.
   */
  by: "beacon" | "redirect" | "tap";
  /** For `redirect`, its sender, because the same id from another sender is another event; else null. */
  only_from: Address | null;
}

export interface Delivery {
  event: SentEvent;
  /** The first address. A beacon's retries come from other senders too. */
  from: Address;
  /** The client aborts its first request after so many milliseconds … */
  gives_up_after_ms: number | null;
  /** … and never retries. */
  for_good: boolean;
  /** The same event is sent twice at the same time, from two addresses and through two routers. */
  twice: boolean;
  seed: number;
}

/** Parts of all events, each between 0 and 1. */
const SENT_TWICE_AT_ONCE = 0.03;
const SENT_AGAIN_LATER = 0.08;
const GIVES_UP_AND_COMES_BACK = 0.04;
const GIVES_UP_FOR_GOOD = 0.01;
const FROM_HEAVY_SENDERS = 0.04;
/** Of the clicks by redirect, the part whose address was shared: another sender clicks with the same id. */
const SHARED_ADDRESS = 0.05;
/**
 * A client that gives up does so within this time, plus the second time at the usual distance: some
 * before their event is written, some after.
 */
const PATIENCE_MAX_MS = 60;
const PATIENCE_AT_DISTANCE_MS = 240;
/** A duplicate is at most so many deliveries after the first. */
const LATER_MAX = 2_000;
const VISIT_HAS_VIEW = 0.7;
/** Of the clicks, the parts by a tap and by an address with an id. */
const CLICK_BY_TAP = 0.4;
const CLICK_BY_REDIRECT = 0.3;
/** Of those who have tapped a link, the part that comes back and taps it again. */
const COMES_BACK = 0.2;

/** The pages, the busiest first. Their links lead to reserved addresses. */
export function planPages(pages: number, links: number): Page[] {
  const linkList = Array.from({ length: links }, (_, i) => {
    return { link_id: `link-${i}`, label: `link ${i}`, url: `https://link-${i}.example/` };
  });
  return Array.from({ length: pages }, (_, i) => {
    const name = `page-${i}`;
    return plainPage({ page_id: name, locale: i % 2 === 0 ? "ar" : "en", name, links: linkList });
  });
}

export interface Scene {
  pages: readonly Page[];
  senders: Senders;
  /** The deployment's secret, with which event keys are made. */
  sender_key: Secret;
  /** Distance in percent of the usual. */
  distance: number;
  beacons_only?: boolean;
}

/**
 * Deliveries of `events` different events, in the order in which clients take them.
 *
 * @param name prefix of all their ids
 */
export function planDeliveries(
  name: string,
  events: number,
  scene: Scene,
  seed: number,
): Delivery[] {
  const random = generator(seed);
  const deliveries: Delivery[] = [];
  const later: { after: number; delivery: Delivery }[] = [];
  for (let visits = 0, made = 0; made < events; visits += 1) {
    for (const event of planVisit(`${name}-${visits}`, scene, random)) {
      if (made === events) break;
      made += 1;
      const delivery = planDelivery(event, scene, random);
      deliveries.push(delivery);
      if (random() < SENT_AGAIN_LATER && !delivery.for_good) {
        const again = { ...planDelivery(event, scene, random), gives_up_after_ms: null };
        later.push({
          after: deliveries.length + integer(LATER_MAX, random),
          delivery: { ...again, for_good: false },
        });
      }
    }
  }
  return interleave(deliveries, later);
}

/**
 * One visitor on one page: often a view, and some clicks, all with the same id (docs/faults.md F12) but
 * for taps, which have one each (F33).
 */
function planVisit(event_id: string, scene: Scene, random: Random): SentEvent[] {
  const { pages, senders, beacons_only = false } = scene;
  const page = zipf(pages, random);
  if (page === undefined) return [];
  const links = new Set<string>();
  if (random() < VISIT_HAS_VIEW || page.links.length === 0) links.add("");
  for (let clicks = integer(3, random); clicks > 0; clicks -= 1) {
    const link = zipf(page.links, random);
    if (link !== undefined) links.add(link.link_id);
  }
  const events: Omit<SentEvent, "key">[] = [];
  for (const link_id of links) {
    const event = { event_id, page_id: page.page_id, link_id };
    const way = link_id === "" || beacons_only ? 1 : random();
    if (way < CLICK_BY_TAP) {
      const taps = random() < COMES_BACK ? ["tap", "tap-again"] : ["tap"];
      for (const tap of taps) {
        events.push({ ...event, event_id: `${event_id}-${tap}`, by: "tap", only_from: null });
      }
      continue;
    }
    if (way >= CLICK_BY_TAP + CLICK_BY_REDIRECT) {
      events.push({ ...event, by: "beacon", only_from: null });
      continue;
    }
    const from = planSender(senders, random);
    events.push({ ...event, by: "redirect", only_from: from });
    if (random() >= SHARED_ADDRESS) continue;
    const other = senders.ordinary(random);
    if (parseSender(other) === parseSender(from)) continue;
    events.push({ ...event, by: "redirect", only_from: other });
  }
  return events.map((event) => ({ ...event, key: keyOf(event, scene.sender_key) }));
}

/** The key as the router makes it. All clients are human. */
function keyOf(
  { event_id, link_id, by, only_from }: Omit<SentEvent, "key">,
  sender_key: Secret,
): string {
  if (by === "beacon") return eventKey(sender_key, event_id, link_id);
  const follower = { sender: parseSender(only_from ?? ""), is_bot: false };
  const ids =
    by === "tap" ? { tap_id: event_id, event_id: undefined } : { tap_id: undefined, event_id };
  return clickKey(sender_key, follower, ids, link_id) ?? "";
}

function planDelivery(event: SentEvent, scene: Scene, random: Random): Delivery {
  const { senders, distance } = scene;
  const kind = random();
  const for_good = kind < GIVES_UP_FOR_GOOD;
  const gives_up = kind < GIVES_UP_FOR_GOOD + GIVES_UP_AND_COMES_BACK;
  const patience_max_ms = Math.ceil(PATIENCE_MAX_MS + (PATIENCE_AT_DISTANCE_MS * distance) / 100);
  return {
    event,
    from: event.only_from ?? planSender(senders, random),
    gives_up_after_ms: gives_up ? 1 + integer(patience_max_ms, random) : null,
    for_good,
    twice: !gives_up && random() < SENT_TWICE_AT_ONCE,
    seed: integer(2 ** 32, random),
  };
}

function planSender(senders: Senders, random: Random): Address {
  return random() < FROM_HEAVY_SENDERS ? senders.heavy(random) : senders.ordinary(random);
}

/** The n-th entry of a list is chosen with weight 1/n: a few are hot, most are rare. */
export function zipf<T>(from: readonly T[], random: Random): T | undefined {
  // Inverse of the continuous distribution of density 1/x from 1 to length + 1.
  return from[Math.floor((from.length + 1) ** random()) - 1];
}

function interleave(
  deliveries: readonly Delivery[],
  later: { after: number; delivery: Delivery }[],
): Delivery[] {
  const waiting = later.sort((a, b) => b.after - a.after);
  const all: Delivery[] = [];
  for (const [i, delivery] of deliveries.entries()) {
    for (let due = waiting.at(-1); due !== undefined && due.after <= i; due = waiting.at(-1)) {
      all.push(due.delivery);
      waiting.pop();
    }
    all.push(delivery);
  }
  return [...all, ...waiting.reverse().map(({ delivery }) => delivery)];
}
