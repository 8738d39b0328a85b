/**
 * SampleTables: the monitor's samples, by minutes, hours and days, and since it began.
 *
 * What arrives is added to the row of its minute. The next minute adds the complete minutes to
 * their hour and day and to the sum of all, in one transaction, so each is in every sum once.
 * Minutes stay 2 days, hours and days 90: at most 5,131 rows.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../platform/clock.ts";
import type { Storage } from "../platform/ports.ts";
import { addSample, type Sample } from "./sample.ts";

export const SPAN_S = { minute: 60, hour: 3_600, day: 86_400 } as const;
export type Span = keyof typeof SPAN_S;

const KEPT_MS: Readonly<Record<Span, number>> = {
  minute: 2 * DAY_MS,
  hour: 90 * DAY_MS,
  day: 90 * DAY_MS,
};
const ALL = 0;
/** A clock that is further behind begins its minutes anew: else no alert would end or begin. */
const STEP_BACK_S = 120;
/** The end of the last minute that is in the sums, in unix seconds. */
const FOLDED_TO = "folded_to";

/** `at` is the unix second at which its time starts. */
export interface TimedSample {
  at: number;
  sample: Sample;
}

/** Answers a unix second. */
function minuteOf(now: number): number {
  return (now - (now % MINUTE_MS)) / SECOND_MS;
}

export class SampleTables {
  readonly #storage: Pick<Storage, "sql" | "kv">;

  constructor(storage: Pick<Storage, "sql" | "kv">) {
    this.#storage = storage;
  }

  /** Goes to the first minute that is not folded, after a small step back of the clock. */
  add(sample: Readonly<Sample>, now: number): void {
    this.#addTo(SPAN_S.minute, this.#minuteAt(now), sample);
  }

  /** Adds complete minutes to the sums, and deletes what is too old. Belongs into a transaction. */
  fold(now: number): void {
    const { sql, kv } = this.#storage;
    const from = kv.get<number>(FOLDED_TO) ?? 0;
    const minute = minuteOf(now);
    const is_back = minute < from - STEP_BACK_S;
    if (minute <= from && !is_back) return;
    const to = is_back ? Number.MAX_SAFE_INTEGER : minute;
    for (const { at, sample } of this.#rows(SPAN_S.minute, from, to)) {
      for (const span of [SPAN_S.hour, SPAN_S.day]) this.#addTo(span, at - (at % span), sample);
      this.#addTo(ALL, 0, sample);
    }
    // What is ahead of the clock is in the sums now, and must not be added to them again.
    if (is_back)
      sql.exec("DELETE FROM samples WHERE span = ?1 AND at >= ?2", SPAN_S.minute, minute);
    kv.put(FOLDED_TO, minute);
    for (const [span, kept_ms] of Object.entries(KEPT_MS)) {
      sql.exec(
        "DELETE FROM samples WHERE span = ?1 AND at < ?2",
        SPAN_S[span as Span],
        Math.floor((now - kept_ms) / SECOND_MS),
      );
    }
  }

  /** The minute of `now` is included. */
  last(span: Span, ms: number, now: number): TimedSample[] {
    const to = this.#minuteAt(now) + SPAN_S.minute;
    const rows = this.#rows(SPAN_S[span], Math.floor((now - ms) / SECOND_MS), to);
    if (span === "minute") return rows;
    // What is not in the sums yet belongs to the newest row.
    const pending = this.#pending(now);
    if (pending === null) return rows;
    const at = pending.at - (pending.at % SPAN_S[span]);
    const newest = rows.at(-1);
    if (newest?.at === at) addSample(newest.sample, pending.sample);
    else rows.push({ at, sample: pending.sample });
    return rows;
  }

  all(now: number): Sample {
    const [row] = this.#rows(ALL, 0, 1);
    return addSample(row?.sample ?? {}, this.#pending(now)?.sample ?? {});
  }

  #pending(now: number): TimedSample | null {
    const from = this.#storage.kv.get<number>(FOLDED_TO) ?? 0;
    const rows = this.#rows(SPAN_S.minute, from, this.#minuteAt(now) + SPAN_S.minute);
    const [first] = rows;
    if (first === undefined) return null;
    return { at: first.at, sample: rows.reduce((sum, row) => addSample(sum, row.sample), {}) };
  }

  #minuteAt(now: number): number {
    return Math.max(minuteOf(now), this.#storage.kv.get<number>(FOLDED_TO) ?? 0);
  }

  #addTo(span: number, at: number, sample: Readonly<Sample>): void {
    const [row] = this.#rows(span, at, at + 1);
    this.#storage.sql.exec(
      `INSERT INTO samples (span, at, sample) VALUES (?1, ?2, ?3)
       ON CONFLICT DO UPDATE SET sample = excluded.sample`,
      span,
      at,
      JSON.stringify(addSample(row?.sample ?? {}, sample)),
    );
  }

  #rows(span: number, from: number, to: number): TimedSample[] {
    const rows = this.#storage.sql.exec<{ at: number; sample: string }>(
      "SELECT at, sample FROM samples WHERE span = ?1 AND at >= ?2 AND at < ?3 ORDER BY at",
      span,
      from,
      to,
    );
    return rows.toArray().map(({ at, sample }) => ({ at, sample: JSON.parse(sample) as Sample }));
  }
}

export const CHART_HOURS = 48;
export const CHART_MS = CHART_HOURS * HOUR_MS;
