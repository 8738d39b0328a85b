/**
 * WebKitGTK in a window of ours (`webkit.py`), with the pointer and the keyboard of an X server.
 *
 * Not WebKitWebDriver: it releases every mouse button as the first one, so nothing is a middle click, and it
 * hangs on a page that comes back from the back/forward cache.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { promisify } from "node:util";
import { ROOT } from "../../src/commands/root.ts";
import { type Engine, NoEngine, type Point, type Tab, type Way } from "./engine.ts";
import { onPath } from "./on-path.ts";

const PACKAGES = "xvfb xdotool gir1.2-webkit2-4.1 python3-gi";
/** Room for two windows of `webkit.py` side by side. */
const SCREEN = "2000x1000x24";
const COMMAND_TIMEOUT_MS = 15_000;
/** A page that is just being replaced may never answer. */
const EVALUATE_TIMEOUT_MS = 3_000;
/** Between two keys. With fewer, GTK misses some. */
const KEY_DELAY_MS = 12;

export async function startWebKit(downloads: string): Promise<Engine> {
  for (const program of ["Xvfb", "xdotool", "python3"]) {
    if ((await onPath(program)) === null) {
      throw new NoEngine(`no ${program}: apt-get install ${PACKAGES}`);
    }
  }
  await using starting = new AsyncDisposableStack();
  const screen = await startScreen();
  starting.defer(() => end(screen.process));
  const env = { ...process.env, DISPLAY: screen.display, GDK_BACKEND: "x11", NO_AT_BRIDGE: "1" };
  // Debian's, which has the bindings, and not another one that comes first.
  const program = join(ROOT, "test/engines/webkit.py");
  const child = spawn("/usr/bin/python3", [program, downloads], {
    env,
    stdio: ["pipe", "pipe", "pipe"],
  });
  starting.defer(() => end(child));
  const run = commands(child, child.stdin, child.stdout, child.stderr);
  const tool = async (...args: (string | number)[]) => {
    await promisify(execFile)("xdotool", args.map(String), { env, timeout: COMMAND_TIMEOUT_MS });
  };
  const version = String(await run({ do: "version" }));
  const started = starting.move();
  let tabs = 0;
  return {
    name: "WebKitGTK",
    version,
    lacks: { touch: "xdotool sends no touch events" },
    async open({ scripts } = { scripts: true }): Promise<Tab> {
      tabs += 1;
      const tab = `tab-${tabs}`;
      const window = Number(await run({ do: "open", tab, scripts }));
      const focus = ["windowfocus", window];
      return {
        load: async (url) => void (await run({ do: "load", tab, url })),
        evaluate: async <T>(script: string) => (await run({ do: "evaluate", tab, script })) as T,
        press: (way, at) => tool(...focus, ...WAYS[way](at)),
        type: (text) => tool(...focus, "type", "--delay", KEY_DELAY_MS, text),
        leave: async () => void (await run({ do: "leave", tab })),
        close: async () => void (await run({ do: "close", tab })),
      };
    },
    close: () => started.disposeAsync(),
  };
}

/** Arguments of xdotool. The window is in the corner of the screen and has no frame. */
const WAYS: Record<Way, (at: Point) => (string | number)[]> = {
  mouse: ({ x, y }) => ["mousemove", x, y, "click", 1],
  middle: ({ x, y }) => ["mousemove", x, y, "click", 2],
  right: ({ x, y }) => ["mousemove", x, y, "click", 3],
  ctrl: ({ x, y }) => ["mousemove", x, y, "keydown", "ctrl", "click", 1, "keyup", "ctrl"],
  enter: () => ["key", "Return"],
  touch: () => [],
};

async function startScreen(): Promise<{ process: ChildProcess; display: string }> {
  // It ends with its last window, too, however this process ends.
  const args = ["-displayfd", "3", "-screen", "0", SCREEN, "-nolisten", "tcp", "-terminate"];
  const child = spawn("Xvfb", args, { stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const [, , , numbers] = child.stdio;
  const [line] = (await Promise.race([
    once(numbers as Readable, "data"),
    once(child, "exit").then(() => Promise.reject(new NoEngine("Xvfb did not start"))),
  ])) as [Buffer];
  return { process: child, display: `:${String(line).trim()}` };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, "exit");
}

interface Answer {
  id: number;
  value: unknown;
  error: string | null;
}

function commands(child: ChildProcess, stdin: Writable, stdout: Readable, stderr: Readable) {
  const waiting = new Map<number, (answer: Answer) => void>();
  let complaints = "";
  stderr.on("data", (text: Buffer) => {
    complaints = (complaints + text).slice(-2_000);
  });
  createInterface({ input: stdout }).on("line", (line) => {
    const answer = JSON.parse(line) as Answer;
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  stdin.on("error", () => {});
  child.once("exit", () => {
    const missing = complaints.includes("not available") ? `: apt-get install ${PACKAGES}` : "";
    const error = `webkit.py has ended${missing}\n${complaints}`;
    for (const [id, resolve] of waiting) resolve({ id, value: null, error });
  });
  let sent = 0;
  return async (command: Record<string, unknown>): Promise<unknown> => {
    sent += 1;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const id = sent;
    waiting.set(id, resolve);
    const late = () => resolve({ id, value: null, error: `no answer to ${String(command.do)}` });
    const timer = setTimeout(
      late,
      command.do === "evaluate" ? EVALUATE_TIMEOUT_MS : COMMAND_TIMEOUT_MS,
    );
    if (child.exitCode !== null) late();
    stdin.write(`${JSON.stringify({ id, ...command })}\n`);
    const { value, error } = await promise;
    clearTimeout(timer);
    waiting.delete(id);
    if (error !== null) throw new Error(error);
    return value;
  };
}
