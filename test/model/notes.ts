/**
 * What the clients of a run write down, and what must hold of it: the invariants I1–I5 of FAULTS.md.
 * Every event but the views has a link of its own, so that the numbers of the links are the set of what
 * was counted, and nothing of the objects' insides has to be believed.
 */
import { type Milestone, milestonesUpTo, type Totals } from "../../objects/milestones.ts";

export interface SentEvent {
  /** 16 hex digits. */
  key: string;
  page_id: string;
  /** `''` for a view. */
  link_id: string;
  /** When it was first sent, in milliseconds of the run. */
  first_ms: number;
  acknowledged: boolean;
}

/** One request as the sender saw it, in milliseconds of the run. */
interface Admission {
  asked_ms: number;
  /** When the answer came; Infinity while it has not. */
  answered_ms: number;
  admitted: boolean | null;
}

const WINDOW_MS = 60_000;

export class Notes {
  readonly events = new Map<string, SentEvent>();
  readonly violations: string[] = [];
  readonly #requests = new Map<string, Admission[]>();
  readonly #highest = new Map<string, number>();
  /** When each milestone was reached, as D1 said it first. */
  readonly #reached = new Map<string, number>();

  violated(rule: string, what: string): void {
    this.violations.push(`${rule}: ${what}`);
  }

  /** An event that was acknowledged before the run began. */
  counted(key: string, page_id: string, link_id: string): void {
    this.events.set(key, { key, page_id, link_id, first_ms: 0, acknowledged: true });
  }

  answered(event: SentEvent, outcome: string): void {
    if (outcome === "counted" && event.acknowledged) {
      this.violated("I2", `${event.key} on ${event.link_id || "views"} was counted twice`);
    }
    event.acknowledged = true;
  }

  asked(sender: string, asked_ms: number): Admission {
    const request: Admission = { asked_ms, answered_ms: Number.POSITIVE_INFINITY, admitted: null };
    const requests = this.#requests.get(sender) ?? [];
    this.#requests.set(sender, requests);
    requests.push(request);
    return request;
  }

  /** I5 against the senders' own notes: only what is certain is called a violation. */
  judgeLimit(limit: number, clockSteps_ms: readonly number[]): void {
    const forward = clockSteps_ms.some((ms) => ms > 0);
    for (const [sender, requests] of this.#requests) {
      const admitted = requests.filter((request) => request.admitted);
      for (const first of admitted) {
        const inside = admitted.filter(
          ({ asked_ms, answered_ms }) =>
            asked_ms >= first.asked_ms && answered_ms < first.asked_ms + WINDOW_MS,
        );
        // A clock that jumps forward lets a window end early, once.
        if (inside.length > (forward ? 2 * limit : limit)) {
          this.violated("I5", `${inside.length} of ${limit} admitted for ${sender} within 60 s`);
          break;
        }
      }
      // By a clock that steps back, a window lasts longer than its 60 s.
      if (clockSteps_ms.length > 0) continue;
      for (const refused of requests.filter((request) => request.admitted === false)) {
        const before = requests.filter(
          ({ admitted, asked_ms, answered_ms }) =>
            admitted !== false &&
            asked_ms < refused.answered_ms &&
            answered_ms > refused.asked_ms - WINDOW_MS,
        );
        if (before.length >= limit) continue;
        this.violated("I5", `${sender} was refused with ${before.length} of ${limit} in 60 s`);
        break;
      }
    }
  }

  /** I3 and I4 after each write to D1: never above the objects, never falling. */
  judgeD1(page_id: string, in_d1: number): void {
    const sent = [...this.events.values()].filter((event) => event.page_id === page_id).length;
    if (in_d1 > sent) this.violated("I3", `D1 says ${in_d1} for ${page_id}, sent were ${sent}`);
    const highest = this.#highest.get(page_id) ?? 0;
    if (in_d1 < highest) this.violated("I4", `${page_id} fell from ${highest} to ${in_d1}`);
    this.#highest.set(page_id, Math.max(highest, in_d1));
  }

  /** After each write to D1: no milestone before its time, and each with the time it had at first. */
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

  /** D1 was restored to an older point; it may rise again from there. */
  d1Restored(): void {
    this.#highest.clear();
  }

  /** I1 and I2 at the end: what was counted lies between what was acknowledged and what was sent. */
  judgeCounted(page_id: string, counted: ReadonlyMap<string, number>): void {
    const links = new Map<string, { acknowledged: number; sent: number }>();
    for (const event of this.events.values()) {
      if (event.page_id !== page_id) continue;
      const of = links.get(event.link_id) ?? { acknowledged: 0, sent: 0 };
      of.sent += 1;
      if (event.acknowledged) of.acknowledged += 1;
      links.set(event.link_id, of);
    }
    for (const [link_id, { acknowledged, sent }] of links) {
      const n = counted.get(link_id) ?? 0;
      const name = `${page_id}/${link_id || "views"}`;
      if (n < acknowledged)
        this.violated("I1", `${name}: ${acknowledged} acknowledged, ${n} counted`);
      if (n > sent) this.violated("I2", `${name}: ${sent} sent, ${n} counted`);
    }
    for (const link_id of counted.keys()) {
      if (!links.has(link_id)) this.violated("I2", `${page_id}/${link_id} was never sent`);
    }
  }
}
