/** The results as lines on the terminal, and as a table in docs/proof.md. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { markdownTable, withPart } from "../markdown.ts";
import { ROOT } from "../server/bundle.ts";
import type { Result } from "./run.ts";

export interface Journeyed {
  engine: string;
  journey: string;
  /** What was not as it must be. */
  wrong: string | null;
}

const DOCUMENT = join(ROOT, "docs/proof.md");
const WRONG_SHOWN = 3;

const numbersOf = ({ taps, requests, arrivals, counted }: Result) => [
  ...[taps, requests, arrivals ?? "–", counted].map(String),
];

const notesOf = ({ notes }: Result) => Object.entries(notes).map(([note, n]) => `${n} ${note}`);

const inColumns = (engine: string, situation: string, numbers: readonly string[]) =>
  [engine.padEnd(10), situation.padEnd(46), ...numbers.map((n) => n.padStart(6))].join(" ");

/** Of the lines. */
export const HEAD = inColumns("engine", "situation", ["taps", "requ.", "arriv.", "count."]);

function verdictOf({ wrong, lacks }: Result): string {
  if (wrong === null) return `not tested: ${lacks}`;
  return wrong.length === 0 ? "right" : "WRONG";
}

/** One result in one line, with what was wrong below. */
export function lineOf(result: Result): string {
  const { engine, situation, wrong } = result;
  const line = `${inColumns(engine, situation, numbersOf(result))}  ${verdictOf(result)}`;
  return [
    [line, ...notesOf(result)].join("; "),
    ...(wrong ?? []).slice(0, WRONG_SHOWN).map((text) => `    ${text}`),
  ].join("\n");
}

/** Replaces the table in docs/proof.md. */
export async function writeTable(
  results: readonly Result[],
  journeys: readonly Journeyed[],
  versions: Readonly<Record<string, string>>,
  taps: number,
): Promise<void> {
  const engines = Object.keys(versions);
  const cellOf = (situation: string, engine: string) => {
    const result = results.find((each) => each.engine === engine && each.situation === situation);
    if (result === undefined || result.wrong === null) return "not tested";
    const mark = result.wrong.length === 0 ? [] : ["**wrong**"];
    return [numbersOf(result).join(" / "), ...notesOf(result), ...mark].join(", ");
  };
  const verdict = (journey: string, engine: string) => {
    const found = journeys.find((each) => each.engine === engine && each.journey === journey);
    return found?.wrong === null ? "ok" : "**wrong**";
  };
  const rows = (names: readonly string[], cell: (name: string, engine: string) => string) =>
    [...new Set(names)].map((name) => [name, ...engines.map((engine) => cell(name, engine))]);
  const table = markdownTable([
    ["situation", ...engines.map((engine) => `${engine} ${versions[engine]}`)],
    ...rows(
      results.map(({ situation }) => situation),
      cellOf,
    ),
    ...rows(
      journeys.map(({ journey }) => journey),
      verdict,
    ),
  ]);
  const words = `Taps / requests / arrivals / counted, ${taps} visits each:`;
  const text = await readFile(DOCUMENT, "utf8");
  await writeFile(DOCUMENT, withPart(text, "engines:table", `${words}\n\n${table}`));
}
