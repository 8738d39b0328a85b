/** The parent's side of `serve.ts`: a server in another process, and calls into it. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../src/commands/root.ts";
import type { AnswerMessage, CallMessage, Calls } from "./serve.ts";

export class Serving {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (answer: AnswerMessage) => void>();
  #calls = 0;

  /** @param log file for the output of the server and the Worker; by default they share this process's */
  constructor(log?: string) {
    const output = log === undefined ? "inherit" : openSync(log, "a");
    this.#child = fork(join(ROOT, "test/server/serve.ts"), {
      execArgv: [],
      // In a process group of its own, so that Ctrl-C reaches only this process, which then stops it.
      detached: true,
      stdio: ["ignore", output, output, "ipc"],
    });
    if (output !== "inherit") closeSync(output);
    this.#child.on("message", (answer: AnswerMessage) => {
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
    this.#child.once("exit", () => {
      for (const [id, settle] of this.#waiting) settle({ id, error: "the server's process ended" });
      this.#waiting.clear();
    });
  }

  /** Rejects with the callee's error, or when its process has ended. */
  call<N extends keyof Calls>(name: N, ...args: Parameters<Calls[N]>): ReturnType<Calls[N]> {
    this.#calls += 1;
    const message: CallMessage = { id: this.#calls, name, args };
    const answered = new Promise((resolve, reject) => {
      this.#waiting.set(message.id, ({ result, error }) =>
        error === undefined ? resolve(result) : reject(new Error(`${name}: ${error}`)),
      );
      this.#child.send(message, (error) => {
        if (error) reject(error);
      });
    });
    return answered as ReturnType<Calls[N]>;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, "exit");
    if (this.#child.connected) this.#child.disconnect();
    await gone;
  }
}
