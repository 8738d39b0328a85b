/** PageObject: the Durable Object of one page, keyed by `page_id`. */
import { type Connection, Server } from "partyserver";
import type { LinkDownloads } from "../events/announced.ts";
import type { Conversion } from "../events/conversion.ts";
import type { PageEvent, Receipt } from "../events/event.ts";
import { flushIntervalMs, quietIntervalMs } from "../flush/flush-interval.ts";
import { FlushReports, MONITOR } from "../flush/flush-reports.ts";
import type { SweepResult } from "../flush/flush-scheduler.ts";
import { MINUTE_MS } from "../platform/clock.ts";
import { armLoaded, dumpObject, loadObject } from "../platform/dump.ts";
import { logError } from "../platform/log.ts";
import { portsOf, systemClock } from "../platform/ports.ts";
import { LIVE_EXPIRED } from "./close-code.ts";
import { statsDatabases } from "./home/databases.ts";
import { LiveFeed, type LiveUpdate } from "./live.ts";
import { PageCounter, type PageMemory } from "./page-counter.ts";
import type { PageSnapshot } from "./page-snapshot.ts";
import type { PeopleTotals, RevisionTotals } from "./tables/revisions.ts";
import type { Total } from "./tables/tallies.ts";

/** Then a watcher has to reconnect through the router, which checks the session. */
export const WATCH_MS = 5 * MINUTE_MS;

/** Stored with a socket while its object hibernates. */
interface Watch {
  until: number;
}

export class PageObject extends Server<Cloudflare.Env> {
  static override options = { hibernate: true };

