/** `npm run serve` in a process of its own, on a folder with one page, and what a visitor does there. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { ROOT } from "../../src/commands/root.ts";
import { BUNDLED } from "../../src/commands/serve/bundle.ts";
import { readCheckout } from "../../src/commands/serve/checkout.ts";
import { prepareState } from "../../src/commands/serve/server.ts";
import { plainPage, storePage } from "../plain-page.ts";

const PAGE = "machine";
/** A browser; without it an event is a bot's. */
const USER_AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const ADDRESS = /^ +(http:\/\/localhost:\d+)$/m;
const PRINTED = "printed";

/** Puts the page into the database of a folder that nobody serves, without the last migrations. */
export async function makeFolder(folder: string, without = 0): Promise<void> {
  const checkout = await readCheckout();
  const { main, stats } = checkout.migrations;
  const migrations = { stats, main: main.slice(0, main.length - without) };
  await prepareState({ ...checkout, migrations }, folder, {
    seed: (db) => storePage(db, plainPage({ page_id: PAGE })),
  });
}

export class Machine {
  readonly #process: ChildProcess;
  readonly exited: Promise<number | null>;
  output = "";

  /** @param under a command that runs it, as `nice` */
  constructor(folder: string, env: Record<string, string> = {}, under: readonly string[] = []) {
    const words = [...under, process.execPath, "--no-warnings", "src/commands/serve/serve.ts"];
    this.#process = spawn(words[0] ?? "", words.slice(1), {
      cwd: ROOT,
      // Its group can be killed; and it ends with this process, as under npm.
      detached: true,
      env: {
        ...process.env,
        ...{ DATA: folder, PORT: "0", TRUST_PROXY: "127.0.0.1", FLUSH_SECONDS: "1" },
        ...{ QUIET_FLUSH_SECONDS: "1", npm_lifecycle_event: "serve", [BUNDLED]: undefined, ...env },
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
    if (this.#isRunning()) this.#process.kill(signal);
    return this.exited;
  }

  /** With what it has started, but for what left its group. */
  async killGroup(): Promise<void> {
    if (this.#isRunning()) process.kill(-(this.#process.pid ?? 0), "SIGKILL");
    await this.exited;
  }

  #isRunning(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

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

/** The views of the page in D1's file, as another process reads them. */
export async function viewsInD1(of: string): Promise<number> {
  return readD1(of, (db) => {
    const row = db.prepare("SELECT SUM(n) AS n FROM tallies WHERE kind = 'view'").get();
    return Number(row?.n ?? 0);
  });
}

export async function readD1<T>(of: string, read: (db: DatabaseSync) => T): Promise<T> {
  const d1 = join(of, "v3/d1/miniflare-D1DatabaseObject");
  const [file = ""] = (await readdir(d1)).filter((name) => /^[0-9a-f]+\.sqlite$/.test(name));
  const db = new DatabaseSync(join(d1, file), { readOnly: true });
  try {
    return read(db);
  } finally {
    db.close();
  }
}

export async function backup(data: string, to: string): Promise<string> {
  const program = join(ROOT, "src/commands/serve/backup.ts");
  const { stdout } = await promisify(execFile)(process.execPath, ["--no-warnings", program, to], {
    env: { ...process.env, DATA: data },
  });
  return stdout;
}
