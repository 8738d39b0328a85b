/**
 * When an alert begins and when it ends, from the samples of the last minutes. Pure.
 *
 * An alert of a level begins at one threshold and ends at a lower one, and only when three minutes
 * in a row are below it, so that a value at the threshold does not begin it again and again. What
 * was not measured begins and ends nothing, but for the alert that the cron itself has stopped.
 */
import { DAY_MS, MINUTE_MS } from "../platform/clock.ts";
import { addSample, componentsIn, type Sample } from "./sample.ts";

export const DELAY_MAX_S = 300;
const DELAY_CALM_S = 120;
export const ERROR_SHARE_MAX = 0.05;
const ERROR_SHARE_CALM = 0.01;
export const ERRORS_MIN = 20;
export const WINDOW_MS = 5 * MINUTE_MS;
export const SHARE_MAX = 0.8;
const SHARE_CALM = 0.75;
/** D1's largest size (docs/operations.md "Limits of the platform"). */
export const DATABASE_BYTES_MAX = 10_000_000_000;
/** Probes of a component that fail in a row, one a minute, and that succeed until it is well. */
export const PROBES_MIN = 3;

export const CRON_MAX_MS = 10 * MINUTE_MS;
/** The platform takes up to 15 minutes until a new deployment's cron runs for the first time. */
export const CRON_BEGINS_MS = 30 * MINUTE_MS;

/** This alert ends by time, because nothing measures that its end has come. */
export const RESTORED_MS = DAY_MS;

export interface Measured {
  sample: Sample;
  mail_per_day: number;
  /** EVENTS_PER_DAY; 0 or absent if there is no limit. */
  events_per_day?: number;
}

/** `value` is in the unit of the alert's text. */
export interface Judgement {
  kind: string;
  state: "bad" | "calm" | "between";
  value: number;
}

/** Older versions began these: one that runs still ends. */
const OF_BACKUPS = ["backup", "probe_backups"];

/** `minutes` are samples, oldest first, with the newest complete measurement at the end. */
export function judge(minutes: readonly Sample[], measured: Measured): Judgement[] {
  const measured_minutes = minutes.filter((sample) => sample.minutes !== undefined);
  const level = (kind: string, name: string, scale: number, bad: number, calm: number) =>
    levelOf(kind, measured_minutes, name, scale, bad, calm);
  return [
    ...["cron", ...OF_BACKUPS].map((kind) => ({ kind, state: "calm" as const, value: 0 })),
    ...level("flush_delay", "max.delay_s", 1, DELAY_MAX_S, DELAY_CALM_S),
    ...level("database", "max.db_bytes", 1 / DATABASE_BYTES_MAX, SHARE_MAX, SHARE_CALM),
    ...(measured.mail_per_day > 0
      ? level("mail", "max.mail", 1 / measured.mail_per_day, SHARE_MAX, SHARE_CALM)
      : []),
    // An alert that began before the setting was switched off ends.
    ...(measured.events_per_day
      ? level("events", "max.events", 1 / measured.events_per_day, SHARE_MAX, SHARE_CALM)
      : [{ kind: "events", state: "calm" as const, value: 0 }]),
    ...errors(minutes),
    drift(minutes),
    ...probes(measured_minutes),
  ];
}

export function restoredIsOver(
  running: readonly { kind: string; began_at: number; value: number }[],
  now: number,
): Judgement[] {
  return running
    .filter(({ kind, began_at }) => kind === "restored" && now - began_at >= RESTORED_MS)
    .map(({ kind, value }) => ({ kind, state: "calm", value }));
}

function levelOf(
  kind: string,
  minutes: readonly Sample[],
  name: string,
  scale: number,
  bad: number,
  calm: number,
): Judgement[] {
  const values = minutes.flatMap((sample) => sample[name] ?? []).map((value) => value * scale);
  const value = values.at(-1);
  if (value === undefined) return [];
  const last = values.slice(-PROBES_MIN);
  const is_calm = last.length === PROBES_MIN && last.every((one) => one < calm);
  return [{ kind, value, state: value > bad ? "bad" : is_calm ? "calm" : "between" }];
}

function errors(minutes: readonly Sample[]): Judgement[] {
  const sum = minutes.reduce<Sample>((all, one) => addSample(all, one), {});
  const classes = Object.entries(sum).filter(([name]) => name.startsWith("responses."));
  const answers = classes.reduce((n, [, value]) => n + value, 0);
  const failed = sum["responses.5xx"] ?? 0;
  const share = answers === 0 ? 0 : failed / answers;
  const is_bad = failed >= ERRORS_MIN && share > ERROR_SHARE_MAX;
  const is_calm = share < ERROR_SHARE_CALM || failed < ERRORS_MIN / 4;
  return [{ kind: "errors", value: share, state: is_bad ? "bad" : is_calm ? "calm" : "between" }];
}

/** Objects were behind D1: somebody has put their storage back, or the platform has. */
function drift(minutes: readonly Sample[]): Judgement {
  const value = minutes.reduce((sum, sample) => sum + (sample["events.adopted"] ?? 0), 0);
  return { kind: "drift", value, state: value > 0 ? "bad" : "calm" };
}

function probes(minutes: readonly Sample[]): Judgement[] {
  const newest = minutes.at(-1);
  return (newest === undefined ? [] : componentsIn(newest)).map((component) => {
    const results = minutes
      .filter((sample) => sample[`probe.${component}.n`] !== undefined)
      .slice(-PROBES_MIN)
      .map((sample) => (sample[`probe.${component}.failed`] ?? 0) > 0);
    const is_enough = results.length === PROBES_MIN;
    const is_bad = is_enough && results.every((failed) => failed);
    const is_calm = is_enough && results.every((failed) => !failed);
    const state = is_bad ? "bad" : is_calm ? "calm" : "between";
    return { kind: `probe_${component}`, value: results.length, state };
  });
}
