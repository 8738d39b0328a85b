/**
 * What the clients of a run note, and the invariants I1–I5 of docs/faults.md that must hold for it.
 * Most clicks have a link of their own, so the numbers of the links show which events were counted,
 * without looking into the objects.
 */
import {
  type Milestone,
  milestonesUpTo,
  type Totals,
} from "../../objects/page/tables/milestones.ts";
import type { RevisionTotals } from "../../objects/page/tables/revisions.ts";
import { type Asked, mostBefore, mostWithin } from "./limit-bounds.ts";

export interface SentEvent {
  /** 16 hex digits. */
  key: string;
  page_id: string;
  /** `''` for a view. */
  link_id: string;
  /** When its client made it, in milliseconds of the run. */
  sent_ms: number;
  acknowledged: boolean;
  /** When it was acknowledged first, in milliseconds of the run. */
  acknowledged_ms: number;
  /** When it was answered that it counts as a person's event, and whether it has an origin. */
  counted: { at_ms: number; has_origin: boolean } | null;
}

export interface AskedLimit extends Asked {
  /** Null if it is not known. */
  admitted: boolean | null;
  /** After a refusal: time from `answered_ms` until the next request is admitted. */
  reset_ms: number;
  /** The longest time without a decision of its router about the sender since it asked the object. */
  silent_ms: number;
}

/** By how much clocks stepped in a run, in milliseconds. */
export interface Steps {
  objects: readonly number[];
  routers: readonly number[];
}

export interface Counted {
  /** Events of people, by link. */
  people: ReadonlyMap<string, number>;
  /** Events of senders over their limit, by link. */
  limited: ReadonlyMap<string, number>;
}

const WINDOW_MS = 60_000;
/** A check of the limit is executed, or lost on its way, within this time. */
const ON_ITS_WAY_MS = 10_000;

export class Notes {
  readonly events = new Map<string, SentEvent>();
  readonly violations: string[] = [];
  readonly #requests = new Map<string, AskedLimit[]>();
  readonly #refused = new Map<string, number>();
  readonly #highest = new Map<string, number>();
  /** When each milestone was reached, as D1 had it first. */
  readonly #reached = new Map<string, number>();

  violated(rule: string, what: string): void {
    this.violations.push(`${rule}: ${what}`);
  }

  /** An event that was acknowledged before the run began. */
  counted(key: string, page_id: string, link_id: string): void {
    const at_ms = Number.NEGATIVE_INFINITY;
    const counted = { at_ms, has_origin: false };
    const event = { key, page_id, link_id, sent_ms: at_ms, acknowledged: true, counted };
    this.events.set(key, { ...event, acknowledged_ms: at_ms });
  }

  answered(event: SentEvent, outcome: string, from_ms: number, to_ms: number): void {
    // Of two requests at once, the second to be counted may be the first to be answered.
    const isAgain = event.counted !== null || event.acknowledged_ms < from_ms;
    if (outcome === "counted" && isAgain) {
      this.violated("I2", `${event.key} on ${event.link_id || "views"} was counted twice`);
    }
    event.acknowledged = true;
    event.acknowledged_ms = Math.min(event.acknowledged_ms, to_ms);
  }

  asked(sender: string, asked_ms: number): AskedLimit {
    const answered_ms = asked_ms + ON_ITS_WAY_MS;
    const open = { admitted: null, reset_ms: 0, silent_ms: 0 };
    const request: AskedLimit = { asked_ms, answered_ms, ...open };
    const requests = this.#requests.get(sender) ?? [];
    this.#requests.set(sender, requests);
    requests.push(request);
    return request;
  }

  /** The limit refused a request for this link, which may reach the page as a number. */
  refused(page_id: string, link_id: string): void {
    const key = `${page_id}/${link_id}`;
    this.#refused.set(key, (this.#refused.get(key) ?? 0) + 1);
  }

