/**
 * ErrorCounter: counts error reports exactly, by group (`error-groups.ts`).
 *
 * Nothing is kept in memory, so nothing is lost with it. A group commit writes one row for each
 * error group that it touches: a storm of one error costs a row per commit, and a row of D1 per
 * flush.
 */
import { type FlushPorts, FlushScheduler, type SweepResult } from "../flush/flush-scheduler.ts";
import { GroupCommit } from "../platform/group-commit.ts";
import { hasTables, migrate } from "../platform/schema.ts";
import { ErrorGroups } from "./error-groups.ts";
import type { Report, ReportOutcome } from "./error-report.ts";
import { ERROR_STEPS } from "./error-schema.ts";

export class ErrorCounter {
  readonly #ports: FlushPorts;
  readonly #groups: ErrorGroups;
  readonly #reports: GroupCommit<Report, ReportOutcome>;
  readonly #flushes: FlushScheduler;

  constructor(ports: FlushPorts) {
    this.#ports = ports;
    this.#groups = new ErrorGroups(ports);
    this.#reports = new GroupCommit((reports) => this.#commit(reports), ports.storage);
    this.#flushes = new FlushScheduler(ports, this.#groups);
    if (hasTables(ports.storage)) migrate(ports.storage, ERROR_STEPS);
  }

  ready(): Promise<void> {
    return this.#flushes.ready();
  }

  /** A counted report is durable when this resolves. Rejects if nothing was counted. */
  report(report: Report): Promise<ReportOutcome> {
    return this.#reports.submit(report);
  }

  flush(): Promise<void> {
    return this.#flushes.flush();
  }

  sweep(): Promise<SweepResult> {
    return this.#flushes.sweep();
  }

  onAlarm(): Promise<void> {
    return this.#flushes.onAlarm();
  }

  #commit(reports: Report[]): ReportOutcome[] {
    const { storage, clock } = this.#ports;
    const now = clock.now();
    migrate(storage, ERROR_STEPS);
    const outcomes = this.#groups.count(reports, now);
    if (outcomes.includes("counted")) this.#flushes.schedule(now);
    return outcomes;
  }
}
