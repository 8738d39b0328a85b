/**
 * A reporter that ends a run in which nothing has happened for longer than any test may take. Tests and hooks
 * have limits of their own; loading a file, and what the runner does before and after it, have none.
 */
import { spawnSync } from "node:child_process";
import type { Reporter, TestCase, TestModule } from "vitest/node";

/** Longer than the limit of any test; in a long run one test has thousands of random documents. */
const SILENCE_MAX_MS = process.env.TEST_WEEKLY === undefined ? 700_000 : 12_000_000;
/** Exit code of a run that was ended; `EX_TEMPFAIL` of sysexits.h. */
export const SILENT = 75;

type Hook = Parameters<NonNullable<Reporter["onHookStart"]>>[0];

interface Options {
  max_ms?: number;
}

export default class SilenceReporter implements Reporter {
  readonly #max_ms: number;
  /** Files that have begun and not ended, each with what it did last. */
  readonly #begun = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;

  constructor({ max_ms = SILENCE_MAX_MS }: Options = {}) {
    this.#max_ms = max_ms;
  }

  onTestRunStart = () => this.#sign();
  onTestRunEnd = () => clearTimeout(this.#timer);
  onTestModuleQueued = (file: TestModule) => this.#sign(file, "is being loaded");
  onTestModuleCollected = (file: TestModule) => this.#sign(file, "was loaded");
  onTestModuleEnd = (file: TestModule) => {
    this.#begun.delete(nameOf(file));
    this.#sign();
  };
  onTestCaseReady = ({ module, fullName }: TestCase) => this.#sign(module, `began "${fullName}"`);
  onTestCaseResult = ({ module, fullName }: TestCase) => this.#sign(module, `ended "${fullName}"`);
  onHookStart = ({ name, entity }: Hook) => this.#sign(fileOf(entity), `began ${name}`);
  onHookEnd = ({ name, entity }: Hook) => this.#sign(fileOf(entity), `ended ${name}`);

  #sign(file?: TestModule, did = ""): void {
    if (file !== undefined) this.#begun.set(nameOf(file), did);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(), this.#max_ms);
  }

  #end(): never {
    const processes = descendants();
    const lines = [
      `nothing has happened for ${this.#max_ms / 1_000} s; these test files have not ended:`,
      ...[...this.#begun].map(([name, did]) => `  ${name}: ${did}`),
      "these processes were running:",
      ...processes.map(({ line }) => `  ${line}`),
    ];
    process.stderr.write(`${lines.join("\n")}\n`);
    for (const { pid } of processes) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
    }
    process.exit(SILENT);
  }
}

function fileOf(entity: Hook["entity"]): TestModule {
  return entity.type === "module" ? entity : entity.module;
}

/** The runner has several objects for one file. */
function nameOf({ project, relativeModuleId }: TestModule): string {
  return `${project.name} ${relativeModuleId}`;
}

function descendants(): { pid: number; line: string }[] {
  const { stdout, pid: ps } = spawnSync("ps", ["-A", "-o", "pid=,ppid=,stat=,etime=,time=,args="], {
    encoding: "utf8",
  });
  const all = (stdout ?? "").split("\n").map((line) => {
    const [pid, parent] = line.trim().split(/\s+/).map(Number);
    return { pid: pid ?? 0, parent, line: line.trim().slice(0, 160) };
  });
  const found = [{ pid: process.pid, line: "" }];
  // Grows while it is read.
  for (const { pid } of found) {
    found.push(...all.filter((other) => other.parent === pid && other.pid !== ps));
  }
  return found.slice(1);
}