  /** I5 by the senders' own notes: only what is certain is a violation. */
  judgeLimit(limit: number, steps_ms: Steps): void {
    const forward = steps_ms.objects.some((ms) => ms > 0);
    // A cached refusal lasts longer by as much as the router's clock was set back, if no request
    // came meanwhile.
    const silent_max_ms = Math.min(...steps_ms.routers.map(Math.abs), Number.POSITIVE_INFINITY);
    for (const [sender, requests] of this.#requests) {
      const admitted = requests.filter((request) => request.admitted);
      const most = mostWithin(admitted, WINDOW_MS);
      // A clock that steps forward ends a window early, once.
      if (most > (forward ? 2 * limit : limit)) {
        this.violated("I5", `${most} of ${limit} admitted for ${sender} within 60 s`);
      }
      // A clock that steps back makes a window last longer than 60 s.
      if (steps_ms.objects.length > 0) continue;
      const refused = requests.filter((request) => request.admitted === false);
      const others = requests.filter((request) => request.admitted !== false);
      const noted = refused.filter(({ silent_ms }) => silent_ms < silent_max_ms);
      const before = noted.map((request) => mostBefore(request, others, WINDOW_MS));
      const least = before.find((n) => n < limit);
      if (least !== undefined) {
        this.violated("I5", `${sender} was refused with ${least} of ${limit} in 60 s`);
      }
      if (steps_ms.routers.length === 0) this.#judgePromises(sender, refused, others);
    }
  }

