/**
 * The state of the service for everybody, from the monitor's samples: components as people know them,
 * and times, without the names of what is inside. What was not measured is unknown, never well. Pure.
 */
import type { StatusSamples } from "../../objects/monitor/monitor-book.ts";
import type { Sample } from "../../objects/monitor/sample.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../objects/platform/clock.ts";

const PROBES_OF = {
  pages: ["d1", "r2"],
  counting: ["objects", "config"],
  dashboard: ["d1"],
  sign_in: ["hub"],
} as const;
export const COMPONENTS = ["pages", "counting", "dashboard", "sign_in"] as const;
export type Component = (typeof COMPONENTS)[number];
/** `unstable`: the last probe failed, but not three in a row. */
export type State = "up" | "unstable" | "down" | "unknown";

export const STATUS_DAYS = 90;
/** Milliseconds after which a measurement does not describe the present. */
export const STALE_MS = 300_000;
const INCIDENTS_MAX = 50;

export interface ServiceStatus {
  state: State;
  /** ISO 8601; null: nothing has been measured. */
  measured_at: string | null;
  components: {
    id: Component;
    state: State;
    /** Part of answered probes on each of the last 90 UTC days, oldest first; null: none. */
    days: (number | null)[];
  }[];
  incidents: { components: Component[]; began_at: string; ended_at: string | null }[];
}

export function statusOf(samples: StatusSamples | null, now: number): ServiceStatus {
  const measured = samples?.minutes.findLast(({ sample }) => sample.minutes !== undefined);
  const alerts = samples?.alerts ?? [];
  const running = new Set(
    alerts.filter(({ ended_at }) => ended_at === null).flatMap(({ kind }) => componentsOf(kind)),
  );
  const components = COMPONENTS.map((id) => ({
    id,
    state: stateOf(id, measured?.sample, running.has(id)),
    days: daysOf(id, samples?.days ?? [], now),
  }));
  const order: State[] = ["down", "unknown", "unstable", "up"];
  return {
    state: order.find((one) => components.some(({ state }) => state === one)) ?? "unknown",
    measured_at: measured === undefined ? null : new Date(measured.at * SECOND_MS).toISOString(),
    components,
    incidents: alerts
      .map(({ kind, began_at, ended_at }) => ({
        components: componentsOf(kind),
        began_at: new Date(began_at).toISOString(),
        ended_at: ended_at === null ? null : new Date(ended_at).toISOString(),
      }))
      .filter((incident) => incident.components.length > 0)
      .slice(0, INCIDENTS_MAX),
  };
}

/** Components of an alert; none for what only operators need to know. */
function componentsOf(kind: string): Component[] {
  if (kind === "errors") return ["pages", "counting", "dashboard"];
  if (kind === "flush_delay") return ["dashboard"];
  return COMPONENTS.filter((id) => PROBES_OF[id].some((probe) => kind === `probe_${probe}`));
}

function stateOf(id: Component, sample: Sample | undefined, has_alert: boolean): State {
  if (sample === undefined) return "unknown";
  if (has_alert) return "down";
  const probes = PROBES_OF[id];
  if (probes.some((probe) => sample[`probe.${probe}.n`] === undefined)) return "unknown";
  return probes.some((probe) => (sample[`probe.${probe}.failed`] ?? 0) > 0) ? "unstable" : "up";
}

/**
 * The worst of several probes counts. A day of which less than half was measured may be bad, but nobody
 * knows that it was well.
 */
function daysOf(id: Component, days: StatusSamples["days"], now: number): (number | null)[] {
  const by_day = new Map(days.map(({ at, sample }) => [at, sample]));
  const today = (now - (now % DAY_MS)) / SECOND_MS;
  return Array.from({ length: STATUS_DAYS }, (_, i) => {
    const day = today - (STATUS_DAYS - 1 - i) * (DAY_MS / SECOND_MS);
    const sample = by_day.get(day);
    const minutes = Math.min(DAY_MS, now - day * SECOND_MS) / MINUTE_MS;
    const is_known = (sample?.minutes ?? 0) >= minutes / 2;
    const parts = PROBES_OF[id].flatMap((probe) => {
      const n = sample?.[`probe.${probe}.n`] ?? 0;
      return n === 0 ? [] : [1 - (sample?.[`probe.${probe}.failed`] ?? 0) / n];
    });
    if (parts.length < PROBES_OF[id].length) return null;
    const part = Math.min(...parts);
    return is_known || part < 1 ? part : null;
  });
}

/** The same status some time later: old measurements say nothing about now. */
export function asOf(status: ServiceStatus, now: number): ServiceStatus {
  const at = status.measured_at === null ? 0 : Date.parse(status.measured_at);
  if (Math.abs(now - at) < STALE_MS) return status;
  const components = status.components.map((one) => ({ ...one, state: "unknown" as const }));
  return { ...status, state: "unknown", components };
}
