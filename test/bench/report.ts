import { readFile, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { ROOT } from "../../src/commands/root.ts";
import { markdownTable, type Table, withPart } from "../markdown.ts";
import { LINES, type Line, PLANS, PRICES } from "./cost.ts";
import { shown } from "./figure.ts";
import { type Goal, reaches } from "./goals.ts";
import { HISTORY_VIEWS } from "./reading.ts";
import type { Results } from "./results.ts";
import { SCENARIOS, type Scenario, type Setting } from "./scenarios.ts";
import type { Pace } from "./throughput.ts";
import { sum, type VisitLine } from "./visits.ts";

export interface Report {
  machine: Machine;
  pace: Pace;
  checked: { runs: number; events: number };
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

type Block = string | Table;

const DOCUMENT = join(ROOT, "docs/performance.md");
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

export function render(report: Report): string {
  return [...sections(report).values()].join("\n\n");
}

/** Replaces in docs/performance.md what was measured; the rest stays. */
export async function writeDocument(report: Report): Promise<void> {
  let text = await readFile(DOCUMENT, "utf8");
  for (const [section, content] of sections(report)) {
    text = withPart(text, `bench:${section}`, content);
  }
  await writeFile(DOCUMENT, text);
}

function sections(report: Report): Map<string, string> {
  const { results, goals } = report;
  const made: [string, Block[]][] = [
    ["machine", [aboutMachine(report)]],
    ["goals", goals.length === 0 ? [] : [goalRows(goals)]],
    ["speed", results.speeds ? [speedRows(results.speeds, report.pace)] : []],
    ["commits", commitBlocks(results)],
    ["rows", results.bills ? [billRows(results.bills)] : []],
    ["visits", visitBlocks(results)],
    ["objects", objectRows(results)],
  ];
  const measured = made.filter(([, blocks]) => blocks.length > 0);
  return new Map(measured.map(([section, blocks]) => [section, textOf(blocks)]));
}

function textOf(blocks: readonly Block[]): string {
  return blocks
    .map((block) => (typeof block === "string" ? block : markdownTable(block)))
    .join("\n\n");
}

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
  if (visits === null) return ["Not measured: no browser to count the files of a page."];
  const { files, hot, quiet } = visits;
  const price = (line: VisitLine) => (line === "files" ? PRICES.worker : PRICES[line as Line]);
  const order = ["worker", "files", ...LINES.filter((line) => line !== "worker")] as const;
  return [
    [
      [
        "$ per million visits",
        "list price:",
        "hot pages, 16 limiter objects:",
        "one event in ten minutes, 16:",
      ],
      ...order.map((line) => [
        VISIT_LINES[line],
        String(price(line)),
        hot[line].toFixed(3),
        quiet[line].toFixed(3),
      ]),
      ["sum", "", sum(hot).toFixed(2), sum(quiet).toFixed(2)],
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

function objectRows({ batches, startup_ms, history }: Results): Block[] {
  const rows: string[][] = [];
  if (batches) {
    rows.push(
      ["page object alone, batches of 100: CPU per event, µs", shown(batches.record, 1)],
      ["the checkpoint and the flush after 20,000 of them: the same", shown(batches.flush, 1)],
    );
  }
  if (startup_ms) rows.push(["start-up: CPU, ms", shown(startup_ms, 0)]);
  for (const [view, ms] of history ?? []) {
    rows.push([`statistics of the fullest page, ${HISTORY_VIEWS[view]}: ms`, shown(ms, 0)]);
  }
  return rows.length === 0 ? [] : [[["what", "measured:"], ...rows]];
}