  /** A request at the time that a refusal named is admitted, unless another one took its place. */
  #judgePromises(
    sender: string,
    refused: readonly AskedLimit[],
    others: readonly AskedLimit[],
  ): void {
    for (const again of refused) {
      const promise = refused.findLast(
        ({ answered_ms, reset_ms }) => answered_ms + reset_ms <= again.asked_ms,
      );
      if (promise === undefined) continue;
      const taken = others.some(
        ({ asked_ms, answered_ms }) =>
          answered_ms > promise.asked_ms && asked_ms < again.answered_ms,
      );
      if (taken) continue;
      this.violated("I5", `${sender} was refused at the time that a refusal had named`);
      return;
    }
  }

  /**
   * I3 and I4 after each write to D1: its number is never above what was sent, and never falls. With a
   * database the number is its own, and 0 after the page has left it.
   */
  judgeD1(page_id: string, in_d1: number, database = ""): void {
    const sent = [...this.events.values()].filter((event) => event.page_id === page_id).length;
    let refused = 0;
    for (const [key, n] of this.#refused) if (key.startsWith(`${page_id}/`)) refused += n;
    if (in_d1 > sent + refused) {
      this.violated("I3", `D1 says ${in_d1} for ${page_id}, sent were ${sent + refused}`);
    }
    const key = `${page_id}/${database}`;
    const has_left = database !== "" && in_d1 === 0;
    const highest = has_left ? 0 : (this.#highest.get(key) ?? 0);
    if (in_d1 < highest) this.violated("I4", `${page_id} fell from ${highest} to ${in_d1}`);
    this.#highest.set(key, Math.max(highest, in_d1));
  }

  /** After each write to D1: no milestone is early, and each keeps the time that it had first. */
  judgeMilestones(page_id: string, in_d1: Totals, milestones: readonly Milestone[]): void {
    for (const { kind, n, reached_at } of milestones) {
      const name = `${page_id}: the milestone of ${n} ${kind}s`;
      if (n > in_d1[kind]) this.violated("I3", `${name} is in D1 with ${in_d1[kind]} of them`);
      const first = this.#reached.get(name) ?? reached_at;
      this.#reached.set(name, first);
      if (first !== reached_at) this.violated("I4", `${name} moved from ${first} to ${reached_at}`);
    }
  }

  /** I3 at the end: D1 has every milestone that its page has reached. */
  judgeReached(page_id: string, totals: Totals, milestones: readonly Milestone[]): void {
    for (const kind of ["view", "click"] as const) {
      const expected = milestonesUpTo(totals[kind]).join();
      const inD1 = milestones.filter((milestone) => milestone.kind === kind);
      const found = inD1.map(({ n }) => n).join();
      if (found === expected) continue;
      this.violated(
        "I3",
        `${page_id}: of ${totals[kind]} ${kind}s D1 has [${found}], not [${expected}]`,
      );
    }
  }

  /**
   * I1 and I2 of a version's totals: they have what was answered before the version was saved, and
   * nothing that was sent after the page's object had taken it over.
   */
  judgeRevision(
    page_id: string,
    { version, from_ms, until_ms }: { version: number; from_ms: number; until_ms: number },
    totals: Pick<RevisionTotals, "views" | "links"> | null,
  ): void {
    const name = `${page_id} at its version ${version}`;
    if (totals === null) {
      this.violated("I1", `${name} has no totals`);
      return;
    }
    const links = new Map<string, { before: number; sent: number }>();
    for (const { page_id: of_page, link_id, sent_ms, counted } of this.events.values()) {
      if (of_page !== page_id) continue;
      const of = links.get(link_id) ?? { before: 0, sent: 0 };
      if (sent_ms < until_ms) of.sent += 1;
      if (counted !== null && counted.at_ms < from_ms) of.before += 1;
      links.set(link_id, of);
    }
    for (const [link_id, { before, sent }] of links) {
      const n = link_id === "" ? totals.views : (totals.links[link_id] ?? 0);
      const of = `${name}: ${link_id || "views"}`;
      if (n < before) this.violated("I1", `${of}: ${before} were answered before it, noted ${n}`);
      if (n > sent) this.violated("I2", `${of}: ${sent} were sent before it, noted ${n}`);
    }
  }

  /**
   * I1 and I2 of the days in D1: an event counts in the day that had begun last when it arrived.
   *
   * @param days the unix second at which each begins, and its events
   * @param toMs gives the milliseconds of the run for a unix second
   */
  judgeDays(
    page_id: string,
    days: readonly [from_s: number, events: number][],
    toMs: (unix_s: number) => number,
    slack_ms: number,
  ): void {
    const events = [...this.events.values()].filter((event) => event.page_id === page_id);
    for (const [i, [from_s, n]] of days.entries()) {
      const from_ms = toMs(from_s);
      const to_ms = toMs(days[i + 1]?.[0] ?? Number.POSITIVE_INFINITY);
      let least = 0;
      let most = 0;
      for (const { sent_ms, counted } of events) {
        const counted_ms = counted?.at_ms ?? Number.POSITIVE_INFINITY;
        if (sent_ms - slack_ms < to_ms && counted_ms + slack_ms >= from_ms) most += 1;
        const isInside = sent_ms - slack_ms >= from_ms && counted_ms + slack_ms < to_ms;
        if (isInside && counted?.has_origin) least += 1;
      }
      const name = `${page_id}: the day from ${from_s}`;
      if (n < least) this.violated("I1", `${name} has ${n} of ${least} events`);
      if (n > most) this.violated("I2", `${name} has ${n} events, ${most} at most arrived in it`);
    }
  }

  /** D1 was restored to an older point; it may rise again from there. */
  d1Restored(): void {
    this.#highest.clear();
  }

  /** I1 and I2 at the end: every number is between what was acknowledged and what was sent. */
  judgeCounted(page_id: string, { people, limited }: Counted): void {
    const links = new Map<string, { acknowledged: number; sent: number }>();
    for (const event of this.events.values()) {
      if (event.page_id !== page_id) continue;
      const of = links.get(event.link_id) ?? { acknowledged: 0, sent: 0 };
      of.sent += 1;
      if (event.acknowledged) of.acknowledged += 1;
      links.set(event.link_id, of);
    }
    for (const [link_id, { acknowledged, sent }] of links) {
      const n = people.get(link_id) ?? 0;
      const n_limited = limited.get(link_id) ?? 0;
      const refused = this.#refused.get(`${page_id}/${link_id}`) ?? 0;
      const name = `${page_id}/${link_id || "views"}`;
      if (n + n_limited < acknowledged)
        this.violated("I1", `${name}: ${acknowledged} acknowledged, ${n} and ${n_limited} counted`);
      if (n > sent) this.violated("I2", `${name}: ${sent} sent, ${n} counted`);
      if (n_limited > refused)
        this.violated("I2", `${name}: ${refused} refused, ${n_limited} counted as limited`);
    }
    for (const link_id of [...people.keys(), ...limited.keys()]) {
      if (!links.has(link_id)) this.violated("I2", `${page_id}/${link_id} was never sent`);
    }
  }
}
