/**
 * Invents two months of visits, so that a demo page has statistics to show. Each visitor has a country, a
 * referrer and a local hour, and may click; the same is counted of them as of real visitors. Pure: the
 * same seed in the same hour makes the same rows.
 */
import { DAY_MS, dayOf, HOUR_MS, hourOf, SECOND_MS } from "../../objects/platform/clock.ts";
import type { DayRow } from "../../objects/tables/days.ts";
import { CONTACT_LINK, type Origin } from "../../objects/tables/event.ts";
import type { Tally } from "../../objects/tables/tallies.ts";
import { defaultLocale } from "../../src/pages/page-words.ts";
import type { Page } from "../../src/pages/pages-store.ts";
import { integer, type Random } from "../random.ts";
import { AUDIENCES, type Audience, type Country, type Post, type Weighted } from "./audiences.ts";
import { Ledger } from "./ledger.ts";
import { freshness, presence } from "./rhythm.ts";

/** Whole days of UTC before the one in progress. */
export const HISTORY_DAYS = 60;

const HOUR_S = HOUR_MS / SECOND_MS;
const DAY_S = DAY_MS / SECOND_MS;
const DAY_HOURS = DAY_S / HOUR_S;

/** Random variation of a day's views, as a fraction. */
const MOOD = 0.08;
/** Clicks per view by the link's index; the last rate applies to all further links. */
const CLICK_RATES = [0.25, 0.13, 0.055, 0.03];
const CONTACT_RATE = 0.045;
/** Factor on clicks of a post's visitors on the link that it is about. */
const POST_CLICKS = 1.6;
/** Fraction of a post's visitors with a referrer; apps send it less often than browsers. */
const APP_SAYS = 0.6;
/** Fraction of views by people who viewed the page before on that day. */
const RETURNING = 0.18;
/** Fraction of people with Sec-GPC or DNT: counted, without an origin. */
const PRIVATE = 0.04;
/** Bots per person; their number is the same at any hour. */
const BOTS = 0.035;
const BOT_CLICK_RATE = 0.15;
/** One view in three days. */
const OWNER_VIEWS_PER_DAY = 0.33;
const OWNER_CLICK_RATE = 0.25;
/** Clicks over the limit, by one person who held a key down. */
const LIMITED_CLICKS = 7;

/** The rows of `page` for `HISTORY_DAYS` and the full hours of the day in progress. */
export function demoHistory(
  page: Page,
  now_ms: number,
  random: Random,
): { tallies: Tally[]; days: DayRow[] } {
  const audience = AUDIENCES[defaultLocale(page)];
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

/** Records visits to one page in the ledger. */
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

  /** Records the hour's views of bots and of the owner. */
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

  /** Records clicks over the limit: redirects, because a beacon over the limit is refused. */
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
      // A redirect sees only country and device. The beacon, which counts other links, also sees how the
      // visitor came to the page.
      this.#ledger.countPerson(hour, link_id, known ? (isWeb(url ?? "") ? here : origin) : null);
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
