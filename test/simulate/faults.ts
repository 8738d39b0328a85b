/** The faults: planned by the number of settled events, and done while the clients send. */
import { setTimeout as pause } from "node:timers/promises";
import type { Secret } from "../../src/http/secret.ts";
import { parseSender, senderName } from "../../src/http/sender.ts";
import type { Page } from "../../src/pages/document/pages-store.ts";
import { generator, integer, type Random } from "../random.ts";
import type { Serving } from "../server/serving.ts";
import type { D1Fault } from "./d1-judge.ts";
import { type Edit, makeEdit } from "./edits.ts";
import { PATIENT_ADDRESS } from "./patient.ts";
import { zipf } from "./plan.ts";
import type { Senders } from "./senders.ts";

type Fault =
  | { kind: "kill" }
  | { kind: "outage"; meets: readonly D1Fault[] }
  | { kind: "eviction"; object: "PAGE" | "LIMITER"; name: string }
  | { kind: "edit"; page_id: string; link_id: string | null };

export interface PlannedFault {
  /** Done when so many events are settled … */
  after_events: number;
  /** … and so much later, within the requests under way at that time. */
  delay_ms: number;
  fault: Fault;
}

/** Planned or done. */
export interface FaultCounts {
  kills: number;
  d1_outages: number;
  evictions: number;
  edits: number;
}

/** An interval in which something was down, in milliseconds of `performance.now`. */
export interface Downtime {
  what: "kill" | "outage" | "eviction";
  /** For an eviction: the object's page, or null for a limiter's. */
  page_id: string | null;
  from_ms: number;
  until_ms: number;
}

/**
 * Each outage has two of the three kinds in turn, so that two outages show all three. Each kind lasts until
 * a call has met it.
 */
const OUTAGE_KINDS = ["refuse", "lose reply", "hang"] as const;
const KINDS_PER_OUTAGE = 2;
const OUTAGE_KIND_MS = 2_000;
const OUTAGE_POLL_MS = 500;
const DELAY_MAX_MS = 50;
/** The part of the evictions that is of a heavy sender's limiter in the middle of its window. */
const LIMITER_EVICTIONS = 0.4;
/** Faults are planned within this first part of the events, so that all of them happen under load. */
const FAULTS_UNTIL = 0.97;
/** An outage starts in the first half of its share of the run, so that it ends under load too. */
const OUTAGE_BEGINS = 0.5;
/** Edits are early, to leave time to see that nothing counts any more. */
const EDITS_UNTIL = 0.3;
/** The busiest pages are not edited, because most of the load is theirs. */
export const UNEDITED_PAGES = 2;

/** `count` faults of each kind, each at a random time in its own share of the run. */
export async function planFaults(
  count: FaultCounts,
  events: number,
  pages: readonly Page[],
  senders: Senders,
  sender_key: Secret,
  seed: number,
): Promise<PlannedFault[]> {
  const random = generator(seed ^ 0x5f356495);
  const limiters = await Promise.all(
    [...senders.heavySenders(), parseSender(PATIENT_ADDRESS)].map((sender) =>
      senderName(sender_key, sender),
    ),
  );
  const spread = (n: number, within: number, make: (i: number) => Fault): PlannedFault[] =>
    Array.from({ length: n }, (_, i) => ({
      after_events: Math.floor(((i + within * random()) / n) * FAULTS_UNTIL * events),
      delay_ms: random() * DELAY_MAX_MS,
      fault: make(i),
    }));
  return [
    ...spread(count.kills, 1, () => ({ kind: "kill" })),
    ...spread(count.d1_outages, OUTAGE_BEGINS, (i) => ({
      kind: "outage",
      meets: Array.from(
        { length: KINDS_PER_OUTAGE },
        (_, k) => OUTAGE_KINDS[(i * KINDS_PER_OUTAGE + k) % OUTAGE_KINDS.length] ?? "refuse",
      ),
    })),
    ...spread(count.evictions, 1, () => {
      const limiter = limiters[integer(limiters.length, random)];
      return random() < LIMITER_EVICTIONS && limiter !== undefined
        ? { kind: "eviction", object: "LIMITER", name: limiter }
        : { kind: "eviction", object: "PAGE", name: zipf(pages, random)?.page_id ?? "" };
    }),
    ...planEdits(count.edits, events, pages, random),
  ].sort((a, b) => a.after_events - b.after_events);
}

