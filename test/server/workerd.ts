/**
 * Miniflare with its workerd in plain sight: whose process it is, and that it ended.
 *
 * Miniflare keeps the process to itself and starts a new one when it dies. Node announces every
 * child process it makes, so neither names nor the process table have to be searched.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { type ChildProcess, spawn } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { basename } from "node:path";
import { Miniflare, type MiniflareOptions } from "miniflare";

/** Tells the children of one Miniflare from those of another in the same process. */
const owner = new AsyncLocalStorage<object>();

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "message"] as const;

export interface Workerd {
  miniflare: Miniflare;
  /** The running workerd, or undefined while it is being restarted. */
  pid(): number | undefined;
  dispose(): Promise<void>;
}

/**
 * Starts workerd and waits until it listens.
 *
 * @param onDeath called each time workerd ends without `dispose`; Miniflare starts it again by itself,
 *   on the same port and the same state
 * @throws Miniflare's error, code `ERR_ADDRESS_IN_USE` where the port is taken
 */
export async function startWorkerd(
  options: MiniflareOptions,
  onDeath: () => void = () => {},
): Promise<Workerd> {
  let running: ChildProcess | undefined;
  // Before it listens a failure is the caller's error, and after `dispose` it is no failure.
  let serving = false;
  const us = {};
  const onChild = (message: unknown) => {
    if (owner.getStore() !== us) return;
    const { process: child } = message as { process: ChildProcess };
    child.once("spawn", () => {
      if (!basename(child.spawnfile).startsWith("workerd")) return;
      running = child;
      endWithUs(child);
      child.once("exit", () => {
        if (running !== child) return;
        running = undefined;
        if (serving) onDeath();
      });
    });
  };
  subscribe("child_process", onChild);
  const miniflare = owner.run(us, () => withoutSignalHandlers(() => new Miniflare(options)));
  const dispose = async () => {
    serving = false;
    await miniflare.dispose();
    unsubscribe("child_process", onChild);
  };
  try {
    await miniflare.ready;
    serving = true;
  } catch (error) {
    await dispose();
    throw error;
  }
  return { miniflare, pid: () => running?.pid, dispose };
}

/**
 * Miniflare ends the whole process on a signal, with code 130, before anyone else can tidy up. What a
 * signal means is for the program that runs it; that workerd ends with us is kept by its `exit` handler.
 */
function withoutSignalHandlers<T>(make: () => T): T {
  const before = new Map(SIGNALS.map((name) => [name, process.listeners(name as "SIGINT")]));
  const made = make();
  for (const name of SIGNALS) {
    for (const listener of process.listeners(name as "SIGINT")) {
      if (!before.get(name)?.includes(listener)) process.off(name, listener);
    }
  }
  return made;
}

/**
 * Nobody tells workerd when we are killed: it would go on serving, and hold the port and the state. A
 * shell waits on a pipe that the system closes with us, however we end, and then ends workerd too.
 */
function endWithUs(child: ChildProcess): void {
  if (process.platform === "win32") return;
  const guard = spawn("sh", ["-c", 'read -r _; kill -9 "$0"', String(child.pid)], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.on("error", () => {});
  guard.unref();
  child.once("exit", () => guard.kill("SIGKILL"));
}
