/**
 * workerd on a machine of one's own, by the configuration of `prepared.ts`: started again whenever
 * it ends, and ended with this process however that ends. The working directory is the data folder.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, rmSync } from "node:fs";
import { get } from "node:http";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { CONFIG, ENTRY_SOCKET, FILES_SOCKET, SERVICE_SOCKET } from "./run-folder.ts";
import { endWithUs } from "./workerd-guard.ts";

/** A start of a large folder may take a while on a slow disk. */
const START_MS = 60_000;
const POLL_MS = 20;
/** The pause before a start; it doubles up to the longest while none lasts that long. */
const RESTART_MS = 100;
const RESTART_MS_MAX = 5_000;

/** Miniflare's sockets in the configuration: its own, the first Worker's, and this process's. */
const ARGS = [
  "serve",
  "--binary",
  "--experimental",
  `--socket-addr=entry=unix:${ENTRY_SOCKET}`,
  `--socket-addr=direct:0:Gateway=unix:${SERVICE_SOCKET}`,
  `--socket-addr=direct:0:default=unix:${FILES_SOCKET}`,
  "--external-addr=loopback=unix:run/nobody",
  "-",
];

export class Runtime {
  readonly #program: string;
  #child: ChildProcess | undefined;
  #stopping = false;
  #restart_ms = RESTART_MS;
  #suspended = false;

  private constructor(program: string) {
    this.#program = program;
  }

  /** @throws where workerd ends before it listens */
  static async start(): Promise<Runtime> {
    const require = createRequire(import.meta.resolve("miniflare"));
    const runtime = new Runtime((require("workerd") as { default: string }).default);
    await runtime.#start();
    return runtime;
  }

  /**
   * Stops workerd between two instructions: nothing is written until the returned function lets it
   * go on. Undefined where it does not run, or stands still already. `onEnd`: it ended meanwhile.
   */
  suspend(onEnd: () => void): (() => void) | undefined {
    const child = this.#child;
    if (child?.exitCode !== null || child.signalCode !== null || this.#suspended) return undefined;
    this.#suspended = true;
    child.once("exit", onEnd);
    child.kill("SIGSTOP");
    return () => {
      this.#suspended = false;
      child.off("exit", onEnd);
      child.kill("SIGCONT");
    };
  }

  /** What workerd has acknowledged is on disk, so it can be killed. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  }

  async #start(): Promise<void> {
    for (const socket of [ENTRY_SOCKET, SERVICE_SOCKET, FILES_SOCKET])
      rmSync(socket, { force: true });
    const config = openSync(CONFIG, "r");
    const child = spawn(this.#program, ARGS, {
      stdio: [config, "pipe", "pipe"],
      // workerd does not get the secrets that are set here.
      env: { TZ: "UTC" },
    });
    closeSync(config);
    this.#child = child;
    const started_at = performance.now();
    await once(child, "spawn");
    endWithUs(child);
    printLines(child.stdout as Readable);
    printLines(child.stderr as Readable);
    let ended = false;
    child.once("exit", () => {
      ended = true;
      if (!this.#stopping && this.#child === child)
        void this.#startAgain(performance.now() - started_at);
    });
    // It listens before it has read the configuration.
    while (!(await answers())) {
      if (ended || this.#stopping) throw new Error("workerd ended before it answered");
      if (performance.now() - started_at > START_MS) throw new Error("workerd does not answer");
      await pause(POLL_MS);
    }
  }

  async #startAgain(lasted_ms: number): Promise<void> {
    this.#restart_ms =
      lasted_ms > RESTART_MS_MAX ? RESTART_MS : Math.min(2 * this.#restart_ms, RESTART_MS_MAX);
    console.error(JSON.stringify({ event: "workerd_ended", restart_ms: this.#restart_ms }));
    await pause(this.#restart_ms);
    // A start that fails ends in an exit, which starts it again.
    if (!this.#stopping) await this.#start().catch(() => {});
  }
}

/** workerd writes JSON around what a Worker prints. */
function printLines(stream: Readable): void {
  createInterface({ input: stream }).on("line", (line) => {
    console.log(messageIn(line));
  });
}

function messageIn(line: string): string {
  try {
    const { message } = JSON.parse(line) as { message?: unknown };
    return typeof message === "string" ? message : line;
  } catch {
    return line;
  }
}

function answers(): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = get({ socketPath: SERVICE_SOCKET, path: "http://localhost/health" });
    asked
      .once("error", () => resolve(false))
      .once("response", (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      });
  });
}