function planEdits(
  n: number,
  events: number,
  pages: readonly Page[],
  random: Random,
): PlannedFault[] {
  return pages.slice(UNEDITED_PAGES, UNEDITED_PAGES + n).map(({ page_id, links }, i) => ({
    after_events: Math.floor(random() * EDITS_UNTIL * events),
    delay_ms: random() * DELAY_MAX_MS,
    fault: { kind: "edit", page_id, link_id: i % 2 === 0 ? null : (links[0]?.link_id ?? null) },
  }));
}

export class Torture {
  readonly #serving: Serving;
  readonly #isUp: () => Promise<boolean>;
  #outages: Promise<void> = Promise.resolve();
  readonly #editing: Promise<void>[] = [];

  readonly done: FaultCounts = { kills: 0, d1_outages: 0, evictions: 0, edits: 0 };
  readonly edits: Edit[] = [];
  /** The downtimes of all faults, also of those whose call failed. */
  readonly downtimes: Downtime[] = [];
  /** When everything worked again for the last time, in milliseconds of `performance.now`. */
  recovered_ms = 0;

  constructor(serving: Serving, isUp: () => Promise<boolean>) {
    this.#serving = serving;
    this.#isUp = isUp;
  }

  /**
   * Resolves when all faults are over. Faults that are not due when `loading` ends are left out.
   *
   * @param settled returns the number of settled events
   */
  async run(
    faults: readonly PlannedFault[],
    settled: () => number,
    loading: Promise<unknown>,
  ): Promise<void> {
    let over = false;
    const end = () => {
      over = true;
    };
    loading.then(end, end);
    for (const { after_events, delay_ms, fault } of faults) {
      while (settled() < after_events && !over) await pause(5);
      if (settled() < after_events) break;
      await pause(delay_ms);
      if (fault.kind === "kill") await this.#kill();
      else if (fault.kind === "eviction") await this.#evict(fault.object, fault.name);
      else if (fault.kind === "edit") this.#editing.push(this.#edit(fault));
      // Runs in the background: an outage continues while workerd is killed and objects are evicted.
      else this.#outages = this.#outages.then(() => this.#breakD1(fault.meets));
    }
    await Promise.all([this.#outages, ...this.#editing]);
  }

  async #kill(): Promise<void> {
    await this.#down("kill", null, async () => {
      while (!(await this.#serving.call("kill"))) await pause(5);
      this.done.kills += 1;
      // The old process may answer for a moment, because the new one uses the same ports.
      while (!(await this.#isUp())) await pause(10);
    });
  }

  async #evict(object: "PAGE" | "LIMITER", name: string): Promise<void> {
    await this.#down("eviction", object === "PAGE" ? name : null, async () => {
      if (await this.#serving.call("evict", object, name)) this.done.evictions += 1;
    });
  }

  async #breakD1(meets: readonly D1Fault[]): Promise<void> {
    await this.#down("outage", null, async () => {
      for (const fault of meets) {
        const before = await this.#serving.call("brokenD1Calls");
        await this.#serving.call("breakD1", fault);
        await pause(OUTAGE_KIND_MS);
        while ((await this.#serving.call("brokenD1Calls")) === before) {
          // No page had anything to flush. The cron asks D1 in any case, unless workerd is just starting.
          this.#serving.call("deliverEdits", "").catch(() => {});
          await pause(OUTAGE_POLL_MS);
        }
      }
      await this.#serving.call("breakD1", "none");
      this.done.d1_outages += 1;
    });
  }

  async #edit(fault: Pick<Edit, "page_id" | "link_id">): Promise<void> {
    await makeEdit(this.#serving, fault, (edit) => this.edits.push(edit));
    this.done.edits += 1;
  }

  async #down(
    what: Downtime["what"],
    page_id: string | null,
    work: () => Promise<void>,
  ): Promise<void> {
    const from_ms = performance.now();
    await work();
    this.recovered_ms = performance.now();
    this.downtimes.push({ what, page_id, from_ms, until_ms: this.recovered_ms });
  }
}
