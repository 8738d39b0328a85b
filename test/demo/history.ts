/**
 * A month of visits that nobody made, so that a demo page has statistics to show. Each visitor comes
 * from somewhere, at an hour of their own day, and clicks or does not; what is counted of them is what
 * the service counts of real ones. Pure: the same seed in the same hour makes the same rows.
 */
import { DAY_MS, dayOf, HOUR_MS, hourOf, SECOND_MS } from "../../objects/platform/clock.ts";
import type { Day } from "../../objects/tables/days.ts";
import { CONTACT_LINK, type Origin } from "../../objects/tables/event.ts";
import type { Tally } from "../../objects/tables/tallies.ts";
import type { Page } from "../../src/pages/pages-store.ts";
import { integer, type Random } from "../random.ts";
import { AUDIENCES, type Audience, type Country, type Post, type Weighted } from "./audiences.ts";
import { Ledger } from "./ledger.ts";
import { freshness, presence } from "./rhythm.ts";

/** Whole days of UTC before the one in progress. */
export const HISTORY_DAYS = 30;

const HOUR_S = HOUR_MS / SECOND_MS;
const DAY_S = DAY_MS / SECOND_MS;
const DAY_HOURS = DAY_S / HOUR_S;

/** A day is as much better or worse than its neighbours. */
const MOOD = 0.08;
/** The first link is the one most people came for; those beyond the last number are like it. */
const CLICK_RATES = [0.25, 0.13, 0.055, 0.03];
const CONTACT_RATE = 0.045;
/** Who comes for a post clicks on what it was about so much more often. */
const POST_CLICKS = 1.6;
/** Apps keep to themselves where a visitor comes from more often than browsers do. */
const APP_SAYS = 0.6;
/** Views of people who were there on that day already. */
const RETURNING = 0.18;
/** With Sec-GPC or DNT: counted, and nothing else known. */
const PRIVATE = 0.04;
/** Bots do not sleep: so many for each person, at any hour. */
const BOTS = 0.035;
const BOT_CLICK_RATE = 0.15;
/** The owner looks at their own page once in three days. */
const OWNER_VIEWS_PER_DAY = 0.33;
const OWNER_CLICK_RATE = 0.25;
/** Clicks over the limit, by somebody who held a key down, once. */
const LIMITED_CLICKS = 7;

/** The rows of `page` for `HISTORY_DAYS` and what is over of the day in progress, up to the last full hour. */
export function demoHistory(
  page: Page,
  now_ms: number,
  random: Random,
): { tallies: Tally[]; days: Day[] } {
  const audience = AUDIENCES[page.locale];
  const ledger = new Ledger();
  const [until_day, until] = [dayOf(now_ms), hourOf(now_ms)];
  const from = until_day - HISTORY_DAYS * DAY_S;
  const weights = sum(audience.countries.map(({ weight }) => weight));
  const visits = new Visits(page, audience, ledger, random);
  const held_down = from + integer(HISTORY_DAYS * DAY_HOURS, random) * HOUR_S;
  let views_per_day = 0;
  for (let hour = from; hour < until; hour += HOUR_S) {
    if (hour % DAY_S === 0) {
      const grown = (hour - from) / (HISTORY_DAYS * DAY_S);
      const usual = audience.views_from + grown * (audience.views_to - audience.views_from);
      views_per_day = usual * (1 + MOOD * (2 * random() - 1));
    }
    for (const country of audience.countries) {
      const share = (country.weight / weights) * presence(country, audience.weekend, hour);
      visits.ordinary(poisson(views_per_day * share, random), hour, country);
      for (const post of audience.posts) {
        const posted = until_day - post.days_ago * DAY_S + post.hour * HOUR_S;
        const fresh = freshness((hour - posted) / HOUR_S) * DAY_HOURS;
        visits.fromPost(poisson(post.views * share * fresh, random), hour, country, post);
      }
    }
    visits.others(hour, views_per_day / DAY_HOURS);
    if (hour === held_down) visits.heldDown(hour);
  }
  return ledger.rows();
}

