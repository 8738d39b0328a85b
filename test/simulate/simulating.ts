/** The simulator in a process of its own, started like `npm run simulate`. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { ROOT } from "../../src/commands/root.ts";
import type { Result } from "./run.ts";

const SIMULATE = join(ROOT, "test/simulate/simulate.ts");

const running = new Set<Simulating>();

/** Ends what a test that failed has left running. Before its folder is removed. */
export async function endSimulations(): Promise<void> {
  await Promise.all(
    [...running].map((run) => {
      run.process.kill("SIGINT");
      return run.exited();
    }),
  );
}

export class Simulating {
  readonly process: ChildProcess;
  readonly #closed: Promise<number | null>;
  stdout = "";
  stderr = "";

  /**
   * @param tmp the folder of its state folder
   *
   * @param module the module around the bundle instead of `test/simulate/worker/faulty.ts`
   */
  constructor(args: readonly string[], tmp: string, module?: string) {
    this.process = spawn(process.execPath, [SIMULATE, ...args], {
      env: { ...process.env, TMPDIR: tmp, ...(module && { SIMULATED_MODULE: module }) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.add(this);
    this.#closed = once(this.process, "close").then(([code]) => {
      running.delete(this);
      return code as number | null;
    });
    this.process.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
    });
    this.process.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
  }

  exited(): Promise<number | null> {
    return this.#closed;
  }

  result(): Result {
    return JSON.parse(this.stdout) as Result;
  }
}
