/**
 * Many pages and a D1 that is too slow for them, or full, in virtual time: the objects' own code
 * (`PageCounter` with its ledger, scheduler and alarm) on simulated disks, and one D1 for all.
 * Objects lose their memory after ten idle seconds, as on the platform.
 */

import { packEvents } from "../../objects/events/packed-events.ts";
import type { PageCounter } from "../../objects/page/page-counter.ts";
import type { Database } from "../../objects/platform/ports.ts";
import { SimulatedD1 } from "../model/d1.ts";
import { Host } from "../model/host.ts";
import { Scheduler } from "../model/scheduler.ts";
import { generator } from "../random.ts";
import { BusyD1, type Capacity } from "./busy-d1.ts";

const SECOND_MS = 1_000;
/** The default of FLUSH_SECONDS. */
export const INTERVAL_MS = 60 * SECOND_MS;
const IDLE_MS = 10 * SECOND_MS;
/** Further than any alarm of a page without events. */
const SETTLE_MS = 2 * INTERVAL_MS;
const FLOOD = 1_000;

export interface StormOptions extends Capacity {
  pages: number;
  seed: number;
  /** The code under test: the project's own, or a copy that was broken on purpose. */
  Counter: typeof PageCounter;
}

/** One event: when it was acknowledged, and when D1 had it. Milliseconds of the run. */
interface Counted {
  at_ms: number;
  in_d1_ms: number | null;
}

class StormPage {
  readonly events: Counted[] = [];
  readonly host: Host<PageCounter>;
  in_d1 = 0;
  readonly flushed_ms: number[] = [];

  constructor(host: Host<PageCounter>) {
    this.host = host;
  }
}

export class Storm {
  readonly scheduler: Scheduler;
  readonly busy: BusyD1;
  readonly pages: StormPage[] = [];
  readonly violations: string[] = [];
  readonly #d1: SimulatedD1;
  readonly #random;
  #keys = 0;

  constructor({ pages, seed, Counter, ...capacity }: StormOptions) {
    const random = generator(seed);
    const scheduler = new Scheduler(random);
    this.#random = random;
    this.scheduler = scheduler;
    this.busy = new BusyD1(scheduler, capacity);
    const nothing = () => {};
    const world = {
      scheduler,
      random,
      latency: () => 5 + 20 * random(),
      commitDelay: () => 2,
      writeFails: () => false,
      alarmRunsTwice: () => false,
      hit: nothing,
      trace: nothing,
      d1Mood: () => "well" as const,
      d1Written: nothing,
      truth: { read: nothing, restored: nothing },
    };
    this.#d1 = new SimulatedD1(world);
    for (let i = 0; i < pages; i += 1) {
      const page_id = `p${i}`;
      this.#d1.insertPage(page_id);
      const page: StormPage = new StormPage(
        new Host<PageCounter>(page_id, world, (ports, self) => {
          const isAlive = self.life();
          return new Counter({
            ...ports,
            db: this.#connect(page_id, page, isAlive, () => ports.storage.sync()),
            pageId: () => page_id,
            // As of pages that somebody looks at: the others wait for an hour, spread over 15 minutes.
            flush_interval_ms: INTERVAL_MS,
            quiet_interval_ms: INTERVAL_MS,
            onFlushFailed: nothing,
          });
        }),
      );
      this.pages.push(page);
    }
    const evict = () => {
      for (const { host } of this.pages) host.evict();
      scheduler.after(IDLE_MS, evict);
    };
    evict();
  }

  /** Each page has counted and flushed before, and rests. */
  async settle(): Promise<void> {
    for (const page of this.pages)
      this.scheduler.after(this.#random() * INTERVAL_MS, () => this.count(page));
    await this.run(SETTLE_MS + INTERVAL_MS);
    this.busy.restart();
  }

  /** A view of this page, which must be acknowledged whatever D1 does. */
  count(page: StormPage): void {
    const event = this.#view();
    const began_ms = this.scheduler.now_ms;
    page.host
      .call((counter) => counter.record(event))
      .then(
        ({ outcome }) => {
          if (outcome !== "counted") this.violations.push(`I1: an event was ${outcome}`);
          else page.events.push({ at_ms: began_ms, in_d1_ms: null });
        },
        (error) => this.violations.push(`I1: an event was refused: ${error}`),
      );
  }

  flood(page: StormPage): void {
    const began_ms = this.scheduler.now_ms;
    const events = Array.from({ length: FLOOD }, () => this.#view());
    page.host
      .call((counter) => counter.recordBatch(packEvents(events)))
      .then(
        (receipts) => {
          for (const { outcome } of receipts) {
            if (outcome === "counted") page.events.push({ at_ms: began_ms, in_d1_ms: null });
            else this.violations.push(`I1: an event was ${outcome}`);
          }
        },
        (error) => this.violations.push(`I1: events were refused: ${error}`),
      );
  }

  #view() {
    this.#keys += 1;
    const key = this.#keys.toString(16).padStart(16, "0");
    return { key, link_id: "", class: "human", visitor: null, origin: null } as const;
  }

  journalRows(page: StormPage): number {
    const { sql } = page.host.disk.open(
      () => true,
      () => false,
    );
    return Number(sql.exec("SELECT COUNT(*) AS n FROM journal").toArray()[0]?.n);
  }

  everyPage(): void {
    for (const page of this.pages)
      this.scheduler.after(this.#random() * SECOND_MS, () => this.count(page));
  }

  /** These pages count every `gap_ms`, more or less, until `until_ms` of the run. */
  keepCounting(pages: readonly StormPage[], gap_ms: number, until_ms: number): void {
    for (const page of pages) {
      const again = () => {
        if (this.scheduler.now_ms >= until_ms) return;
        this.count(page);
        this.scheduler.after(gap_ms * (0.5 + this.#random()), again);
      };
      this.scheduler.after(gap_ms * this.#random(), again);
    }
  }

  async run(ms: number, done: () => boolean = () => false): Promise<void> {
    await this.scheduler.run(this.scheduler.now_ms + ms, done);
  }

  get waiting(): number {
    return this.pages.filter((page) => page.in_d1 < page.events.length).length;
  }

  /** I1 and I3: D1 has of every page exactly what was acknowledged. */
  judge(): string[] {
    for (const page of this.pages) {
      const in_d1 = this.#d1.counted(page.host.name);
      if (in_d1 !== page.events.length) {
        this.violations.push(`I3: D1 has ${in_d1} of ${page.events.length} of ${page.host.name}`);
      }
    }
    return this.violations;
  }

  close(): void {
    this.#d1.close();
    for (const { host } of this.pages) host.disk.close();
  }

  #connect(
    page_id: string,
    page: StormPage,
    isAlive: () => boolean,
    gate: () => Promise<void>,
  ): Database {
    const db = this.#d1.connect(page_id, (send) => send(isAlive), gate);
    return this.busy.before(db, () => {
      const now_ms = this.scheduler.now_ms;
      page.flushed_ms.push(now_ms);
      page.in_d1 = this.#d1.counted(page_id);
      for (let i = Math.min(page.in_d1, page.events.length) - 1; i >= 0; i -= 1) {
        const event = page.events[i] as Counted;
        if (event.in_d1_ms !== null) break;
        event.in_d1_ms = now_ms;
      }
    });
  }
}

/** The value below which this part of the numbers lies. */
export function quantile(numbers: readonly number[], part: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}
