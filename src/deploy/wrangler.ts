/**
 * The real wrangler of node_modules, in a process of its own: nothing else of `src/deploy` talks to the platform's API.
 * Its output is kept from the terminal, and a failure carries its end.
 */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { DeployError } from "./deploy-error.ts";

/** The repository's root, whatever the working directory is. */
export const ROOT = join(import.meta.dirname, "../..");

/** No banner, log files, telemetry, or question whether to report an error. */
const QUIET = {
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_WRITE_LOGS: "false",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  NO_COLOR: "1",
  // A value of a test runner would be compiled into the Worker.
  NODE_ENV: undefined,
  // Each would give the Worker another name than the configuration that is made here: see readConfiguration.
  CLOUDFLARE_ENV: undefined,
  WRANGLER_CI_OVERRIDE_NAME: undefined,
} as const;

/** Characters of wrangler's output that a failure shows. */
const SHOWN_CHARACTERS = 1_500;

export class WranglerFailed extends Error {
  readonly output: string;

  constructor(args: readonly string[], output: string) {
    super(`wrangler ${args.slice(0, 3).join(" ")} failed:\n${tail(output)}`);
    this.output = output;
  }
}

export interface Wrangler {
  /** Runs a command and answers what it printed. @throws {WranglerFailed} */
  run(args: readonly string[], env?: Record<string, string>): Promise<string>;
  /** Runs a command that talks to the person at the terminal, as `wrangler login` does. */
  attend(args: readonly string[]): Promise<boolean>;
}

/** wrangler with more variables for its environment, such as the account. */
export function wranglerWith(more: Record<string, string>): Wrangler {
  const path = createRequire(import.meta.url).resolve("wrangler");
  const start = (args: readonly string[], env: Record<string, string>, attended: boolean) =>
    spawn(process.execPath, ["--no-warnings", path, ...args], {
      cwd: ROOT,
      env: {
        ...process.env,
        ...QUIET,
        PATH: dirname(process.execPath) + delimiter + process.env.PATH,
        ...more,
        ...env,
      },
      stdio: attended ? "inherit" : ["ignore", "pipe", "pipe"],
    });
  return {
    async run(args, env = {}) {
      const child = start(args, env, false);
      const kill = () => child.kill();
      process.once("exit", kill);
      let output = "";
      let printed = "";
      child.stdout?.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
        output += text;
      });
      child.stderr?.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
      const code = await ended(child).finally(() => process.off("exit", kill));
      if (code !== 0) throw new WranglerFailed(args, output);
      return printed;
    },
    async attend(args) {
      return (await ended(start(args, {}, true))) === 0;
    },
  };
}

function ended(child: ReturnType<typeof spawn>): Promise<number | null> {
  return new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
}

/** The JSON in what a command printed, behind lines that are none. @throws {DeployError} where there is none */
export function jsonIn(printed: string): unknown {
  for (const { index } of printed.matchAll(/^[[{]/gm)) {
    try {
      return JSON.parse(printed.slice(index));
    } catch {
      // A warning may begin with a bracket too.
    }
  }
  throw new DeployError(
    `wrangler answered something else than JSON:\n${tail(printed)}`,
    "Run npm ci, so that it has the version of package.json, and try again.",
  );
}

function tail(output: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: wrangler colours its errors
  const plain = output.replace(/\u001b\[[\d;]*m/g, "").trim();
  return plain.length <= SHOWN_CHARACTERS ? plain : `…${plain.slice(-SHOWN_CHARACTERS)}`;
}
