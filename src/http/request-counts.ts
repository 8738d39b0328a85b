/**
 * Answers by class, refusals by scope, error codes and events by page, for the operators. They go to the
 * monitor with a request that happens anyway, at most every ten seconds, and are lost with the isolate:
 * nobody is paid by these numbers. Where many isolates report, the monitor tells them to report less often.
 */
import { MONITOR } from "../../objects/flush/flush-reports.ts";
import type { IsolateCounts } from "../../objects/monitor/monitor-book.ts";
import { MINUTE_MS, SECOND_MS } from "../../objects/platform/clock.ts";

const PAUSE_MIN_MS = 10 * SECOND_MS;
const PAUSE_MAX_MS = 2 * MINUTE_MS;
const PAGES_MAX = 500;
const PAGES_REPORTED_MAX = 20;

export class RequestCounts {
  /** Answers by the first digit of their status. */
  readonly #classes = new Uint32Array(6);
  readonly #named = new Map<string, number>();
  readonly #pages = new Map<string, number>();
  #reported_at = 0;
  #pause_ms = PAUSE_MIN_MS;

  answered(status: number): void {
    const digit = (status / 100) | 0;
    this.#classes[digit] = (this.#classes[digit] ?? 0) + 1;
  }

  refused(scope: string): void {
    add(this.#named, `refused.${scope}`);
  }

  dropped(n: number): void {
    this.#named.set("events.dropped", (this.#named.get("events.dropped") ?? 0) + n);
  }

  failed(code: string): void {
    add(this.#named, `code.${code}`);
  }

  counted(page_id: string): void {
    if (this.#pages.size < PAGES_MAX || this.#pages.has(page_id)) add(this.#pages, page_id);
  }

  /** Returns what is to be reported now, or null. The counts begin anew. */
  take(now: number): IsolateCounts | null {
    const age_ms = now - this.#reported_at;
    // The clock may have stepped back: then there is a report too.
    if (age_ms >= 0 && age_ms < this.#pause_ms) return null;
    this.#reported_at = now;
    // Holds until there is an answer: a monitor that does not cope gets fewer reports.
    this.#pause_ms = Math.min(PAUSE_MAX_MS, 2 * this.#pause_ms);
    const sample = Object.fromEntries(this.#named);
    for (const [digit, n] of this.#classes.entries()) {
      if (n > 0) sample[`responses.${digit}xx`] = n;
    }
    const busiest = [...this.#pages].sort(([, one], [, other]) => other - one);
    const pages = Object.fromEntries(busiest.slice(0, PAGES_REPORTED_MAX));
    this.#classes.fill(0);
    this.#named.clear();
    this.#pages.clear();
    return { sample, pages };
  }

  /** The monitor wants the next report after `pause_ms`. */
  taken(pause_ms: number): void {
    this.#pause_ms = Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MIN_MS, pause_ms));
  }
}

function add(map: Map<string, number>, name: string): void {
  map.set(name, (map.get(name) ?? 0) + 1);
}

export const requestCounts = new RequestCounts();

/** A report that the monitor does not take is lost: nobody is paid by these numbers. */
export function countAnswer(
  c: {
    env: Cloudflare.Env;
    executionCtx: Pick<ExecutionContext, "waitUntil">;
  },
  status: number,
): void {
  requestCounts.answered(status);
  const counts = requestCounts.take(Date.now());
  if (counts === null) return;
  const { env } = c;
  // An async function, so that a missing binding rejects as well.
  const reporting = (async () => env.MONITOR.getByName(MONITOR).counted(counts))();
  c.executionCtx.waitUntil(reporting.then((ms) => requestCounts.taken(ms)).catch(() => {}));
}
