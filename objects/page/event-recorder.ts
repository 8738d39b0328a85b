/**
 * EventRecorder: counts a page's events, each durably and once.
 *
 *   record ─▶ countable? (known-page.ts) ─▶ group commit ─▶ journal row ─▶ acknowledged
 */
import { createHash } from "node:crypto";
import type { Conversion } from "../events/conversion.ts";
import type { JournalEvent, PageEvent, Place, Receipt } from "../events/event.ts";
import { PackedEvents, packEvents } from "../events/packed-events.ts";
import type { FlushScheduler } from "../flush/flush-scheduler.ts";
import { KEY_BYTES } from "../keys/key-list.ts";
import { KeyTable } from "../keys/key-table.ts";
import { GroupCommit } from "../platform/group-commit.ts";
import type { Ports } from "../platform/ports.ts";
import { Transaction } from "../platform/transaction.ts";
import type { KnownPage } from "./known-page.ts";
import type { PageTables } from "./tables/page-tables.ts";

export interface RecorderPorts extends Pick<Ports, "storage" | "clock" | "abort"> {
  /** A function, because the platform may not know the object's name until its first call. */
  pageId: () => string;
  /** Called with the events of each commit, before they are on disk; must not throw. */
  onCounted?: (events: readonly JournalEvent[]) => void;
}

interface RecorderParts {
  page: KnownPage;
  tables: PageTables;
  flushes: Pick<FlushScheduler, "schedule" | "scheduleDue">;
}

type Outcome = "counted" | "duplicate" | "unknown_page";

/** D1 must be asked about this event first, and it is not alone in its batch. */
const UNSETTLED = { outcome: "unsettled" } as const;

export class EventRecorder {
  readonly #ports: RecorderPorts;
  readonly #page: KnownPage;
  readonly #tables: PageTables;
  readonly #flushes: RecorderParts["flushes"];
  readonly #batches: GroupCommit<PackedEvents, Outcome[]>;

