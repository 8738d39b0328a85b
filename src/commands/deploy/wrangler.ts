/**
 * The real wrangler of node_modules, in a process of its own: nothing else of `src/commands/deploy`
 * calls the platform's API. Its output stays off the terminal, and a failure carries the end of it.
 */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { ROOT } from "../root.ts";

const ENVIRONMENT = {
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_WRITE_LOGS: "false",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  NO_COLOR: "1",
  // A value of a test runner would be compiled into the Worker.
  NODE_ENV: undefined,
  // Each would give all Workers one name, or refuse all but one. configuration.ts reads the second.
  CLOUDFLARE_ENV: undefined,
  WRANGLER_CI_OVERRIDE_NAME: undefined,
  WRANGLER_CI_MATCH_TAG: undefined,
} as const;

const SHOWN_CHARACTERS = 1_500;

/** A line of what wrangler writes for programs; only members that are read here. */
export interface Entry {
  type: string;
  targets?: string[];
  /** Both are of `command-failed`. The code is the platform's, if the platform refused. */
  message?: string;
  code?: number | string;
}

export class WranglerFailed extends Error {
  readonly reason: string;
  readonly code: number | undefined;

  constructor(args: readonly string[], output: string, failure: Entry | undefined) {
    super(`wrangler ${args.slice(0, 3).join(" ")} failed:\n${tail(output)}`);
    this.reason = failure?.message ?? "";
    // The failures of triggers, routes among them, are together in one error without a code.
    const printed = /\[code: (\d+)\]/.exec(output)?.[1];
    this.code = typeof failure?.code === "number" ? failure.code : Number(printed) || undefined;
  }
}

export class Wrangler {
  readonly #record: string;
  readonly #account: string | undefined;

  /** @param folder has a file that ends with each command */
  constructor(folder: string, account?: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#record = join(folder, `wrangler-${process.pid}.ndjson`);
    this.#account = account;
  }

  /** Answers what the command printed, and what it wrote for programs. @throws {WranglerFailed} */
  async run(args: readonly string[]): Promise<{ printed: string; entries: Entry[] }> {
    const program = createRequire(import.meta.url).resolve("wrangler");
    const child = spawn(process.execPath, ["--no-warnings", program, ...args], {
      cwd: ROOT,
      env: {
        ...process.env,
        ...ENVIRONMENT,
        PATH: dirname(process.execPath) + delimiter + process.env.PATH,
        WRANGLER_OUTPUT_FILE_PATH: this.#record,
        ...(this.#account === undefined ? {} : { CLOUDFLARE_ACCOUNT_ID: this.#account }),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let printed = "";
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    const code = await new Promise((resolve, reject) => {
      child.once("error", reject).once("close", resolve);
    });
    const entries = this.#readEntries();
    if (code === 0) return { printed, entries };
    const failure = entries.find(({ type }) => type === "command-failed");
    throw new WranglerFailed(args, output, failure);
  }

  /** The command must print JSON. */
  async ask(args: readonly string[]): Promise<unknown> {
    const { printed } = await this.run(args);
    return JSON.parse(printed);
  }

  #readEntries(): Entry[] {
    let text: string;
    try {
      text = readFileSync(this.#record, "utf8");
    } catch {
      return [];
    }
    rmSync(this.#record);
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Entry);
  }
}

function tail(output: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: wrangler colours its errors in spite of NO_COLOR
  const plain = output.replace(/\u001b\[[\d;]*m/g, "").trim();
  return plain.length <= SHOWN_CHARACTERS ? plain : `…${plain.slice(-SHOWN_CHARACTERS)}`;
}
