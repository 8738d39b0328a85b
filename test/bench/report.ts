/** The result's tables, for a terminal or for docs/performance.md. */
import { cpus, totalmem } from "node:os";
import { LINES, type Line, PLANS, PRICES } from "./cost.ts";
import { shown } from "./figure.ts";
import { type Goal, reaches } from "./goals.ts";
import { type Results, VISIT_KINDS, type VisitKind } from "./results.ts";
import { SCENARIOS, type Scenario, type Setting } from "./scenarios.ts";
import type { Pace } from "./throughput.ts";
import { sum, type VisitLine } from "./visits.ts";

export interface Report {
  machine: Machine;
  pace: Pace;
  checked: { runs: number; events: number };
  /** Failures that the Workers logged, with their numbers. */
  failures: ReadonlyMap<string, number>;
  results: Results;
  goals: readonly Goal[];
}

export interface Machine {
  date: string;
  cpu: string;
  cores: number;
  memory_gib: number;
  node: string;
  workerd: string;
  /** The folder of the objects' files, whose file system decides what a commit costs. */
  folder: string;
}

/** The parts of docs/performance.md that are written by the bench, in its order. */
export const SECTIONS = [
  "machine",
  "goals",
  "speed",
  "commits",
  "rows",
  "quiet",
  "visits",
  "objects",
] as const;
export type Section = (typeof SECTIONS)[number];

export type Table = string[][];
/** A paragraph or a table; the second row of a table says which columns are aligned to the right. */
type Block = string | Table;

const GIB = 2 ** 30;

export function machine(workerd: string, folder: string): Machine {
  return {
    date: new Date().toISOString().slice(0, 10),
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: cpus().length,
    memory_gib: Math.round(totalmem() / GIB),
    node: process.versions.node,
    workerd,
    folder,
  };
}

/** The whole result as text. */
export function render(report: Report, markdown: boolean): string {
  return [...sections(report).values()]
    .map((blocks) => renderBlocks(blocks, markdown))
    .join("\n\n");
}

export function renderBlocks(blocks: readonly Block[], markdown: boolean): string {
  const table = markdown ? markdownTable : plainTable;
  return blocks.map((block) => (typeof block === "string" ? block : table(block))).join("\n\n");
}

/** What was measured, by section. */
export function sections(report: Report): Map<Section, Block[]> {
  const { results, goals } = report;
  const made: [Section, Block[]][] = [
    ["machine", [aboutMachine(report)]],
    ["goals", goals.length === 0 ? [] : [goalRows(goals)]],
    ["speed", results.speeds ? [speedRows(results.speeds, report.pace)] : []],
    ["commits", commitBlocks(results)],
    ["rows", results.bills ? [billRows(results.bills)] : []],
    ["quiet", results.lone ? [loneRows(results.lone)] : []],
    ["visits", visitBlocks(results)],
    ["objects", objectRows(results)],
  ];
  return new Map(made.filter(([, blocks]) => blocks.length > 0));
}

/** One line of progress. */
export function verdict(goals: readonly Goal[]): string {
  const missed = goals.filter(({ reached }) => !reached).length;
  return missed === 0
    ? `✓ بلغت صلة كل ما عليها بلوغه (${goals.length} من ${goals.length}).`
    : `✗ لم تبلغ صلة ${missed} من أصل ${goals.length} مما عليها بلوغه.`;
}

function aboutMachine({ machine, pace, checked, failures }: Report): string {
  const { date, cpu, cores, memory_gib, node, workerd, folder } = machine;
  const logged = Array.from(failures, ([event, times]) => `${event} ${times}`).join(", ");
  return (
    `${date}: ${cpu}, ${cores} cores, ${memory_gib} GiB; Node ${node}, workerd ${workerd}; state in ${folder}; ` +
    `medians of ${pace.rounds} rounds, with their range in brackets where it shows. After each of ` +
    `${checked.runs} loads the pages and D1 had exactly what was acknowledged: ` +
    `${checked.events.toLocaleString("en")} events. Failures in the log: ${logged || "none"}.`
  );
}