/** Visits to one page, put into the ledger one by one. */
class Visits {
  readonly #page: Page;
  readonly #audience: Audience;
  readonly #ledger: Ledger;
  readonly #random: Random;

  constructor(page: Page, audience: Audience, ledger: Ledger, random: Random) {
    this.#page = page;
    this.#audience = audience;
    this.#ledger = ledger;
    this.#random = random;
  }

  ordinary(n: number, hour: number, { code }: Country): void {
    for (; n > 0; n -= 1) {
      const { host } = draw(this.#audience.referrers, this.#random);
      this.#person(hour, code, host === null ? {} : { referrer: host });
    }
  }

  fromPost(n: number, hour: number, { code }: Country, post: Post): void {
    const { referrer, utm_source, utm_medium, utm_campaign } = post;
    const campaign = { utm_source, utm_medium, utm_campaign };
    for (; n > 0; n -= 1) {
      const says = this.#chance(APP_SAYS);
      this.#person(hour, code, says ? { ...campaign, referrer } : campaign, post.link);
    }
  }

  /** Bots and the owner, in an hour in which so many people are usual. */
  others(hour: number, views_per_hour: number): void {
    const first = this.#page.links[0]?.link_id;
    const visit = (eventClass: "bot" | "owner", click_rate: number) => {
      this.#ledger.count(hour, "", eventClass);
      if (first !== undefined && this.#chance(click_rate)) {
        this.#ledger.count(hour, first, eventClass);
      }
    };
    const bots = poisson(views_per_hour * BOTS, this.#random);
    for (let n = bots; n > 0; n -= 1) visit("bot", BOT_CLICK_RATE);
    if (this.#chance(OWNER_VIEWS_PER_DAY / DAY_HOURS)) visit("owner", OWNER_CLICK_RATE);
  }

  /** Only redirects are counted over the limit; a beacon is refused. */
  heldDown(hour: number): void {
    const first = this.#page.links[0]?.link_id;
    if (first === undefined) return;
    for (let n = LIMITED_CLICKS; n > 0; n -= 1) this.#ledger.count(hour, first, "limited");
  }

  #person(hour: number, country: string, came_by: Origin, link?: number): void {
    const known = !this.#chance(PRIVATE);
    const here: Origin = { country, device: draw(this.#audience.devices, this.#random).type };
    const origin = { ...came_by, ...here };
    this.#ledger.countPerson(hour, "", known ? origin : null);
    if (known && !this.#chance(RETURNING)) this.#ledger.welcome(hour);
    for (const [place, { link_id, url }] of this.#page.links.entries()) {
      const rate = CLICK_RATES[place] ?? CLICK_RATES.at(-1) ?? 0;
      if (!this.#chance(place === link ? rate * POST_CLICKS : rate)) continue;
      // A redirect knows no more of a click than where it comes from and on what; the beacon, which
      // counts the others, knows how the visitor came to the page.
      this.#ledger.countPerson(hour, link_id, known ? (isWeb(url) ? here : origin) : null);
    }
    if (this.#page.contact !== null && this.#chance(CONTACT_RATE)) {
      this.#ledger.countPerson(hour, CONTACT_LINK, known ? here : null);
    }
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }
}

function isWeb(url: string): boolean {
  return /^https?:/.test(url);
}

function draw<T>(from: Weighted<T>, random: Random): T {
  let left = random() * sum(from.map(({ weight }) => weight));
  for (const one of from) {
    left -= one.weight;
    if (left < 0) return one;
  }
  return from[0];
}

/** How many of something that is `expected` so often on average (Knuth's way, for small numbers). */
function poisson(expected: number, random: Random): number {
  const floor = Math.exp(-expected);
  let n = 0;
  for (let product = random(); product > floor; product *= random()) n += 1;
  return n;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}
