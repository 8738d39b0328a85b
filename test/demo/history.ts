/**
 * Invents two months of visits, so that a demo page has statistics to show. The same is counted of invented
 * visitors as of real ones. Pure: the same seed in the same hour makes the same rows.
 */

import { CONTACT_LINK, type Origin } from "../../objects/events/event.ts";
import type { DayRow } from "../../objects/page/tables/days.ts";
import type { Tally } from "../../objects/page/tables/tallies.ts";
import { DAY_MS, dayOf, HOUR_MS, hourOf, SECOND_MS } from "../../objects/platform/clock.ts";
import { defaultLocale } from "../../src/pages/document/page-words.ts";
import type { Page } from "../../src/pages/document/pages-store.ts";
import type { Random } from "../random.ts";
import { AUDIENCES, type Weighted } from "./audiences.ts";
import { Ledger } from "./ledger.ts";

/** Whole days of UTC before the one in progress. */
const HISTORY_DAYS = 60;

const HOUR_S = HOUR_MS / SECOND_MS;
const DAY_S = DAY_MS / SECOND_MS;

/** A day's visits by the hour, from midnight on. */
const RHYTHM = [
  ...[9, 5, 3, 2, 2, 4, 10, 19, 23, 21, 21, 24],
  ...[30, 29, 25, 25, 28, 35, 43, 52, 60, 63, 48, 24],
];
/** Clicks per view by the link's index; the last rate applies to all further links. */
const CLICK_RATES = [0.25, 0.13, 0.055, 0.03];
const CONTACT_RATE = 0.045;
/** Fraction of views by people who viewed the page before on that day. */
const RETURNING = 0.18;
/** Fraction of people with Sec-GPC or DNT: counted, without an origin. */
const PRIVATE = 0.04;
/** Views of bots per person's. */
const BOTS = 0.035;
const OWNER_VIEWS_PER_HOUR = 0.014;

export function demoHistory(
  page: Page,
  now_ms: number,
  random: Random,
): { tallies: Tally[]; days: DayRow[] } {
  const audience = AUDIENCES[defaultLocale(page)];
  const ledger = new Ledger();

  const visit = (hour: number, came_by: Origin) => {
    const isKnown = random() >= PRIVATE;
    const { code: country } = draw(audience.countries, random);
    const here: Origin = { country, device: draw(audience.devices, random).type };
    const origin = { ...came_by, ...here };
    ledger.countPerson(hour, "", isKnown ? origin : null);
    if (isKnown && random() >= RETURNING) ledger.welcome(hour);
    for (const [place, { link_id, url }] of page.links.entries()) {
      if (random() >= (CLICK_RATES[place] ?? CLICK_RATES.at(-1) ?? 0)) continue;
      // A redirect sees only country and device. The beacon, which counts other links, also sees how the
      // visitor came to the page.
      const seen = /^https?:/.test(url ?? "") ? here : origin;
      ledger.countPerson(hour, link_id, isKnown ? seen : null);
    }
    if (page.contact !== null && random() < CONTACT_RATE) {
      ledger.countPerson(hour, CONTACT_LINK, isKnown ? here : null);
    }
  };

  const [today, until] = [dayOf(now_ms), hourOf(now_ms)];
  const from = today - HISTORY_DAYS * DAY_S;
  for (let hour = from; hour < until; hour += HOUR_S) {
    const share = (RHYTHM[(hour % DAY_S) / HOUR_S] ?? 0) / sum(RHYTHM);
    const grown = (hour - from) / (HISTORY_DAYS * DAY_S);
    const usual = audience.views_from + grown * (audience.views_to - audience.views_from);
    for (let n = poisson(usual * share, random); n > 0; n -= 1) {
      const { host } = draw(audience.referrers, random);
      visit(hour, host === null ? {} : { referrer: host });
    }
    for (const { days_ago, views, ...came_by } of audience.posts) {
      if (hour - (hour % DAY_S) !== today - days_ago * DAY_S) continue;
      for (let n = poisson(views * share, random); n > 0; n -= 1) visit(hour, came_by);
    }
    const bots = poisson(usual * share * BOTS, random);
    for (let n = bots; n > 0; n -= 1) ledger.count(hour, "", "bot");
    if (random() < OWNER_VIEWS_PER_HOUR) ledger.count(hour, "", "owner");
  }
  return ledger.rows();
}

function draw<T>(from: Weighted<T>, random: Random): T {
  let left = random() * sum(from.map(({ weight }) => weight));
  for (const one of from) {
    left -= one.weight;
    if (left < 0) return one;
  }
  return from[0];
}

/** A Poisson-distributed number with this mean (Knuth's algorithm, for small means). */
function poisson(expected: number, random: Random): number {
  const floor = Math.exp(-expected);
  let n = 0;
  for (let product = random(); product > floor; product *= random()) n += 1;
  return n;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}
