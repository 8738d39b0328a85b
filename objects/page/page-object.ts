/**
 * PageObject: the Durable Object of one page. Keyed by `page_id`.
 *
 * The counting is in `page-counter.ts`, what watchers are told in `live.ts`; here they get their storage, clock, D1,
 * name and sockets from the platform.
 */
import { type Connection, Server } from "partyserver";
import { flushIntervalMs } from "../flush/flush-interval.ts";
import type { SweepResult } from "../flush/flush-scheduler.ts";
import { MINUTE_MS } from "../platform/clock.ts";
import { logError } from "../platform/log.ts";
import { systemClock } from "../platform/ports.ts";
import type { PageEvent, Receipt } from "../tables/event.ts";
import type { Total } from "../tables/tallies.ts";
import { LIVE_EXPIRED } from "./close-code.ts";
import { LiveFeed, type LiveUpdate } from "./live.ts";
import { PageCounter } from "./page-counter.ts";
import type { PageSnapshot } from "./page-snapshot.ts";

/**
 * How long a watcher is told anything after it was let in, in milliseconds. Then it comes again, through
 * the router, which knows whether it still may: an object knows nothing of sessions.
 */
export const WATCH_MS = 5 * MINUTE_MS;

/** What survives with a socket while its object sleeps. */
interface Watch {
  /** Unix milliseconds. */
  until: number;
}

export class PageObject extends Server<Cloudflare.Env> {
  static override options = { hibernate: true };

  readonly #counter: PageCounter;
  readonly #live: LiveFeed;
  /** Whether there may be watchers. Sockets outlive the object's sleep; nothing in memory does. */
  #watched: boolean;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.#watched = ctx.getWebSockets().length > 0;
    this.#live = new LiveFeed({
      clock: systemClock,
      totals: () => this.#counter.totals(),
      isWatched: () => this.#isWatched(),
      send: (message) => this.#show(() => this.#broadcast(message)),
    });
    // Answered by the platform, while the object sleeps: how a page finds out that its line is dead.
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    this.#counter = new PageCounter({
      storage: ctx.storage,
      db: env.DB,
      clock: systemClock,
      random: Math.random,
      pageId: () => this.name,
      flush_interval_ms: flushIntervalMs(env.FLUSH_SECONDS),
      abort: (reason) => ctx.abort(reason),
      counted: (events) => this.#show(() => this.#live.counted(events)),
      onFlushFailed: (error) => this.#log("flush_failed", error),
    });
    void ctx.blockConcurrencyWhile(() => this.#counter.ready());
  }

  /** Counts one event, durably and once; see `PageCounter.record`. */
  record(event: PageEvent): Promise<Receipt> {
    return this.#counter.record(event);
  }

  /**
   * Counts what one router refused and handed over as numbers: events of class `limited` that stand for many.
   * Each is counted if it can be, whatever becomes of the others.
   */
  async recordLimited(events: readonly PageEvent[]): Promise<void> {
    const counting = await Promise.allSettled(events.map((event) => this.#counter.record(event)));
    const failed = counting.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  /** The page was changed in D1: reads anew what can be counted. Rejects if D1 fails. */
  changed(): Promise<void> {
    return this.#counter.changed();
  }

  /** Ends the page for good; see `PageCounter.end`. */
  async end(): Promise<void> {
    try {
      await this.#counter.end();
    } finally {
      this.#live.forget();
      this.disconnectWatchers();
    }
  }

  /** Lifetime totals by kind, link and class: accepted, of that flushed, of that pending. */
  totals(): Total[] {
    return this.#counter.totals();
  }

  /** Lifetime totals and how far D1 is; see `PageSnapshot`. */
  snapshot(): Promise<PageSnapshot> {
    return this.#counter.snapshot();
  }

  /** Which of these event keys were accepted within the last hour, in their order. */
  remembers(keys: readonly string[]): boolean[] {
    return this.#counter.remembers(keys);
  }

  /** Brings D1 up to date with all that was acknowledged before the call. Rejects if D1 fails. */
  flush(): Promise<void> {
    return this.#counter.flush();
  }

  /** For the cron sweep: mends what was lost, and answers whether it had to; rolls old hours into days. */
  sweep(): Promise<SweepResult> {
    return this.#counter.sweep();
  }

  /** Sends every watcher back to the router. */
  disconnectWatchers(): void {
    for (const connection of this.getConnections<Watch>()) close(connection);
  }

  override onAlarm(): Promise<void> {
    return this.#counter.onAlarm();
  }

  /** A watcher, whom the router let in: from now on it sees every number move. */
  override onConnect(connection: Connection<Watch>): void {
    this.#watched = true;
    connection.setState({ until: Date.now() + WATCH_MS });
    try {
      send(connection, this.#live.state());
    } catch (error) {
      // Thrown on, the framework would send it to the watcher, stack and all.
      this.#log("live_failed", error);
      close(connection);
    }
  }

  /** Lines break all the time; whoever was on it comes again. */
  override onError(): void {}

  /** The platform is asked only while there was a watcher a moment ago: most pages have none. */
  #isWatched(): boolean {
    this.#watched &&= this.ctx.getWebSockets().length > 0;
    return this.#watched;
  }

  #broadcast(message: LiveUpdate): void {
    for (const connection of this.getConnections<Watch>()) {
      if (Date.now() < (connection.state?.until ?? 0)) send(connection, message);
      else close(connection);
    }
  }

  /** What was counted is counted, whether or not it can be shown. */
  #show(work: () => void): void {
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

/** A line that is about to close must not hinder the others. */
function send(connection: Connection<Watch>, message: LiveUpdate): void {
  try {
    connection.send(JSON.stringify(message));
  } catch {
    // It closes by itself.
  }
}

function close(connection: Connection<Watch>): void {
  try {
    connection.close(LIVE_EXPIRED, "come again");
  } catch {
    // It is closed.
  }
}
