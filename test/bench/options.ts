/** The bench's command line. Its help is the header of bench.ts, so that the two cannot differ. */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { randomSeed } from "../random.ts";

const USAGE_ERROR = 2;

const CONFIG = {
  options: {
    seconds: { type: "string", default: "1" },
    rounds: { type: "string", default: "4" },
    connections: { type: "string", default: "64" },
    only: { type: "string" },
    /** Part of the events with which the cost is measured; a test uses less than 1. */
    scale: { type: "string", default: "1" },
    seed: { type: "string", default: String(randomSeed()) },
    json: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
} as const;

/** The options. Ends the process after `--help`, and with code 2 for an invalid command line. */
export function readOptions(only_names: readonly string[]) {
  const { only, ...values } = parse();
  if (values.help) {
    process.stdout.write(`${help()}\n`);
    process.exit(0);
  }
  const wanted = only?.split(",");
  const unknown = wanted?.filter((name) => !only_names.includes(name)) ?? [];
  if (unknown.length > 0) {
    refuse(`no scenario is named ${unknown.join(" or ")}; there are ${only_names.join(", ")}`);
  }
  const number = (name: "seconds" | "rounds" | "connections" | "scale") => {
    const value = Number(values[name]);
    if (!(value > 0 && Number.isFinite(value))) refuse(`--${name} must be more than 0`);
    return value;
  };
  return {
    ...values,
    only: wanted,
    scale: number("scale"),
    pace: {
      seconds: number("seconds"),
      rounds: number("rounds"),
      connections: number("connections"),
    },
  };
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
