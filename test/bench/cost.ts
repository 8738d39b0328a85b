/**
 * What an event costs: a fixed number of events with the meter on, and everything that they cause later:
 * flushes, the limiters' alarms and their end. The alarms run at their times without waiting, because the
 * bench's Worker moves its clock.
 *
 * So the price is that of a page that gets all these events within one FLUSH_SECONDS; a quieter page has
 * fewer events per flush. The pages existed and had visitors today; the senders were new. The runtime's
 * own tables (kv, alarm) cannot be metered here and are not included.
 */
import type { Clients } from "./clients.ts";
import type { Reading } from "./reading.ts";
import { assertAnswers, SCENARIOS, type Scenario, type Supply } from "./scenarios.ts";
import type { BenchServer } from "./server.ts";

/** List prices in dollars per million, 2026: https://developers.cloudflare.com/durable-objects/platform/pricing */
export const PRICES = {
  worker: 0.3,
  limiter_calls: 0.15,
  page_calls: 0.15,
  alarms: 0.15,
  limiter_rows: 1,
  page_rows: 1,
  d1_rows: 1,
} as const;
export type Line = keyof typeof PRICES;

export interface Bill {
  events: number;
  reading: Reading;
  /** Dollars per million events by line. The price is their sum. */
  lines: Record<Line, number>;
  price: number;
}

interface Plan extends Omit<Scenario, "title"> {
  title: string;
  events: number;
  /** Different senders; each sends its events one after another, not at the same time. */
  from: number;
}

function plan({ ...scenario }: Scenario, events: number, from: number, title?: string): Plan {
  return { ...scenario, events, from, title: title ?? scenario.title };
}

const { hot_own, hot_shared, many_own, many_shared, naive_own, new_own, new_shared, redirect } =
  SCENARIOS;

export const PLANS = {
  mixed_own: plan(many_own, 10_000, 2_000, "mixed: 100 pages, 5 events a sender"),
  mixed_shared: plan(many_shared, 10_000, 2_000, "mixed: 100 pages, 5 events a sender"),
  hot_own: plan(hot_own, 6_400, 640),
  hot_shared: plan(hot_shared, 6_400, 640),
  naive_own: plan(naive_own, 3_200, 320),
  new_own: plan(new_own, 1_000, 1_000),
  new_shared: plan(new_shared, 2_000, 2_000),
  redirect: plan(redirect, 3_200, 320),
  refused: plan(SCENARIOS.refused, 1_000, 1),
  cached: plan(SCENARIOS.cached, 1_000, 1_000),
  uncached: plan(SCENARIOS.uncached, 500, 500),
} as const;
export type PlanName = keyof typeof PLANS;

/**
 * A visitor never has two events under way, which would share a row: there are more senders than
 * connections.
 */
const COMPANY = 200;
const MAX_S = 120;
/** Enough requests to be certain that a sender is refused. */
const REFUSING = 120;

export async function measureCost(
  name: PlanName,
  server: BenchServer,
  clients: Clients,
  supply: Supply,
  cold_pages: number,
  connections: number,
  scale: number,
): Promise<Bill> {
  const { requests, answer, ...planned }: Plan = PLANS[name];
  const senders = Math.max(1, Math.round(planned.from * scale));
  const events = Math.max(1, Math.round(planned.events * scale));
  const load = { port: server.port, connections, max_s: MAX_S };
  const all = { ...requests, page_from: name === "uncached" ? supply.page : 0 };
  if (requests.kind !== "page") {
    // Every page is visited and flushed once before.
    const { pages } = requests;
    const visits = {
      ...all,
      in_order: true,
      sender_from: supply.addresses(pages),
      senders: pages,
      company: pages,
      visits: 1,
    };
    assertAnswers(await clients.run({ ...load, requests: visits, max_requests: pages }), [
      requests.kind === "redirect" ? "302 counted" : "202 counted",
    ]);
  }
  const sender_from = supply.addresses(senders);
  const company = Math.min(senders, COMPANY);
  const metered = { ...all, sender_from, senders, company, visits: Math.ceil(events / senders) };
  if (planned.senders === "refused") {
    await clients.run({ ...load, requests: metered, max_requests: REFUSING });
  }
  await server.meter("/settle");
  if (planned.senders === "refused") {
    // The window has passed, so the sender must be refused again.
    await clients.run({ ...load, requests: metered, max_requests: REFUSING });
  }
  await server.meter("/reset");
  const measured = await clients.run({ ...load, requests: metered, max_requests: events });
  assertAnswers(measured, [answer]);
  if (name === "uncached") supply.visited(events, cold_pages);
  const before = await server.meter("/read");
  const reading = planned.senders === "refused" ? before : await server.meter("/settle");
  return bill(events, reading);
}

function bill(events: number, reading: Reading): Bill {
  const units: Record<Line, number> = { worker: events, ...reading };
  const lines = Object.fromEntries(
    Object.entries(PRICES).map(([line, price]) => [line, (units[line as Line] / events) * price]),
  ) as Record<Line, number>;
  return {
    events,
    reading,
    lines,
    price: Object.values(lines).reduce((sum, dollars) => sum + dollars, 0),
  };
}
