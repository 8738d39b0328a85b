/** The bench's command line. Its help is the header of bench.ts, so that the two cannot differ. */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { randomSeed } from "../random.ts";

const USAGE_ERROR = 2;

const PARTS = [
  "speed",
  "commits",
  "batches",
  "cost",
  "quiet",
  "visits",
  "waking",
  "crowd",
  "size",
] as const;
export type Part = (typeof PARTS)[number];

const CONFIG = {
  options: {
    parts: { type: "string", default: PARTS.join() },
    only: { type: "string" },
    seconds: { type: "string", default: "1" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "64" },
    /** Part of the events, senders and hours that are measured; a test uses less than 1. */
    scale: { type: "string", default: "1" },
    seed: { type: "string", default: String(randomSeed()) },
    json: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
} as const;

/** The options. Ends the process after `--help`, and with code 2 for an invalid command line. */
export function readOptions(scenarios: readonly string[]) {
  const { parts, only, ...values } = parse();
  if (values.help) {
    process.stdout.write(`${help()}\n`);
    process.exit(0);
  }
  const number = (name: "seconds" | "rounds" | "connections" | "scale") => {
    const value = Number(values[name]);
    if (!(value > 0 && Number.isFinite(value))) refuse(`--${name} must be more than 0`);
    return value;
  };
  return {
    ...values,
    parts: new Set(namesIn(parts, PARTS, "part") as Part[]),
    only: only === undefined ? undefined : namesIn(only, scenarios, "scenario"),
    scale: number("scale"),
    pace: {
      seconds: number("seconds"),
      rounds: number("rounds"),
      connections: number("connections"),
    },
  };
}

function namesIn(list: string, known: readonly string[], what: string): string[] {
  const names = list.split(",");
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    refuse(`no ${what} is named ${unknown.join(" or ")}; there are ${known.join(", ")}`);
  }
  return names;
}

function parse() {
  try {
    return parseArgs(CONFIG).values;
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function refuse(message: string): never {
  console.error(`${message}\n\nnpm run bench -- --help lists the options.`);
  process.exit(USAGE_ERROR);
}

function help(): string {
  const source = readFileSync(new URL("bench.ts", import.meta.url), "utf8");
  const header = source.slice(source.indexOf("/**") + "/**".length, source.indexOf(" */"));
  return header.replaceAll(/^ \* ?/gm, "").trim();
}
