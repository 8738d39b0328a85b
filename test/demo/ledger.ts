import { type EventClass, kindOf, type Origin } from "../../objects/events/event.ts";
import { Breakdowns } from "../../objects/page/tables/breakdowns.ts";
import type { DayRow } from "../../objects/page/tables/days.ts";
import type { Tally } from "../../objects/page/tables/tallies.ts";
import { DAY_MS, SECOND_MS } from "../../objects/platform/clock.ts";

const DAY_S = DAY_MS / SECOND_MS;

export class Ledger {
  readonly #tallies = new Map<string, Tally>();
  readonly #days = new Map<number, { visitors: number; breakdowns: Breakdowns }>();

  /** One event in the hour that starts at `hour` (unix second). */
  count(hour: number, link_id: string, eventClass: EventClass): void {
    const key = `${hour}/${link_id}/${eventClass}`;
    const tally = this.#tallies.get(key);
    if (tally !== undefined) tally.n += 1;
    else this.#tallies.set(key, { hour, kind: kindOf(link_id), link_id, class: eventClass, n: 1 });
  }

  /** One event of a person; the origin is null with Sec-GPC or DNT. */
  countPerson(hour: number, link_id: string, origin: Origin | null): void {
    this.count(hour, link_id, "human");
    if (origin !== null) this.#day(hour).breakdowns.count(origin, kindOf(link_id));
  }

  welcome(hour: number): void {
    this.#day(hour).visitors += 1;
  }

  rows(): { tallies: Tally[]; days: DayRow[] } {
    return {
      tallies: [...this.#tallies.values()],
      days: [...this.#days].map(([day, { visitors, breakdowns }]) => ({
        day,
        visitors,
        breakdowns: breakdowns.mostCounted(),
        version: 1,
      })),
    };
  }

  #day(hour: number) {
    const start = hour - (hour % DAY_S);
    let day = this.#days.get(start);
    if (day === undefined) {
      day = { visitors: 0, breakdowns: new Breakdowns() };
      this.#days.set(start, day);
    }
    return day;
  }
}
