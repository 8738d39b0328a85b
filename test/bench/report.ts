/** The result's tables, for a terminal or for docs/performance.md. */
import { cpus, totalmem } from "node:os";
import { type Bill, type Line, PLANS, type PlanName, PRICES } from "./cost.ts";
import { DISTANCE_MS } from "./distance.ts";
import { type Goal, show } from "./goals.ts";
import { IDS, type Memory, TIMES } from "./memory.ts";
import { SCENARIOS, type ScenarioName, type Setting, SHARDS } from "./scenarios.ts";
import type { Pace, Speed } from "./throughput.ts";

export interface Report {
  machine: Machine;
  pace: Pace;
  speeds: ReadonlyMap<ScenarioName, Speed>;
  bills: ReadonlyMap<PlanName, Bill>;
  memory: Memory;
  goals: readonly Goal[];
}

export interface Machine {
  date: string;
  cpu: string;
  cores: number;
  memory_gib: number;
  node: string;
  workerd: string;
  /** The file system of the objects' files, which decides what a commit costs. */
  storage: string;
}

const GIB = 2 ** 30;
const MIB = 2 ** 20;

export function machine(workerd: string, storage: string): Machine {
  return {
    date: new Date().toISOString().slice(0, 10),
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: cpus().length,
    memory_gib: Math.round(totalmem() / GIB),
    node: process.versions.node,
    workerd,
    storage,
  };
}

const LINES: Readonly<Record<Line, string>> = {
  worker: "Worker request",
  limiter_calls: "limiter call",
  page_calls: "page call",
  alarms: "alarm",
  limiter_rows: "limiter row",
  page_rows: "page row",
  d1_rows: "D1 row",
};

const MIXED: readonly PlanName[] = ["mixed_own", "mixed_shared"];

/** The whole result as text; `markdown` for docs/performance.md. */
export function render(report: Report, markdown: boolean): string {
  const table = markdown ? markdownTable : plainTable;
  const { machine, pace, memory, goals } = report;
  const parts = [
    `${machine.date}: ${machine.cpu}, ${machine.cores} cores, ${machine.memory_gib} GiB; Node ${machine.node}, ` +
      `workerd ${machine.workerd}; files in ${machine.storage}.`,
  ];
  if (report.speeds.size > 0) parts.push(table(speedRows(report.speeds, pace)));
  if (report.bills.size > 0)
    parts.push(table(costRows(report.bills)), table(priceRows(report.bills)));
  parts.push(
    `Memory: a page that remembers ${IDS.toLocaleString("en")} event ids ${(memory.page_bytes / MIB).toFixed(1)} MiB; ` +
      `a limiter's window of ${TIMES} requests ${Math.round(memory.window_bytes)} bytes.`,
    table([
      ["", "must reach", "measured"],
      ...goals.map(({ reached, text, measured, unit }) => [
        reached ? "✓" : "✗",
        text,
        show(measured, unit),
      ]),
    ]),
  );
  return parts.join("\n\n");
}

/** One line of progress. */
export function verdict(goals: readonly Goal[]): string {
  const missed = goals.filter(({ reached }) => !reached).length;
  return missed === 0
    ? `✓ بلغت صلة كل ما عليها بلوغه (${goals.length} من ${goals.length}).`
    : `✗ لم تبلغ صلة ${missed} من أصل ${goals.length} مما عليها بلوغه.`;
}

function limiters(setting: Setting): string {
  return setting === "own" ? "own" : SHARDS[setting];
}

function speedRows(speeds: Report["speeds"], { connections }: Pace): string[][] {
  const rows = Array.from(speeds, ([name, { per_s, p50_ms, p99_ms, cpu_us, ratio, spread }]) => {
    const { title, setting, requests, crowd } = SCENARIOS[name];
    return [
      title,
      limiters(setting),
      requests.lane === "far" ? `${DISTANCE_MS} ms` : "0",
      String(crowd * connections),
      Math.round(per_s).toLocaleString("en"),
      p50_ms.toFixed(1),
      p99_ms.toFixed(1),
      cpu_us?.toFixed(0) ?? "",
      ratio.toFixed(2),
      spread.map((end) => end.toFixed(2)).join("–"),
    ];
  });
  return [
    [
      "scenario",
      "limiters",
      "objects at",
      "connections",
      "req/s",
      "p50 ms",
      "p99 ms",
      "CPU µs",
      "of floor",
      "range",
    ],
    ...rows,
  ];
}

function costRows(bills: Report["bills"]): string[][] {
  const rows = Array.from(bills, ([name, { events, reading, price }]) => {
    const each = (count: number) => (count / events).toFixed(2);
    return [
      PLANS[name].title,
      limiters(PLANS[name].setting),
      each(reading.limiter_calls + reading.page_calls),
      each(reading.alarms),
      each(reading.limiter_rows),
      each(reading.page_rows),
      each(reading.d1_rows),
      show(price, "dollars"),
    ];
  });
  const head = ["per event", "limiters", "calls", "alarms", "limiter rows", "page rows", "D1 rows"];
  return [[...head, "per million"], ...rows];
}

/** The price of the mix of events, by line, with its sum. */
function priceRows(bills: Report["bills"]): string[][] {
  const mixed = MIXED.flatMap((name) => {
    const bill = bills.get(name);
    return bill ? [{ limiters: limiters(PLANS[name].setting), bill }] : [];
  });
  const head = ["mixed, $ per million events", "list price"];
  return [
    [...head, ...mixed.map((column) => `limiters: ${column.limiters}`)],
    ...(Object.keys(PRICES) as Line[]).map((line) => [
      LINES[line],
      PRICES[line].toFixed(2),
      ...mixed.map(({ bill }) => bill.lines[line].toFixed(3)),
    ]),
    ["sum", "", ...mixed.map(({ bill }) => bill.price.toFixed(3))],
  ];
}

function markdownTable([head = [], ...rows]: string[][]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function plainTable(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
