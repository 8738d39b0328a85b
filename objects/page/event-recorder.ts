/**
 * EventRecorder: counts a page's events, each durably and once.
 *
 *   record ─▶ countable? (known-page.ts) ─▶ group commit ─▶ journal row ─▶ acknowledged
 */
import type { FlushScheduler } from "../flush/flush-scheduler.ts";
import { GroupCommit } from "../platform/group-commit.ts";
import type { Ports } from "../platform/ports.ts";
import { Transaction } from "../platform/transaction.ts";
import type { JournalEvent, PageEvent, Place, Receipt } from "../tables/event.ts";
import type { PageTables } from "../tables/page-tables.ts";
import type { KnownPage } from "./known-page.ts";

export interface RecorderPorts extends Pick<Ports, "storage" | "clock" | "abort"> {
  /** A function, because the platform may not know the object's name until its first call. */
  pageId: () => string;
  /** Called with the events of each commit, before they are on disk; must not throw. */
  onCounted?: (events: readonly JournalEvent[]) => void;
}

/** The parts of the page that recording works with. */
interface RecorderParts {
  page: KnownPage;
  tables: PageTables;
  flushes: Pick<FlushScheduler<unknown>, "schedule">;
}

type Outcome = "counted" | "duplicate" | "unknown_page";

export class EventRecorder {
  readonly #ports: RecorderPorts;
  readonly #page: KnownPage;
  readonly #tables: PageTables;
  readonly #flushes: RecorderParts["flushes"];
  readonly #events: GroupCommit<PageEvent, Outcome>;

  constructor(ports: RecorderPorts, { page, tables, flushes }: RecorderParts) {
    this.#ports = ports;
    this.#page = page;
    this.#tables = tables;
    this.#flushes = flushes;
    this.#events = new GroupCommit((group) => this.#commit(group), ports.storage);
  }

  /**
   * Counts one event; resolves when it may be acknowledged. Rejects, and counts nothing, if storage
   * fails, or if the link is unknown to the object and D1 does not answer.
   */
  async record(event: PageEvent): Promise<Receipt> {
    const { link_id } = event;
    const place = this.#page.place(link_id) ?? (await this.#lookUp(link_id));
    if ("outcome" in place) return place;
    const outcome = await this.#events.submit(event);
    return outcome === "unknown_page" ? { outcome } : { outcome, url: place.url };
  }

  /**
   * Counts a batch in one commit; events that cannot be counted are left out. Events with a link
   * that D1 must be asked for go into a second commit, so that the others do not wait for D1.
   * Rejects if D1 or storage fails; the other commit may have succeeded.
   */
  async recordAll(events: readonly PageEvent[]): Promise<void> {
    const countable: PageEvent[] = [];
    const unknown: PageEvent[] = [];
    for (const event of events) {
      const place = this.#page.place(event.link_id);
      if (place === undefined) unknown.push(event);
      else if ("url" in place) countable.push(event);
    }
    throwFirst(
      await Promise.allSettled([
        this.#events.submitAll(countable),
        this.#recordAfterLookUp(unknown),
      ]),
    );
  }

  async #recordAfterLookUp(events: readonly PageEvent[]): Promise<void> {
    const places = await Promise.allSettled(events.map(({ link_id }) => this.#lookUp(link_id)));
    const countable = events.filter((_, i) => {
      const place = places[i];
      return place?.status === "fulfilled" && "url" in place.value;
    });
    await this.#events.submitAll(countable);
    throwFirst(places);
  }

  #lookUp(link_id: string): Promise<Place> {
    return this.#page.lookUp(this.#ports.pageId(), link_id);
  }

  /** One group, in one synchronous step: leaves out the duplicates and writes the others. */
  #commit(group: PageEvent[]): Outcome[] {
    if (this.#page.hasEnded) return group.map(() => "unknown_page");
    const fresh = new Map<string, PageEvent>();
    const outcomes = group.map((event): Outcome => {
      if (this.#tables.has(event.key) || fresh.has(event.key)) return "duplicate";
      fresh.set(event.key, event);
      return "counted";
    });
    if (fresh.size > 0) this.#append([...fresh.values()]);
    return outcomes;
  }

  #append(events: readonly PageEvent[]): void {
    const now = this.#ports.clock.now();
    Transaction.run(this.#ports, (tx) => {
      const journaled = this.#tables.append(tx, events, now, this.#page);
      tx.afterCommit(() => {
        this.#flushes.schedule(now, this.#tables.isJournalFull);
        this.#ports.onCounted?.(journaled);
      });
    });
  }
}

/** Throws the first error of promises that have all settled. */
function throwFirst(results: readonly PromiseSettledResult<unknown>[]): void {
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
