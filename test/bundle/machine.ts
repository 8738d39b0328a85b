/** `npm run serve` in a process of its own, on a folder with one page, and what a visitor does there. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { BUNDLED, ROOT } from "../../src/serve/bundle.ts";
import { readCheckout } from "../../src/serve/checkout.ts";
import { prepareState } from "../../src/serve/server.ts";
import { plainPage, storePage } from "../plain-page.ts";

const PAGE = "machine";
/** A browser; without it an event is a bot's. */
const USER_AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const ADDRESS = /^ +(http:\/\/localhost:\d+)$/m;
const PRINTED = "printed";

/** Puts the page into the database of a folder that nobody serves. */
export async function makeFolder(folder: string): Promise<void> {
  await prepareState(await readCheckout(), folder, {
    seed: (db) => storePage(db, plainPage({ page_id: PAGE })),
  });
}

export class Machine {
  readonly #process: ChildProcess;
  readonly exited: Promise<number | null>;
  /** Everything that it has printed. */
  output = "";

  constructor(folder: string, env: Record<string, string> = {}) {
    this.#process = spawn(process.execPath, ["--no-warnings", "src/serve/serve.ts"], {
      cwd: ROOT,
      env: {
        ...process.env,
        ...{ DATA: folder, PORT: "0", TRUST_PROXY: "127.0.0.1", FLUSH_SECONDS: "1" },
        ...{ QUIET_FLUSH_SECONDS: "1", [BUNDLED]: undefined, ...env },
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.output += text;
        this.#process.emit(PRINTED);
      });
    }
    this.exited = once(this.#process, "exit").then(([code]) => code as number | null);
  }

  /** Its address, once it serves. Rejects with what it printed when it ends without. */
  async address(): Promise<string> {
    const ended = this.exited.then(() => {
      throw new Error(`it ended:\n${this.output}`);
    });
    ended.catch(() => {});
    while (!ADDRESS.test(this.output)) {
      await Promise.race([once(this.#process, PRINTED), ended]);
    }
    return ADDRESS.exec(this.output)?.[1] ?? "";
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      this.#process.kill(signal);
    }
    return this.exited;
  }

  /** The process ids of workerd. */
  async workerd(): Promise<number[]> {
    const pid = this.#process.pid;
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
    const ids = children.split(" ").filter((one) => one !== "");
    const names = await Promise.all(ids.map((id) => readFile(`/proc/${id}/comm`, "utf8")));
    return ids.filter((_, i) => names[i]?.startsWith("workerd")).map(Number);
  }
}

/** A view by a sender of its own: `counted`, `duplicate`, or null where it was not acknowledged. */
export async function view(
  address: string,
  event_id: string,
  sender: string,
): Promise<string | null> {
  try {
    const response = await fetch(`${address}/api/analytics/view`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "User-Agent": USER_AGENT,
        "X-Forwarded-For": sender,
      },
      body: JSON.stringify({ page_id: PAGE, event_id }),
    });
    await response.body?.cancel();
    return response.status === 202 ? response.headers.get("X-Beacon-Outcome") : null;
  } catch {
    return null;
  }
}

/** Runs `npm run backup`'s program. Rejects with what it printed. */
export async function backup(data: string, to: string): Promise<string> {
  const program = join(ROOT, "src/serve/backup.ts");
  const { stdout } = await promisify(execFile)(process.execPath, ["--no-warnings", program, to], {
    env: { ...process.env, DATA: data },
  });
  return stdout;
}
