/**
 * Miniflare, with the id of its workerd process and the event of its death: Miniflare starts a new
 * one and reports neither. Node publishes every child process on a diagnostics channel, so the
 * process table need not be searched. workerd writes its log to a file, so that it never waits for
 * this process (`log-files.ts`).
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Miniflare, type MiniflareOptions, NoOpLog } from "miniflare";
import { isWorkerd, logToFiles } from "./log-files.ts";
import { scratchFolder } from "./scratch.ts";
import { endWithUs } from "./workerd-guard.ts";

/**
 * In each of about 25 isolates V8 lets the young generation grow to 16 MB and more, and begins to collect the old one late. What
 * a request has outside of V8, some 20 KB, lives until its collection: after 20,000 renders and 20,000 views workerd has 0.29 GB,
 * and with these bounds 0.23, for the same CPU (docs/performance.md "One machine").
 */
process.env.MINIFLARE_WORKERD_V8_FLAGS ??=
  "--max-semi-space-size=1 --initial-old-space-size=4 --heap-growing-percent=20";

const owner = new AsyncLocalStorage<object>();

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "message"] as const;

export interface Workerd {
  miniflare: Miniflare;
  /** Undefined while workerd is being restarted. */
  pid(): number | undefined;
  /**
   * Starts workerd again with other options, on the same port and state. @throws Miniflare's error
   * when it does not start with these; the previous options are served again
   */
  reload(options: MiniflareOptions): Promise<void>;
  dispose(): Promise<void>;
}

/**
 * Waits until workerd listens. `onDeath` is called each time it ends without `dispose`; Miniflare
 * starts it again by itself, on the same port and state. @throws Miniflare's error, code
 * `ERR_ADDRESS_IN_USE` where the port is taken
 */
export async function startWorkerd(
  options: MiniflareOptions,
  onDeath: () => void = () => {},
): Promise<Workerd> {
  let running: ChildProcess | undefined;
  // An exit counts as a death only in between: before workerd listens it is the caller's error, and `reload`
  // and `dispose` end the process themselves.
  let serving = false;
  let current = options;
  const logs = await scratchFolder();
  const us = {};
  const onChild = (message: unknown) => {
    if (owner.getStore() !== us) return;
    const { process: child } = message as { process: ChildProcess };
    logToFiles(child, logs);
    child.once("spawn", () => {
      if (!isWorkerd(child.spawnfile)) return;
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
  const start = async (next: MiniflareOptions) => {
    serving = false;
    await owner.run(us, () => miniflare.setOptions(next));
    current = next;
    serving = true;
  };
  return {
    miniflare,
    pid: () => running?.pid,
    async reload(next) {
      try {
        await start(next);
      } catch (error) {
        await start(current);
        throw error;
      }
    },
    dispose,
  };
}

/**
 * Writes workerd's configuration, which only Miniflare can make, and starts nothing. It has the
 * secrets. @throws Miniflare's error where it does not take the options
 */
export async function recordConfig(options: MiniflareOptions, file: string): Promise<void> {
  process.env.MINIFLARE_WORKERD_PATH = join(import.meta.dirname, "record-config.sh");
  process.env.SILA_CONFIG = file;
  const tmp = resolve(dirname(file), "tmp");
  mkdirSync(tmp, { recursive: true });
  process.env.TMPDIR = tmp;
  const miniflare = new Miniflare({ ...options, log: new NoOpLog() });
  const failure = await miniflare.ready.catch((error: unknown) => error);
  // It waits for a workerd that listens: none does.
  const [own = ""] = readdirSync(tmp);
  await miniflare.dispose().catch(() => {});
  if (!existsSync(file)) throw failure;
  // The configuration names this folder, and Miniflare takes it away.
  mkdirSync(join(tmp, own, "email-store"), { recursive: true });
}

/**
 * Removes Miniflare's signal handlers, which exit with code 130 before the program that runs it can clean up.
 * Miniflare's `exit` handler stays, so workerd still ends with this process.
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