function goalRows(goals: readonly Goal[]): Table {
  const rows = goals.map((goal) => {
    const { text, must, measured, digits } = goal;
    const mark = goal.goal !== undefined && reaches(measured, goal.goal, goal) ? "goal" : "must";
    return [
      text,
      String(must),
      goal.goal === undefined ? "" : String(goal.goal),
      measured.toFixed(digits),
      goal.reached ? mark : "**missed**",
    ];
  });
  return [["what", "must:", "goal:", "measured:", "reached"], ...rows];
}

function limiters(setting: Setting): string {
  if (setting === "bare") return "";
  return setting === "own" ? "one a sender" : setting;
}

function speedRows(speeds: NonNullable<Results["speeds"]>, { connections }: Pace): Table {
  const rows = Array.from(speeds, ([name, speed]) => {
    const { title, setting, crowd }: Scenario = SCENARIOS[name];
    return [
      title,
      limiters(setting),
      String(crowd * connections),
      Math.round(speed.per_s.median).toLocaleString("en"),
      speed.p50_ms.median.toFixed(1),
      speed.p99_ms.median.toFixed(1),
      speed.cpu_us?.median.toFixed(0) ?? "",
      shown(speed.of_floor, 2),
      speed.cpu_of_floor ? shown(speed.cpu_of_floor, 1) : "",
    ];
  });
  return [
    [
      "scenario",
      "limiter objects",
      "connections:",
      "req/s:",
      "p50 ms:",
      "p99 ms:",
      "CPU µs:",
      "rate, of the bare floor:",
      "CPU, of the bare floor:",
    ],
    ...rows,
  ];
}

function commitBlocks({ commits }: Results): Block[] {
  if (commits === undefined) return [];
  if (commits === null) return ["Not measured: strace is not installed, or may not trace."];
  const rows = Array.from(commits, ([setting, { per_event, calls }]) => [
    limiters(setting),
    shown(per_event, 3),
    calls.join(", "),
  ]);
  return [[["limiter objects", "calls per event:", "system calls"], ...rows]];
}

function billRows(bills: NonNullable<Results["bills"]>): Table {
  const rows = Array.from(bills, ([name, { each, price }]) => [
    PLANS[name].title,
    limiters(PLANS[name].setting),
    ...(
      ["limiter_calls", "page_calls", "alarms", "limiter_rows", "page_rows", "d1_rows"] as const
    ).map((line) => shown(each[line], 2)),
    `$${price.median.toFixed(2)}`,
  ]);
  const head = ["per event", "limiter objects", "limiter calls:", "page calls:", "alarms:"];
  return [[...head, "limiter rows:", "page rows:", "D1 rows:", "per million:"], ...rows];
}

function loneRows({ all, page, alarms, d1, limiter }: NonNullable<Results["lone"]>): Table {
  return [
    ["rows of one event", "number:"],
    ["page object, alarms left out", shown({ ...page, ...minus(page, alarms) }, 0)],
    ["alarms that the page object sets", shown(alarms, 0)],
    ["D1", shown(d1, 0)],
    ["page object and D1 together", shown(all, 0)],
    ["limiter object of the sender", shown(limiter, 0)],
  ];
}

function minus(a: { median: number; low: number; high: number }, b: typeof a): typeof a {
  return { median: a.median - b.median, low: a.low - b.low, high: a.high - b.high };
}

const VISIT_LINES: Readonly<Record<VisitLine, string>> = {
  worker: "Worker requests: the page and its events",
  files: "Worker requests: its files",
  limiter_calls: "calls of limiter objects",
  page_calls: "calls of page objects",
  alarms: "alarms",
  limiter_rows: "rows of limiter objects",
  page_rows: "rows of page objects",
  d1_rows: "rows of D1",
  d1_rows_read: "rows read in D1",
};