  constructor(ports: RecorderPorts, { page, tables, flushes }: RecorderParts) {
    this.#ports = ports;
    this.#page = page;
    this.#tables = tables;
    this.#flushes = flushes;
    this.#batches = new GroupCommit(
      (group) => this.#commit(group),
      ports.storage,
      ({ length }) => length,
    );
  }

  /**
   * Counts a batch; resolves with the receipts in the order of the events when they may be
   * acknowledged. Rejects, and counts nothing, if storage fails, or if the link of a single event
   * is unknown to the object and D1 does not answer. In a larger batch such an event is
   * `unsettled`, so that the others do not wait for D1.
   */
  async record(batch: PackedEvents): Promise<Receipt[]> {
    const places = this.#places(batch);
    if (batch.length === 1 && places[0] === undefined)
      places[0] = await this.#lookUp(batch.linkId(0));
    let countable = 0;
    for (let i = 0; i < batch.length; i += 1) {
      if (isCountable(places[i])) countable += 1;
      else batch.drop(i);
    }
    const outcomes = countable === 0 ? [] : await this.#batches.submit(batch);
    return receiptsOf(places, outcomes);
  }

  /**
   * Needs no receipts: leaves out events that cannot be counted. Events whose link D1 must be asked
   * for go into further commits. Rejects if D1 or storage fails; other commits may have succeeded.
   */
  async recordAll(events: readonly PageEvent[]): Promise<void> {
    const isKnown = ({ link_id }: PageEvent) => this.#page.place(link_id) !== undefined;
    const unknown = events.filter((event) => !isKnown(event)).map((event) => [event]);
    const batches = [events.filter(isKnown), ...unknown].filter(({ length }) => length > 0);
    const recording = batches.map((batch) => this.record(PackedEvents.read(packEvents(batch))));
    throwFirst(await Promise.allSettled(recording));
  }

  /**
   * Counts each conversion as one click of its link, once for ever by its id, whatever has become
   * of the link; resolves when that is durable. A page that has ended counts none. Rejects, and
   * must be repeated, if storage fails, or if the object does not know the page and D1 fails or
   * lacks it.
   */
  async convert(conversions: readonly Conversion[]): Promise<void> {
    const { storage, clock } = this.#ports;
    await this.#page.whenKnown(this.#ports.pageId());
    // This check comes after the wait, in one synchronous step with the writes.
    if (this.#page.hasEnded) return;
    const now = clock.now();
    Transaction.run(this.#ports, (tx) => {
      const events = this.#tables.convert(tx, conversions, packConversions, now, this.#page);
      if (events.length === 0) return;
      tx.afterCommit(() => {
        // An owner hears of a tip at once.
        const { conversions, isJournalFull } = this.#tables;
        this.#flushes.schedule(now, conversions.isDirty || isJournalFull);
        this.#flushes.scheduleDue(now);
        this.#ports.onCounted?.(events);
      });
    });
    await storage.sync();
  }

  #places(batch: PackedEvents): (Place | undefined)[] {
    const known = new Map<string, Place | undefined>();
    const places: (Place | undefined)[] = [];
    for (let i = 0; i < batch.length; i += 1) {
      const link_id = batch.linkId(i);
      if (!known.has(link_id)) known.set(link_id, this.#page.place(link_id));
      places.push(known.get(link_id));
    }
    return places;
  }

  #lookUp(link_id: string): Promise<Place> {
    return this.#page.lookUp(this.#ports.pageId(), link_id);
  }

  /** Decides and writes in one synchronous step. */
  #commit(group: PackedEvents[]): Outcome[][] {
    const { hasEnded } = this.#page;
    const fresh = new KeyTable();
    const outcomes = group.map((batch) =>
      Array.from({ length: batch.length }, (_, i): Outcome => {
        if (hasEnded || batch.isDropped(i)) return "unknown_page";
        const { high, low } = batch.key(i);
        if (!this.#tables.has(high, low) && fresh.add(high, low)) return "counted";
        batch.drop(i);
        return "duplicate";
      }),
    );
    if (fresh.size > 0) this.#append(group);
    return outcomes;
  }

  #append(batches: readonly PackedEvents[]): void {
    const now = this.#ports.clock.now();
    Transaction.run(this.#ports, (tx) => {
      const events = this.#tables.append(tx, batches, now, this.#page);
      tx.afterCommit(() => {
        this.#flushes.schedule(now, this.#tables.isJournalFull);
        this.#ports.onCounted?.(events);
      });
    });
  }
}

function packConversions(conversions: readonly Conversion[]): PackedEvents {
  const events = conversions.map(({ id, link_id, class: class_, origin }) => ({
    key: createHash("sha256")
      .update(`conversion\n${id}`)
      .digest("hex")
      .slice(0, 2 * KEY_BYTES),
    link_id,
    class: class_,
    visitor: null,
    origin,
  }));
  return PackedEvents.read(packEvents(events));
}

function isCountable(place: Place | undefined): boolean {
  return place !== undefined && "url" in place;
}

/** Equal receipts are one object, which the serializer of the call writes only once. */
function receiptsOf(
  places: readonly (Place | undefined)[],
  outcomes: readonly Outcome[],
): Receipt[] {
  const receipts = new Map<string, Receipt>();
  return places.map((place, i) => {
    if (place === undefined) return UNSETTLED;
    const outcome = "url" in place ? outcomes[i] : place.outcome;
    if (outcome === undefined) throw new Error("the commit left an event without an outcome");
    if (!("url" in place) || outcome === "unknown_page") return { outcome } as Receipt;
    const name = `${outcome} ${place.url}`;
    const known = receipts.get(name) ?? ({ outcome, url: place.url } as Receipt);
    receipts.set(name, known);
    return known;
  });
}

function throwFirst(results: readonly PromiseSettledResult<unknown>[]): void {
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
