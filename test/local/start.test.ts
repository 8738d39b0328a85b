/** `npm start`, as somebody who has just cloned the repository meets it. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DEMO_SHARD } from "../../objects/page/flush-page.ts";
import { DEMO_AVATARS } from "../demo/data.ts";
import { BUNDLED, ROOT } from "../server/bundle.ts";
import { freePair } from "../server/ports.ts";

const START_TIMEOUT_MS = 60_000;
/** Every process of a test carries this in its environment, wherever it ends up in the process tree. */
const MARK = "SILA_TEST_RUN";

let statePath: string;
let mark: string;
let started: Started[] = [];

beforeEach(async () => {
  statePath = await mkdtemp(join(tmpdir(), "sila-start-"));
  mark = randomUUID();
});
afterEach(async () => {
  await Promise.all(started.map((run) => run.stop("SIGTERM")));
  started = [];
  await rm(statePath, { recursive: true, force: true });
});

/** One run of `npm start`. */
class Started {
  readonly #npm: ChildProcess;
  readonly exited: Promise<number | null>;
  said = "";

  constructor(env: Record<string, string>) {
    this.#npm = spawn("npm", ["start"], {
      cwd: ROOT,
      // A clone has to build the Worker itself.
      env: { ...process.env, [BUNDLED]: undefined, STATE_PATH: statePath, [MARK]: mark, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.#npm.stdout, this.#npm.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.said += text;
      });
    }
    this.exited = once(this.#npm, "exit").then(([code]) => code as number | null);
    started.push(this);
  }

  /** Its address, once it has said so. */
  async address(): Promise<string> {
    await expect
      .poll(() => this.said, { timeout: START_TIMEOUT_MS, interval: 20 })
      .toMatch(/localhost:\d+\/demo/);
    return `http://localhost:${/localhost:(\d+)\/demo/.exec(this.said)?.[1]}`;
  }

  /** Signals npm alone, as a supervisor does; a terminal would signal the whole group. */
  async stop(signal: NodeJS.Signals): Promise<number | null> {
    if (this.#npm.exitCode === null && this.#npm.signalCode === null) this.#npm.kill(signal);
    return this.exited;
  }
}

test("a clone starts with its demo, keeps what is counted and edited, and leaves nothing behind", {
  timeout: 2 * START_TIMEOUT_MS,
}, async () => {
  const first = new Started({ PORT: "0" });
  let address = await first.address();
  expect(await (await fetch(`${address}/health`)).json()).toMatchObject({ ok: true, app: "sila" });
  expect(await bioOf(address, "demo")).toContain('dir="rtl"');
  expect(await bioOf(address, "demo-en")).toContain('dir="ltr"');
  const avatar = await fetch(`${address}/media/${DEMO_AVATARS[0].key}`);
  expect(avatar.headers.get("Content-Type")).toBe(DEMO_AVATARS[0].type);
  expect(await click(address)).toBe("counted");
  expect((await fetch(`${address}/health/deep`)).status).toBe(200);
  const cookie = await signIn(address, "demo-pro");
  expect(await nameOf(address, cookie)).toBe("ليان الحوراني");

  expect(await first.stop("SIGINT")).toBe(0);
  expect(await leftOvers()).toEqual([]);
  const history = await madeUp();
  expect(history.map(({ page_id }) => page_id)).toEqual(["demo", "demo-en"]);
  await editDemo();

  const second = new Started({ PORT: "0" });
  address = await second.address();
  expect(await click(address)).toBe("duplicate");
  const page = await bioOf(address, "demo-en");
  expect(page).toContain("Edited by its creator");
  expect(page).not.toContain("demo-en-shop");
  expect(await nameOf(address, cookie)).toBe("ليان الحوراني");

  expect(await second.stop("SIGTERM")).toBe(0);
  expect(await leftOvers()).toEqual([]);
  expect(await madeUp()).toEqual(history);
});

test("F26: the hub listens before the service does: the first deep probe passes", {
  timeout: START_TIMEOUT_MS,
}, async () => {
  const pair = await freePair(0);
  if ("taken" in pair) throw new Error("no two ports in a row are free");
  const run = new Started({ PORT: String(pair.port) });
  // From before the port opens: the first answer is from the moment it does.
  let first: Response | null = null;
  while (first === null) {
    first = await fetch(`http://localhost:${pair.port}/health/deep`).catch(() => null);
    if (first === null) await pause(5);
  }
  expect(await first.json()).toMatchObject({ ok: true, checks: { hub: { ok: true } } });
  expect(first.status).toBe(200);
  expect(await run.stop("SIGTERM")).toBe(0);
});