function visitBlocks({ visits }: Results): Block[] {
  if (visits === undefined) return [];
  const { files, prices } = visits;
  if (files === null) return ["Not measured: no browser to count the files of a page."];
  const price = (line: VisitLine) => (line === "files" ? PRICES.worker : PRICES[line as Line]);
  const order = ["worker", "files", ...LINES.filter((line) => line !== "worker")] as const;
  const columns = [...prices];
  return [
    [
      [
        "$ per million visits",
        "list price:",
        ...columns.map(([kind]) => `${VISIT_KINDS[kind as VisitKind]}:`),
      ],
      ...order.map((line) => [
        VISIT_LINES[line],
        String(price(line)),
        ...columns.map(([, visit]) => visit[line].toFixed(3)),
      ]),
      ["sum", "", ...columns.map(([, visit]) => sum(visit).toFixed(2))],
    ],
    `A first visit loads ${files.worker.length} files from the Worker${list(files.worker)} and ` +
      `${files.platform.length} from the platform, which are free${list(files.platform)}.`,
  ];
}

/** Kinds of files with their numbers, because their names have hashes. */
function list(paths: readonly string[]): string {
  const kinds = new Map<string, number>();
  for (const path of paths) {
    const kind = path.startsWith("/media/") ? "picture" : (path.split(".").at(-1) ?? "");
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return kinds.size === 0
    ? ""
    : ` (${Array.from(kinds, ([kind, n]) => `${n} ${kind}`).join(", ")})`;
}

function objectRows({ batches, waking, crowd, size }: Results): Block[] {
  const rows: Table = [];
  if (batches) {
    rows.push(
      ["page object alone, batches of 100: CPU per event, µs", shown(batches.record, 1)],
      ["the checkpoint and the flush after 20,000 of them: the same", shown(batches.flush, 1)],
    );
  }
  if (waking) {
    rows.push(
      ["the fullest page wakes: CPU, ms", shown(waking.cpu_ms, 0)],
      ["the same, a checkpoint and a flush after it: CPU, ms", shown(waking.flush_cpu_ms, 0)],
      ["the same: memory, MiB", shown(waking.memory_mib, 0)],
    );
  }
  if (crowd) {
    rows.push(
      ["workerd before 4,000 new senders: memory, MB", shown(crowd.before_mb, 0)],
      ["with a limiter object for each of them: memory, MB", shown(crowd.most_mb, 0)],
      ["until all were answered, s", shown(crowd.seconds, 1)],
    );
  }
  if (size) {
    rows.push(
      ["the Worker's script, gzipped, KB", size.script_kb.toFixed(0)],
      ["its WebAssembly, gzipped, KB", size.wasm_kb.toFixed(0)],
      ["start-up: CPU, ms", shown(size.startup_ms, 0)],
    );
  }
  return rows.length === 0 ? [] : [[["what", "measured:"], ...rows]];
}

/** A heading that ends in a colon is of a column of numbers. */
function headings(head: readonly string[]): { text: string; isNumber: boolean }[] {
  return head.map((cell) => ({
    text: cell.endsWith(":") ? cell.slice(0, -1) : cell,
    isNumber: cell.endsWith(":"),
  }));
}

function markdownTable([head = [], ...rows]: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const columns = headings(head);
  return [
    line(columns.map(({ text }) => text)),
    `|${columns.map(({ isNumber }) => (isNumber ? "---:" : "---")).join("|")}|`,
    ...rows.map(line),
  ].join("\n");
}

function plainTable([head = [], ...rows]: Table): string {
  const columns = headings(head);
  const all = [columns.map(({ text }) => text), ...rows];
  const widths = columns.map((_, column) =>
    Math.max(...all.map((row) => row[column]?.length ?? 0)),
  );
  const cell = (text: string, column: number) =>
    columns[column]?.isNumber
      ? text.padStart(widths[column] ?? 0)
      : text.padEnd(widths[column] ?? 0);
  return all.map((row) => row.map(cell).join("  ").trimEnd()).join("\n");
}
