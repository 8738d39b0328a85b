/** ErrorLog: the object that counts error reports, keyed by the first digit of a fingerprint. */
import { flushIntervalMs } from "../flush/flush-interval.ts";
import type { SweepResult } from "../flush/flush-scheduler.ts";
import { logError } from "../platform/log.ts";
import { MovableObject } from "../platform/movable-object.ts";
import { portsOf } from "../platform/ports.ts";
import { ErrorCounter } from "./error-counter.ts";
import type { Report, ReportOutcome } from "./error-report.ts";

export class ErrorLog extends MovableObject {
  readonly #counter: ErrorCounter;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.#counter = new ErrorCounter({
      ...portsOf(ctx),
      db: env.DB,
      flush_interval_ms: flushIntervalMs(env.FLUSH_SECONDS),
      onFlushFailed: (error) => logError("flush_failed", { error_log: ctx.id.name }, error),
    });
    void ctx.blockConcurrencyWhile(() => this.#counter.ready());
  }

  report(report: Report): Promise<ReportOutcome> {
    return this.#counter.report(report);
  }

  flush(): Promise<void> {
    return this.#counter.flush();
  }

  sweep(): Promise<SweepResult> {
    return this.#counter.sweep();
  }

  override alarm(): Promise<void> {
    return this.#counter.onAlarm();
  }
}
