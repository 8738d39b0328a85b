/** What must be true of each storm (`storms.ts`): the sentences that are not. */
import { FULL_MAX_MS } from "../../objects/flush/flush-pauses.ts";
import type { Burst, Full, Outage, Overload } from "./storms.ts";

/** To take each page once lasts 50 s, and the flushes begin 45 s after the events. */
const DRAINED_S_MAX = 125;
/** After an outage; D1 needs 50 s. */
const HEALED_S_MAX = 75;
/** The longest wait, by the median. */
const BURST_SPREAD_MAX = 1.6;
const OVERLOAD_SPREAD_MAX = 3.6;
/** Rows of 50,000 events: one for each that came alone, and a few for each flood of 4,000. */
const JOURNAL_MAX = 100;

export function judgeBurst({
  drained_s,
  median_s,
  longest_s,
  asked_per_flush,
  violations,
}: Burst): string[] {
  return [
    ...violations,
    ...(drained_s > DRAINED_S_MAX ? [`it took ${drained_s} s`] : []),
    ...(longest_s > BURST_SPREAD_MAX * median_s ? [`${longest_s} s, median ${median_s} s`] : []),
    ...(asked_per_flush > 2.2 ? [`${asked_per_flush} attempts a flush`] : []),
  ];
}

export function judgeOutage({ drained_s, asked_per_flush, violations }: Outage): string[] {
  return [
    ...violations,
    ...(drained_s > HEALED_S_MAX ? [`it took ${drained_s} s`] : []),
    ...(asked_per_flush > 3 ? [`${asked_per_flush} attempts a flush`] : []),
  ];
}

export function judgeOverload({
  median_s,
  longest_s,
  flushes,
  fewest,
  useful,
  violations,
}: Overload): string[] {
  return [
    ...violations,
    ...(longest_s > OVERLOAD_SPREAD_MAX * median_s ? [`${longest_s} s, median ${median_s} s`] : []),
    ...(fewest < 0.6 * flushes ? [`a page flushed ${fewest} times, others ${flushes}`] : []),
    ...(useful < 0.85 ? [`of D1's time ${useful} was useful`] : []),
  ];
}

export function judgeFull({
  attempts_per_hour,
  journal_max,
  healed_s,
  looked_at_s,
  violations,
}: Full): string[] {
  return [
    ...violations,
    ...(attempts_per_hour > 12 ? [`${attempts_per_hour} attempts an hour`] : []),
    ...(journal_max > JOURNAL_MAX ? [`a journal of ${journal_max} rows`] : []),
    ...(healed_s > FULL_MAX_MS / 1_000 + 60 ? [`it took ${healed_s} s`] : []),
    ...(looked_at_s > 10 ? [`who looked waited for ${looked_at_s} s`] : []),
  ];
}
