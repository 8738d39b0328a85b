import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../../src/commands/root.ts";
import type { Result } from "./run.ts";

export interface Journeyed {
  engine: string;
  journey: string;
  wrong: string | null;
}

const DOCUMENT = join(ROOT, "docs/proof.md");
const START = "<!-- engines:start -->";
const END = "<!-- engines:end -->";
const WRONG_SHOWN = 3;

const numbersOf = ({ taps, requests, arrivals, counted }: Result) => [
  ...[taps, requests, arrivals ?? "–", counted].map(String),
];

const byEngine = (a: { engine: string }, b: { engine: string }) => a.engine.localeCompare(b.engine);

function verdictOf({ wrong, lacks }: Result): string {
  if (wrong === null) return `not tested: ${lacks}`;
  return wrong.length === 0 ? "right" : "WRONG";
}

export function lineOf(result: Result): string {
  const { engine, situation, wrong, notes } = result;
  const numbers = numbersOf(result).map((n) => n.padStart(6));
  const noted = Object.entries(notes).map(([note, n]) => `${n} ${note}`);
  const line = `${engine.padEnd(10)} ${situation.padEnd(46)} ${numbers.join(" ")}  ${verdictOf(result)}`;
  return [
    [line, ...noted].join("; "),
    ...(wrong ?? []).slice(0, WRONG_SHOWN).map((text) => `    ${text}`),
  ].join("\n");
}

export function report(results: readonly Result[], journeys: readonly Journeyed[]): string {
  const head = ["taps", "requ.", "arriv.", "count."].map((word) => word.padStart(6)).join(" ");
  return [
    "",
    `${"engine".padEnd(10)} ${"situation".padEnd(46)} ${head}`,
    ...results.toSorted(byEngine).map(lineOf),
    ...journeys
      .toSorted(byEngine)
      .map(
        ({ engine, journey, wrong }) =>
          `${engine.padEnd(10)} ${journey.padEnd(46)} ${wrong === null ? "ok" : `NOT OK: ${wrong}`}`,
      ),
    "",
  ].join("\n");
}

export async function writeTable(
  results: readonly Result[],
  journeys: readonly Journeyed[],
  versions: Readonly<Record<string, string>>,
  taps: number,
): Promise<void> {
  const engines = Object.keys(versions);
  const cells = (situation: string) =>
    engines.map((engine) => {
      const result = results.find((each) => each.engine === engine && each.situation === situation);
      if (result === undefined || result.wrong === null) return "not tested";
      const noted = Object.entries(result.notes).map(([note, n]) => `${n} ${note}`);
      const mark = result.wrong.length === 0 ? [] : ["**wrong**"];
      return [numbersOf(result).join(" / "), ...noted, ...mark].join(", ");
    });
  const journeyCells = (journey: string) =>
    engines.map((engine) => {
      const found = journeys.find((each) => each.engine === engine && each.journey === journey);
      return found?.wrong === null ? "ok" : "**wrong**";
    });
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const table = [
    row(["situation", ...engines.map((engine) => `${engine} ${versions[engine]}`)]),
    `|---|${engines.map(() => "---|").join("")}`,
    ...[...new Set(results.map(({ situation }) => situation))].map((name) =>
      row([name, ...cells(name)]),
    ),
    ...[...new Set(journeys.map(({ journey }) => journey))].map((name) =>
      row([name, ...journeyCells(name)]),
    ),
  ];
  const text = await readFile(DOCUMENT, "utf8");
  const [start, end] = [text.indexOf(START), text.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`${DOCUMENT} has no place for the table`);
  const words = `Taps / requests / arrivals / counted, ${taps} visits each:`;
  const content = `${START}\n${words}\n\n${table.join("\n")}\n${END}`;
  await writeFile(DOCUMENT, text.slice(0, start) + content + text.slice(end + END.length));
}
