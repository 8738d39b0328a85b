/**
 * What an event costs: a fixed number of events with the meter on, and everything that they cause later:
 * flushes, the limiters' alarms and their end. The alarms run at their times without waiting, because the
 * bench's Worker moves its clock.
 *
 * So the price is that of a page that gets all these events within one flush interval; `quiet.ts` has
 * pages with fewer. The pages existed and had visitors today; the senders were new.
 */
import type { Loads } from "./exactness.ts";
import { type Figure, figure } from "./figure.ts";
import type { Reading } from "./reading.ts";
import type { Requests } from "./requests.ts";
import { assertAnswers, SCENARIOS, type Scenario, type Supply } from "./scenarios.ts";
import type { BenchServer } from "./server.ts";
import type { Pace } from "./throughput.ts";

/**
 * List prices in dollars per million, 2026: https://developers.cloudflare.com/durable-objects/platform/pricing,
 * and those of Workers and D1. Left out, because they round to nothing or cannot be measured here: rows that
 * objects read ($0.001), CPU of the Worker ($0.02 per million ms) and the objects' duration.
 */
export const PRICES = {
  worker: 0.3,
  limiter_calls: 0.15,
  page_calls: 0.15,
  alarms: 0.15,
  limiter_rows: 1,
  page_rows: 1,
  d1_rows: 1,
  d1_rows_read: 0.001,
} as const;
export type Line = keyof typeof PRICES;
export const LINES = Object.keys(PRICES) as Line[];

export interface Bill {
  each: Record<Line, Figure>;
  /** Dollars per million events. */
  price: Figure;
}

interface Step {
  targets: Requests["targets"];
  part: number;
  visits: number;
}

interface Plan extends Omit<Scenario, "title"> {
  title: string;
  from: number;
  steps: readonly Step[];
  /** Measured once, because nothing that must be reached depends on it. */
  once: boolean;
}

function plan(scenario: Scenario, from: number, visits: number, title = scenario.title): Plan {
  return { ...scenario, title, from, steps: [{ targets: "both", part: 1, visits }], once: false };
}

const { hot_16, hot_4, hot_1, hot_own, many_16, naive_16, new_16, new_own, redirect } = SCENARIOS;

export const PLANS = {
  hot_16: plan(hot_16, 320, 10, "one hot page, 10 events a sender"),
  hot_4: plan(hot_4, 320, 10, "one hot page, 10 events a sender"),
  hot_1: plan(hot_1, 320, 10, "one hot page, 10 events a sender"),
  hot_own: plan(hot_own, 320, 10, "one hot page, 10 events a sender"),
  new_16: plan(new_16, 1_000, 1),
  new_own: plan(new_own, 1_000, 1),
  mixed_16: { ...plan(many_16, 1_000, 5, "100 pages, 5 events a sender"), once: true },
  redirect: { ...plan(redirect, 320, 10, "redirect, 10 events a sender"), once: true },
  naive_16: { ...plan(naive_16, 320, 10, "naive design, 10 events a sender"), once: true },
  refused: { ...plan(SCENARIOS.refused, 1, 1_000), once: true },
  /** The events of a visit: a view, and a click of every second visitor. */
  visits: {
    ...plan(new_16, 2_000, 1, "visits of one hot page, new senders"),
    steps: [
      { targets: "views", part: 1, visits: 1 },
      { targets: "clicks", part: 0.5, visits: 1 },
    ],
  },
} as const satisfies Record<string, Plan>;
export type PlanName = keyof typeof PLANS;

/**
 * A visitor never has two events under way, which would share a row: there are more senders than
 * connections.
 */
const COMPANY = 200;
const MAX_S = 120;
/** Enough requests to be certain that a sender is refused. */
const REFUSING = 120;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Longer than any flush interval and any limiter's window, and than event ids are remembered. */
const SETTLED_MS = 65 * MINUTE_MS;
/** A plan that starts later waits for the next day. */
const LATEST_MS = 15 * HOUR_MS;

/** Moves the clock on to the next day where less than nine hours of this one are left. */
export async function avoidMidnight(server: BenchServer): Promise<void> {
  const of_day_ms = (await server.advance(0)) % DAY_MS;
  if (of_day_ms > LATEST_MS) await server.advance(DAY_MS - of_day_ms + MINUTE_MS);
}

export async function measureCost(
  name: PlanName,
  server: BenchServer,
  loads: Loads,
  supply: Supply,
  { connections, rounds }: Pace,
  scale: number,
): Promise<Bill> {
  const { requests, answer, from, steps, once, senders: kind }: Plan = PLANS[name];
  const senders = Math.max(2, Math.round(from * scale));
  const load = { connections, max_s: MAX_S };
  const readings: { events: number; reading: Reading }[] = [];
  for (let run = 0; run < (once ? 1 : rounds); run += 1) {
    await avoidMidnight(server);
    await visitOnce(server, loads, supply, requests, load);
    const sender_from = supply.addresses(senders);
    const all = { ...requests, page_from: 0, sender_from };
    if (kind === "refused") {
      const refused = {
        ...all,
        targets: "both",
        senders: 1,
        company: 1,
        visits: REFUSING,
      } as const;
      await loads.send(server, { ...load, requests: refused, max_requests: REFUSING });
    }
    await server.read();
    let events = 0;
    for (const { targets, part, visits } of steps) {
      const some = kind === "refused" ? 1 : Math.round(senders * part);
      const company = Math.min(some, COMPANY);
      const metered = { ...all, targets, senders: some, company, visits };
      const max_requests = some * visits;
      assertAnswers(await loads.send(server, { ...load, requests: metered, max_requests }), [
        answer,
      ]);
      events += max_requests;
    }
    // A refused sender's object would end its window, which was not caused by refused requests.
    if (kind !== "refused") await server.advance(SETTLED_MS);
    readings.push({ events, reading: await server.read() });
    await loads.check(server, all);
  }
  return bill(readings);
}

/** Every page is visited and flushed once before, so that it has tables and visitors of today. */
async function visitOnce(
  server: BenchServer,
  loads: Loads,
  supply: Supply,
  requests: Scenario["requests"],
  load: { connections: number; max_s: number },
): Promise<void> {
  const { pages } = requests;
  const visits = {
    ...requests,
    targets: "both",
    page_from: 0,
    in_order: true,
    sender_from: supply.addresses(pages),
    senders: pages,
    company: pages,
    visits: 1,
  } as const;
  assertAnswers(await loads.send(server, { ...load, requests: visits, max_requests: pages }), [
    requests.kind === "redirect" ? "302 counted" : "202 counted",
  ]);
  await server.advance(SETTLED_MS);
}

function bill(readings: readonly { events: number; reading: Reading }[]): Bill {
  const units = readings.map(({ events, reading }) => {
    const { limiter_calls, page_calls, alarms, limiter_rows, page_rows } = reading;
    const { d1_rows, d1_rows_read } = reading;
    const rows = { limiter_rows, page_rows, d1_rows, d1_rows_read };
    return eachOf({ worker: events, limiter_calls, page_calls, alarms, ...rows }, events);
  });
  return {
    each: Object.fromEntries(
      LINES.map((line) => [line, figure(units.map((unit) => unit[line]))]),
    ) as Record<Line, Figure>,
    price: figure(units.map(priceOf)),
  };
}

export type Units = Record<Line, number>;

export function eachOf(units: Units, n: number): Units {
  return Object.fromEntries(LINES.map((line) => [line, units[line] / n])) as Units;
}

/** Dollars per million of what takes these units. */
function priceOf(units: Units): number {
  return LINES.reduce((sum, line) => sum + units[line] * PRICES[line], 0);
}
