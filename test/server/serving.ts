/** The parent's side of `serve.ts`: a server in another process, and calls into it. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./bundle.ts";
import type { AnswerMessage, CallMessage, Calls } from "./serve.ts";

export class Serving {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (answer: AnswerMessage) => void>();
  #calls = 0;

  /** @param log file for what the server and the Worker print; without one it goes where ours goes */
  constructor(log?: string) {
    const output = log === undefined ? "inherit" : openSync(log, "a");
    this.#child = fork(join(ROOT, "test/server/serve.ts"), {
      execArgv: [],
      // In a process group of its own: Ctrl-C is meant for us, and we end it in good order.
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

  /** Rejects with the callee's error, or when the process is gone. */
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

  /** Ends workerd and the process; resolves when both are gone. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, "exit");
    if (this.#child.connected) this.#child.disconnect();
    await gone;
  }
}
