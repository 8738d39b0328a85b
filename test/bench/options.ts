/** The bench's command line. Its help is the header of bench.ts, so that the two cannot differ. */
import { readFileSync } from "node:fs";
import { BadOption, decimalNumber, parseOptions, wholeNumber } from "../command-line.ts";
import { SCENARIOS, type ScenarioName } from "./scenarios.ts";
import type { Pace } from "./throughput.ts";

const PARTS = ["speed", "commits", "batches", "cost", "visits", "startup", "history"] as const;
type Part = (typeof PARTS)[number];

export interface Options {
  parts: ReadonlySet<Part>;
  scenarios: readonly ScenarioName[];
  pace: Pace;
  /** Part of the events, senders and hours that are measured; a test uses less than 1. */
  scale: number;
  write: boolean;
}

/** The options, or null for `--help`. @throws {BadOption} */
export function readOptions(args: readonly string[]): Options | null {
  const { parts, only, seconds, rounds, connections, scale, write, help } = parseOptions(args, {
    parts: { type: "string" },
    only: { type: "string" },
    seconds: { type: "string" },
    rounds: { type: "string" },
    connections: { type: "string" },
    scale: { type: "string" },
    write: { type: "boolean" },
    help: { type: "boolean" },
  });
  if (help === true) return null;
  const scenarios = Object.keys(SCENARIOS) as ScenarioName[];
  const chosen = namesIn(only, scenarios, "only");
  return {
    parts: new Set(namesIn(parts, PARTS, "parts")),
    scenarios: scenarios.filter((name) => name === "bare" || chosen.includes(name)),
    pace: {
      seconds: decimalNumber("seconds", seconds ?? "1", { min: 0.1, max: 60 }),
      rounds: wholeNumber("rounds", rounds ?? "3", { min: 1, max: 100 }),
      connections: wholeNumber("connections", connections ?? "64", { min: 1, max: 1_000 }),
    },
    scale: decimalNumber("scale", scale ?? "1", { min: 0.01, max: 1 }),
    write: write === true,
  };
}

/** Names between commas; all without a list. @throws {BadOption} */
function namesIn<Name extends string>(
  list: string | undefined,
  known: readonly Name[],
  option: string,
): readonly Name[] {
  if (list === undefined) return known;
  return list.split(",").map((name) => {
    const found = known.find((one) => one === name);
    if (found !== undefined) return found;
    throw new BadOption(`--${option} has no "${name}": ${known.join(", ")}`, `لا يوجد: ${name}`);
  });
}

export function help(): string {
  const source = readFileSync(new URL("bench.ts", import.meta.url), "utf8");
  const header = source.slice(source.indexOf("/**") + "/**".length, source.indexOf(" */"));
  return `${header.replaceAll(/^ \* ?/gm, "").trim()}\n`;
}
