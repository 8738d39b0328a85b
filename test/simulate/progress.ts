/** Progress of the run: one line that is overwritten on a terminal, and a line now and then elsewhere. */
import type { WriteStream } from "node:tty";
import type { Options } from "./options.ts";
import type { Progress } from "./run.ts";

const BAR_CHARS_MAX = 24;
/** For output that cannot be overwritten. */
const LINE_EVERY_MS = 5_000;
const LINE_CHARS = 120;
const ERASE_LINE = "\r\u001b[2K";

export class ProgressBar {
  readonly #options: Options;
  readonly #to: WriteStream;
  #told_ms = Number.NEGATIVE_INFINITY;

  constructor(options: Options, to: WriteStream) {
    this.#options = options;
    this.#to = to;
  }

  show(progress: Progress): void {
    // One column less than the terminal has: a full line would wrap.
    const columns = this.#to.isTTY ? (this.#to.columns || 80) - 1 : LINE_CHARS;
    const line = progressLine(progress, this.#options, columns);
    if (this.#to.isTTY) this.#to.write(ERASE_LINE + line);
    else if (performance.now() - this.#told_ms >= LINE_EVERY_MS) {
      this.#told_ms = performance.now();
      this.#to.write(`${line}\n`);
    }
  }

  clear(): void {
    if (this.#to.isTTY) this.#to.write(ERASE_LINE);
  }
}

/** The numbers first, because a narrow terminal cuts the line; the bar gets the remaining columns. */
function progressLine({ phase, settled, done }: Progress, asked: Options, columns: number): string {
  const part = settled / asked.events;
  const facts = [
    `${Math.floor(100 * part)}%`,
    `${settled}/${asked.events} events`,
    `kills ${done.kills}/${asked.kills}`,
    `D1 ${done.d1_outages}/${asked.d1_outages}`,
    `evictions ${done.evictions}/${asked.evictions}`,
    `seed ${asked.seed}`,
  ];
  if (phase === "settling") facts.push("waiting for D1");
  const line = facts.join(" · ");
  const room = Math.max(0, Math.min(BAR_CHARS_MAX, columns - line.length - 1));
  const full = Math.floor(part * room);
  return `${line} ${"█".repeat(full)}${"░".repeat(room - full)}`.slice(0, columns);
}
