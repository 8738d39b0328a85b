/**
 * Lets workerd write its log to files instead of pipes. Miniflare's handles, such as
 * `getD1Database`, make synchronous requests to workerd: `Atomics.wait` blocks this thread, and
 * meanwhile nothing reads workerd's pipes. workerd writes its log synchronously: once a pipe is
 * full (at most 208 KB on Linux) it cannot answer, and both processes wait for each other for ever.
 * A write to a file waits for no reader.
 *
 * The files are in memory where possible, and grow until workerd ends. They are deleted as soon as
 * they are open, so that they go with their processes.
 */
import type { ChildProcess } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

const POLL_MS = 20;
/** Less than the streams' high-water marks, so that a chunk goes through all of them at once. */
const CHUNK_BYTES = 8_192;

/** Undocumented: `child_process.spawn` makes the child, publishes it on the diagnostics channel, and calls this. */
interface Spawning {
  spawn(options: { file: string; stdio: unknown[] }): unknown;
}

export function isWorkerd(file: string): boolean {
  return basename(file).startsWith("workerd");
}

/** Takes a child that is not spawned yet; changes nothing unless it becomes a workerd. */
export function logToFiles(child: ChildProcess, parent_folder: string): void {
  const spawning = child as unknown as Spawning;
  const spawn = spawning.spawn.bind(child);
  spawning.spawn = (options) => {
    if (!isWorkerd(options.file)) return spawn(options);
    const [stdout, stderr] = openLogs(parent_folder);
    const [stdin, , , ...others] = options.stdio;
    const result = spawn({ ...options, stdio: [stdin, stdout.fd, stderr.fd, ...others] });
    Object.assign(child, { stdout, stderr });
    // Before Miniflare's listener, which looks for the reason of a failed start in what was read.
    child.prependOnceListener("exit", () => {
      stdout.complete();
      stderr.complete();
    });
    return result;
  };
}

function openLogs(parent_folder: string): [LogFile, LogFile] {
  const folder = mkdtempSync(join(parent_folder, "sila-log-"));
  try {
    return [new LogFile(join(folder, "stdout")), new LogFile(join(folder, "stderr"))];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export class LogFile extends Readable {
  readonly fd: number;
  readonly #chunk = Buffer.alloc(CHUNK_BYTES);
  /** A chunk may end within a character. */
  readonly #decoder = new StringDecoder();
  #position = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(path: string) {
    super();
    this.fd = openSync(path, "a+");
  }

  override _read(): void {
    clearTimeout(this.#timer);
    if (!this.#take()) this.#timer = setTimeout(() => this._read(), POLL_MS).unref();
  }

  /** The writer has ended: reads the rest. */
  complete(): void {
    if (this.destroyed) return;
    clearTimeout(this.#timer);
    while (this.#take());
    this.push(null);
  }

  /** Miniflare calls this before it ends workerd. What was written until then is still read. */
  override destroy(error?: Error): this {
    if (!this.destroyed && !this.readableEnded) while (this.#take());
    return super.destroy(error);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#timer);
    closeSync(this.fd);
    done(error);
  }

  #take(): boolean {
    const n = readSync(this.fd, this.#chunk, 0, CHUNK_BYTES, this.#position);
    this.#position += n;
    if (n > 0) this.push(this.#decoder.write(this.#chunk.subarray(0, n)));
    return n > 0;
  }
}
