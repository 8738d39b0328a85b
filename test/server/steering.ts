/**
 * The test's side of `worker/steered.ts`: waits until the Worker has reached a named step, and ends workerd
 * or an object exactly there. So a fault happens where it must, and never by chance.
 */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Request, Response } from "miniflare";
import { ROOT } from "../../src/commands/root.ts";
import type { Around } from "../../src/commands/serve/around.ts";
import type { Server } from "../../src/commands/serve/server.ts";
import type { Seen, Time } from "./worker/setting.ts";

/** What happens when the step is reached: workerd is ended, or the object. */
export type Fate = "SIGKILL" | "eviction";

const POLL_MS = 20;

interface Awaited {
  step: string;
  fate: Fate;
  met: (carries: string) => void;
}

export class Steering {
  readonly around: Around = {
    module: join(ROOT, "test/server/worker/steered.ts"),
    services: { STEPS: (request) => this.#reached(request) },
  };
  readonly #awaited = new Set<Awaited>();
  #server: Server | undefined;

  /** Call it when the server runs, and again with another one. */
  steer(server: Server): void {
    this.#server = server;
  }

  /**
   * Lets this happen to the first who reaches the step. Resolves when it has happened, with what the step
   * carries: the keys of a page's events. Never resolves if nobody comes there.
   */
  at(step: string, fate: Fate): Promise<string> {
    return new Promise((met) => this.#awaited.add({ step, fate, met }));
  }

  async time(time: Partial<Time> = {}): Promise<Seen> {
    const body = JSON.stringify(time);
    const response = await fetch(new URL("/steer", this.#running().url), { method: "POST", body });
    return (await response.json()) as Seen;
  }

  async kill(): Promise<void> {
    const isKilled = () => {
      const pid = this.#server?.workerd.pid();
      return pid !== undefined && process.kill(pid, "SIGKILL");
    };
    while (!isKilled()) await pause(POLL_MS);
  }

  /** Resolves when every router answers. While workerd starts it answers nobody, and a kill would be its last. */
  async isUp(): Promise<void> {
    for (const router of this.#running().routers) {
      const isHealthy = async () => {
        const response = await fetch(new URL("/health", router)).catch(() => null);
        await response?.arrayBuffer().catch(() => undefined);
        return response?.status === 200;
      };
      while (!(await isHealthy())) await pause(POLL_MS);
    }
  }

  #running(): Server {
    if (this.#server === undefined) throw new Error("the server was not started");
    return this.#server;
  }

  async #reached(request: Request): Promise<Response> {
    const { step, carries } = (await request.json()) as { step: string; carries: string };
    const awaited = [...this.#awaited].find((one) => one.step === step);
    if (awaited === undefined) return new Response("go on");
    this.#awaited.delete(awaited);
    const { fate } = awaited;
    if (fate === "SIGKILL") await this.kill();
    awaited.met(carries);
    return new Response(fate === "eviction" ? "evict" : "go on");
  }
}