test("a port or a state folder that is taken is named, and nothing is started", {
  timeout: 2 * START_TIMEOUT_MS,
}, async () => {
  const address = await new Started({ PORT: "0" }).address();
  const { port } = new URL(address);

  const samePort = new Started({ PORT: port, STATE_PATH: join(statePath, "other") });
  expect(await samePort.exited).toBe(1);
  expect(samePort.said).toContain(`Port ${port} is in use`);
  expect(samePort.said).toContain(`المنفذ ${port} مشغول`);

  // The hub's, which is the next one.
  const before = Number(port) - 1;
  const hubsPort = new Started({ PORT: String(before), STATE_PATH: join(statePath, "other") });
  expect(await hubsPort.exited).toBe(1);
  expect(hubsPort.said).toContain(`Port ${port} is in use`);

  const sameState = new Started({ PORT: "0" });
  expect(await sameState.exited).toBe(1);
  expect(sameState.said).toContain("is being served by another process");

  expect((await fetch(`${address}/health`)).status).toBe(200);
});

async function bioOf(address: string, slug: string): Promise<string> {
  const response = await fetch(`${address}/${slug}`);
  expect(response.status).toBe(200);
  return response.text();
}

/** Follows the login to the hub and its form back, as a browser does; answers the cookie. */
async function signIn(address: string, account: string): Promise<string> {
  const login = await fetch(`${address}/api/auth/login?return_to=/demo`, { redirect: "manual" });
  const page = login.headers.get("Location") ?? "";
  expect(await (await fetch(page)).text()).toContain(account);
  const { origin, searchParams } = new URL(page);
  const signedIn = await fetch(`${origin}/sign-in`, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: origin },
    body: new URLSearchParams({ account, return_to: searchParams.get("return_to") ?? "" }),
  });
  expect(signedIn.status).toBe(303);
  expect(signedIn.headers.get("Location")).toBe(`${address}/demo`);
  return signedIn.headers.get("Set-Cookie")?.split(";")[0] ?? "";
}

/** Who the service takes the bearer of this cookie for. */
async function nameOf(address: string, cookie: string): Promise<string | undefined> {
  const response = await fetch(`${address}/api/auth/session`, { headers: { Cookie: cookie } });
  return ((await response.json()) as { user: { name: string } | null }).user?.name;
}

/** One click with one id: whoever counted it knows it again. */
async function click(address: string): Promise<string | null> {
  const response = await fetch(`${address}/r/demo/demo-shop?e=one-click`, { redirect: "manual" });
  expect(response.status).toBe(302);
  return response.headers.get("X-Beacon-Outcome");
}

/** What a creator may do between two starts: another text, one link less. */
async function editDemo(): Promise<void> {
  await withD1((db) => {
    db.exec("UPDATE pages SET bio = 'Edited by its creator' WHERE page_id = 'demo-en'");
    db.exec("DELETE FROM links WHERE link_id = 'demo-en-shop'");
  });
}

/** The events of the demo's history, by page. */
function madeUp() {
  return withD1((db) =>
    db
      .prepare(
        `SELECT page_id, SUM(n) AS n, MAX(hour) AS until FROM tallies WHERE shard = ?
         GROUP BY page_id ORDER BY page_id`,
      )
      .all(DEMO_SHARD),
  );
}

/** Opens the database that the service keeps, while nothing serves it. */
async function withD1<T>(work: (db: DatabaseSync) => T): Promise<T> {
  const folder = join(statePath, "v3/d1/miniflare-D1DatabaseObject");
  const [name] = (await readdir(folder)).filter(
    (file) => file.endsWith(".sqlite") && file !== "metadata.sqlite",
  );
  const db = new DatabaseSync(join(folder, name ?? ""));
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** Processes of this test that still run: found by their environment, because orphans have no parent. */
async function leftOvers(): Promise<string[]> {
  if (process.platform !== "linux") return [];
  const found: string[] = [];
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    // A process may end while it is looked at, and others' are not ours to read.
    const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
    if (!environment.includes(`${MARK}=${mark}`)) continue;
    found.push((await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")) || pid);
  }
  return found;
}
