import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Load, Measured } from "./client.ts";

export type Answer = { measured: Measured } | { error: string };

export class Clients {
  readonly #child: ChildProcess = fork(fileURLToPath(new URL("client.ts", import.meta.url)), {
    execArgv: [],
  });
  #answered: ((answer: Answer) => void) | null = null;
  #loads = 0;

  constructor() {
    this.#child.on("message", (answer: Answer) => this.#answered?.(answer));
    this.#child.once("exit", () => this.#answered?.({ error: "the clients' process ended" }));
  }

  /** Runs one load at a time. Rejects if a connection fails or the client process ends. */
  async run(load: Omit<Load, "run">): Promise<Measured> {
    this.#loads += 1;
    const run = `${process.pid.toString(36)}-${this.#loads.toString(36)}`;
    const answer = await new Promise<Answer>((resolve, reject) => {
      this.#answered = resolve;
      this.#child.send({ ...load, run } satisfies Load, (error) => {
        if (error) reject(error);
      });
    });
    if ("error" in answer) throw new Error(answer.error);
    return answer.measured;
  }

  stop(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}
