/**
 * Pages that hardly anybody visits: what events cost that come every ten minutes for six hours. The Worker's
 * clock is moved, alarms run at their times, and an object is evicted before its next call, as on the
 * platform.
 */
import { avoidMidnight, eachOf, type Units } from "./cost.ts";
import type { Loads } from "./exactness.ts";
import { address } from "./requests.ts";
import type { Supply } from "./scenarios.ts";
import type { BenchServer } from "./server.ts";
import { COUNTED_PAGES } from "./site.ts";

const MINUTE_MS = 60_000;
/** Longer than the flush interval of a quiet page, so that the events before cost nothing any more. */
const ALONE_MS = 70 * MINUTE_MS;
const BETWEEN_MS = 10 * MINUTE_MS;
/** Pages in turn, so that their events are spread over the ten minutes; shared limiters serve them all. */
const PAGES = 12;
const HOURS = 6;
const PREFIX = "quiet-";
const ALL = { lane: null, page_prefix: PREFIX, pages: COUNTED_PAGES[PREFIX] } as const;
const AGENT =
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36";

let events_sent = 0;

async function send(server: BenchServer, page: number, sender: number, link?: string) {
  events_sent += 1;
  const response = await fetch(new URL("/api/analytics/view", server.url), {
    method: "POST",
    headers: {
      "Content-Type": "text/plain",
      "CF-Connecting-IP": address(sender),
      "User-Agent": AGENT,
    },
    body: JSON.stringify({
      page_id: `${PREFIX}${page}`,
      link_id: link,
      event_id: `quiet-${process.pid}-${events_sent}`,
      referrer: "https://www.instagram.com/",
    }),
  });
  const outcome = response.headers.get("X-Beacon-Outcome");
  await response.arrayBuffer();
  if (outcome !== "counted") throw new Error(`a quiet page answered ${response.status} ${outcome}`);
}

/**
 * What one event of such a page takes: two views of new visitors, then a click of the second, and so on.
 * `scale` shortens the six hours.
 */
export async function measureQuiet(
  server: BenchServer,
  loads: Loads,
  supply: Supply,
  scale: number,
): Promise<Units> {
  const slots = Math.max(3, Math.round((HOURS * 60 * MINUTE_MS * scale) / BETWEEN_MS));
  const pages = Array.from({ length: PAGES }, (_, page) => page);
  await avoidMidnight(server);
  for (const page of pages) await send(server, page, supply.addresses(1));
  await server.advance(ALONE_MS);
  await server.read();
  const last = pages.map(() => 0);
  for (let slot = 0; slot < slots; slot += 1) {
    for (const page of pages) {
      await server.advance(BETWEEN_MS / PAGES);
      const isClick = slot % 3 === 2;
      if (!isClick) last[page] = supply.addresses(1);
      await send(server, page, last[page] ?? 0, isClick ? "shop" : undefined);
    }
  }
  await server.advance(ALONE_MS);
  const reading = await server.read();
  const events = slots * PAGES;
  loads.acknowledged(server, ALL, events + PAGES);
  await loads.check(server, ALL);
  return eachOf({ worker: events, ...reading }, events);
}
