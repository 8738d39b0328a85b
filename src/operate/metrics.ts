/**
 * The monitor's numbers as OpenMetrics (application/openmetrics-text, version 1.0.0) and as data points
 * of Analytics Engine. Pure.
 */
import type { Numbers } from "../../objects/monitor/monitor-book.ts";
import { componentsIn, type Sample } from "../../objects/monitor/sample.ts";

export const METRICS_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

interface Metric {
  name: string;
  type: "counter" | "gauge";
  /** The name's last part, as the format requires. */
  unit?: "seconds" | "bytes";
  help: string;
  values: readonly { label?: readonly [name: string, value: string]; value: number }[];
}

function metricsOf({ total, last, late, delay_ms, running }: Numbers): Metric[] {
  const metrics: Metric[] = [
    {
      name: "sila_answers",
      type: "counter",
      help: "Answers of the service by class of status; those of isolates that ended early are missing.",
      values: labelled(total, /^responses\.(\dxx)$/, "class"),
    },
    {
      name: "sila_refusals",
      type: "counter",
      help: "Requests over a limit, by its scope.",
      values: labelled(total, /^refused\.(\w+)$/, "scope"),
    },
    {
      name: "sila_dropped_events",
      type: "counter",
      help: "Events over a limit that reached no page, because there were too many pages or links at once.",
      values: level(total["events.dropped"]),
    },
    {
      name: "sila_adopted_events",
      type: "counter",
      help: "Events that D1 had and a page's object had lost, because its storage was put back.",
      values: level(total["events.adopted"]),
    },
    {
      name: "sila_errors",
      type: "counter",
      help: "Error answers by their code.",
      values: labelled(total, /^code\.(\w+)$/, "code"),
    },
    {
      name: "sila_failed_flushes",
      type: "counter",
      help: "Flushes that failed on pages whose numbers were late.",
      values: [{ value: total["alarms.failed"] ?? 0 }],
    },
    {
      name: "sila_lost_alarms",
      type: "counter",
      help: "Alarms that the sweep found missing, and set again.",
      values: [{ value: total["alarms.lost"] ?? 0 }],
    },
    {
      name: "sila_probes",
      type: "counter",
      help: "Probes by component.",
      values: labelled(total, /^probe\.([\w-]+)\.n$/, "component"),
    },
    {
      name: "sila_failed_probes",
      type: "counter",
      help: "Probes that failed, by component.",
      values: labelled(total, /^probe\.([\w-]+)\.failed$/, "component"),
    },
    {
      name: "sila_probe_seconds",
      type: "gauge",
      unit: "seconds",
      help: "How long a probe of the last minute took, by component.",
      values: componentsIn(last).map((component) => ({
        label: ["component", component],
        value: (last[`probe.${component}.ms`] ?? 0) / (last[`probe.${component}.n`] ?? 1) / 1_000,
      })),
    },
    {
      name: "sila_flush_delay_seconds",
      type: "gauge",
      unit: "seconds",
      help: "How long the oldest number that is late has been due in D1.",
      values: [{ value: delay_ms / 1_000 }],
    },
    {
      name: "sila_late_pages",
      type: "gauge",
      help: "Pages whose numbers are late in D1.",
      values: [{ value: late }],
    },
    {
      name: "sila_mails",
      type: "gauge",
      help: "Mails to subscribers in the last 24 hours.",
      values: level(last["max.mail"]),
    },
    {
      name: "sila_database_bytes",
      type: "gauge",
      unit: "bytes",
      help: "Size of the largest D1 database.",
      values: level(last["max.db_bytes"]),
    },
    {
      name: "sila_alerts",
      type: "gauge",
      help: "Alerts that are running, by kind.",
      values: running.map((kind) => ({ label: ["kind", kind], value: 1 })),
    },
  ];
  return metrics.filter(({ values }) => values.length > 0);
}

function labelled(sample: Readonly<Sample>, pattern: RegExp, label: string) {
  return Object.entries(sample).flatMap(([name, value]) => {
    const found = pattern.exec(name)?.[1];
    return found === undefined ? [] : [{ label: [label, found] as const, value }];
  });
}

function level(value: number | undefined) {
  return value === undefined ? [] : [{ value }];
}

/** Metric families without interleaving, and `# EOF` at the end. */
export function openMetrics(numbers: Numbers | null): string {
  const lines = (numbers === null ? [] : metricsOf(numbers)).flatMap((metric) => {
    const { name, type, unit, help, values } = metric;
    const suffix = type === "counter" ? "_total" : "";
    return [
      `# TYPE ${name} ${type}`,
      ...(unit === undefined ? [] : [`# UNIT ${name} ${unit}`]),
      `# HELP ${name} ${help}`,
      ...values.map(({ label, value }) => {
        const labels = label === undefined ? "" : `{${label[0]}="${escaped(label[1])}"}`;
        return `${name}${suffix}${labels} ${value}`;
      }),
    ];
  });
  return `${[...lines, "# EOF"].join("\n")}\n`;
}

function escaped(text: string): string {
  return text.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");
}

/** Data points of one minute: index and first blob are the metric's name, the second its label. */
export function dataPoints(numbers: Numbers): AnalyticsEngineDataPoint[] {
  return metricsOf(numbers).flatMap(({ name, values }) =>
    values.map(({ label, value }) => ({
      indexes: [name],
      blobs: [name, label?.[1] ?? ""],
      doubles: [value],
    })),
  );
}