  readonly #counter: PageCounter;
  readonly #live: LiveFeed;
  /** Whether there may be watchers. Sockets survive hibernation; memory does not. */
  #watched: boolean;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.#watched = ctx.getWebSockets().length > 0;
    this.#live = new LiveFeed({
      clock: systemClock,
      totals: () => this.#counter.totals(),
      visitors: (at_ms) => this.#counter.visitorsAt(at_ms),
      present: (at_ms) => this.#counter.presentAt(at_ms),
      tips: () => this.#counter.tipTotals(),
      subscribers: () => this.#counter.blockNumbers("subscribers")?.n ?? 0,
      downloads: () => this.#counter.blockNumbers("downloads"),
      isWatched: () => this.#isWatched(),
      send: (update) => this.#runLive(() => this.#broadcast(update)),
    });
    // The platform answers while the object hibernates, so the client can detect a dead connection.
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    const flush_interval_ms = flushIntervalMs(env.FLUSH_SECONDS);
    const reports = new FlushReports(ctx.storage.kv, (report) =>
      env.MONITOR.getByName(MONITOR).flushed({ page_id: this.name, ...report }),
    );
    this.#counter = new PageCounter({
      ...portsOf(ctx),
      db: env.DB,
      stats: statsDatabases(env),
      pageId: () => this.name,
      flush_interval_ms,
      quiet_interval_ms: quietIntervalMs(env.QUIET_FLUSH_SECONDS, flush_interval_ms),
      isWatched: () => this.#isWatched(),
      onCounted: (events) => this.#runLive(() => this.#live.counted(events)),
      onFlushFailed: (error, interval_ms) => {
        this.#log("flush_failed", error);
        reports.failed(this.#counter.waitsSince + interval_ms, error, Date.now());
      },
      onFlushed: () => reports.succeeded(),
      sendNews: (batch) => env.WEBHOOKS.getByName(this.name).take(batch),
      onNewsFailed: (error) => this.#log("webhook_send_failed", error),
      onAdopted: (events) => {
        this.#log("object_was_behind", `D1 had ${events} events that this object had lost`);
        return env.MONITOR.getByName(MONITOR).counted({
          sample: { "events.adopted": events },
          pages: {},
        });
      },
    });
    void ctx.blockConcurrencyWhile(() => this.#counter.ready());
  }

  record(event: PageEvent): Promise<Receipt> {
    return this.#counter.record(event);
  }

  recordBatch(events: Uint8Array<ArrayBuffer>): Promise<Receipt[]> {
    return this.#counter.recordBatch(events);
  }

  /** One router reports what it refused in a second: for each link an event with the number. */
  recordLimited(events: readonly PageEvent[]): Promise<void> {
    return this.#counter.recordAll(events);
  }

  /** Resolves when it is durable, also for a page that has ended, which counts none. */
  convert(conversions: readonly Conversion[]): Promise<void> {
    return this.#counter.convert(conversions);
  }

  /** The larger version is the newer one, here and in the next two. */
  subscribersAre(n: number, version: number): Promise<void> {
    return this.#counter.announced("subscribers", { n, version });
  }

  downloadsAre(links: LinkDownloads[], version: number): Promise<void> {
    return this.#counter.announced("downloads", { links, version });
  }

  /** `types` are the events that endpoints of this page want. */
  webhooksAre(types: string[], version: number): Promise<void> {
    return this.#counter.announced("webhooks", { types, version });
  }

  changed(): Promise<void> {
    return this.#counter.changed();
  }

  async end(): Promise<void> {
    try {
      await this.#counter.end();
    } finally {
      this.#live.forget();
      this.disconnectWatchers();
    }
  }

  revisionTotals(versions: readonly number[]): Promise<(RevisionTotals | null)[]> {
    return this.#counter.revisionTotals(versions);
  }

  peopleTotals(): PeopleTotals & { at: number } {
    return this.#counter.peopleTotals();
  }

  totals(): Total[] {
    return this.#counter.totals();
  }

  look(): Promise<string[]> {
    return this.#counter.look();
  }

  statsNames(): string[] {
    return this.#counter.statsNames();
  }

  snapshot(): Promise<PageSnapshot> {
    return this.#counter.snapshot();
  }

  remembers(keys: readonly string[]): boolean[] {
    return this.#counter.remembers(keys);
  }

  flush(): Promise<void> {
    return this.#counter.flush();
  }

  sweep(): Promise<SweepResult> {
    return this.#counter.sweep();
  }

  /** Serves the comparison with D1. */
  memory(): PageMemory {
    return this.#counter.memory();
  }

  /** Clients whose session is still valid reconnect. */
  disconnectWatchers(): void {
    for (const connection of this.getConnections<Watch>()) close(connection);
  }

  dump(): Promise<ReadableStream<Uint8Array>> {
    return dumpObject(this.ctx.storage);
  }

  load(lines: ReadableStream<Uint8Array> | null, sha256: string): Promise<boolean> {
    return loadObject(this.ctx, lines, sha256);
  }

  arm(alarm_ms: number): Promise<void> {
    return armLoaded(this.ctx.storage, alarm_ms);
  }

  override onAlarm(): Promise<void> {
    return this.#counter.onAlarm();
  }

  override onConnect(connection: Connection<Watch>): void {
    this.#watched = true;
    connection.setState({ until: Date.now() + WATCH_MS });
    try {
      send(connection, this.#live.state());
    } catch (error) {
      // The framework would send an error that is thrown here to the watcher, with its stack.
      this.#log("live_failed", error);
      close(connection);
    }
  }

  /** Connections break all the time, and clients reconnect: nothing to log. */
  override onError(): void {}

  /** Asks the platform only if there was a watcher the last time: most pages have none. */
  #isWatched(): boolean {
    this.#watched &&= this.ctx.getWebSockets().length > 0;
    return this.#watched;
  }

  #broadcast(update: LiveUpdate): void {
    for (const connection of this.getConnections<Watch>()) {
      if (Date.now() < (connection.state?.until ?? 0)) send(connection, update);
      else close(connection);
    }
  }

  /** An event is counted even if its update fails. */
  #runLive(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#log("live_failed", error);
    }
  }

  #log(event: string, error: unknown): void {
    logError(event, { page_id: this.name }, error);
  }
}

/** A connection that is closing must not keep the others from their update. */
function send(connection: Connection<Watch>, update: LiveUpdate): void {
  try {
    connection.send(JSON.stringify(update));
  } catch {
    // It is closing anyway.
  }
}

function close(connection: Connection<Watch>): void {
  try {
    connection.close(LIVE_EXPIRED, "reconnect");
  } catch {
    // It is closed already.
  }
}
