/**
 * `npm run serve` and `npm run backup` where the machine is unkind (F17, and F1 of whole processes): a full disk, a folder
 * that is read-only, SIGKILL at any moment of a start, an upgrade or a backup, odd paths. It mounts small disks: as root, or
 * by sudo. Tests that need one are skipped, and counted as such, where the system allows neither.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readlinkSync, rmdirSync } from "node:fs";
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
} from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { ROOT } from "../../src/commands/root.ts";
import { readCheckout } from "../../src/commands/serve/checkout.ts";
import { lockState } from "../../src/commands/serve/lock.ts";
import {
  BEGIN,
  BEGUN,
  LOCK,
  PAUSE,
  PAUSED,
  UNFINISHED,
} from "../../src/commands/serve/run-folder.ts";
import { scratchFolder } from "../../src/commands/serve/scratch.ts";
import { backup, Machine, makeFolder, readD1, view, viewsInD1 } from "../bundle/machine.ts";
import { generator, randomSeed } from "../random.ts";

const run = promisify(execFile);

/** Builds where nobody has. */
const TIMEOUT_MS = 180_000;
const KB = 1_024;
const MB = 1_024 * KB;
const IS_ROOT = process.getuid?.() === 0;
/** Permissions bind nobody who has these capabilities. */
const BOUND = IS_ROOT ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : [];
const READ_ONLY = /^✗ \S+ is not this user's to read and write, or its disk is read-only \(\w+\)$/m;
const FULL = /^✗ (?:no room is left on the disk of|the disk of) \S+/m;

const seed = Number(process.env.TEST_SEED || randomSeed());
const random = generator(seed);

let folder: string;
/** A folder with the page, of which each test has its own copy. */
let made: string;
/** Milliseconds that a start takes here. */
let start_ms: number;

beforeAll(async () => {
  folder = await mkdtemp(join(await scratchFolder(), "sila-unkind-"));
  made = join(folder, "made");
  await mkdir(made);
  await makeFolder(made);
  // Builds.
  await started(made).address();
  const from = performance.now();
  const again = started(await copied("again"));
  await again.address();
  start_ms = performance.now() - from;
  await again.stop();
}, TIMEOUT_MS);
afterAll(async () => {
  await Promise.all(machines.map((machine) => machine.stop("SIGKILL")));
  await rm(folder, { recursive: true, force: true });
});

const machines: Machine[] = [];

/** Ended with the file at the latest. */
function started(
  data: string,
  under: readonly string[] = [],
  env: Record<string, string> = {},
): Machine {
  const machine = new Machine(data, env, under);
  machines.push(machine);
  return machine;
}

async function copied(name: string, of = made): Promise<string> {
  await Promise.all(machines.map((machine) => machine.stop("SIGKILL")));
  const data = join(folder, name);
  await cp(of, data, { recursive: true, filter: (path) => !/\/(?:run|lock)$/.test(path) });
  return data;
}

function asRoot(...words: string[]): void {
  const [command = "", ...rest] = IS_ROOT ? words : ["sudo", "-n", ...words];
  execFileSync(command, rest, { stdio: "pipe" });
}

function mount(bytes: number, disk: string): void {
  asRoot("mount", "-t", "tmpfs", "-o", `size=${bytes}`, "small", disk);
}

/** Away at once; the disk itself goes with the last process that ends there. */
function unmount(disk: string): void {
  asRoot("umount", "--lazy", disk);
}

function canMount(): boolean {
  const disk = mkdtempSync(join(tmpdir(), "sila-disk-"));
  try {
    mount(MB, disk);
    unmount(disk);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(disk);
  }
}

const testWithDisks = test.skipIf(!canMount());

/** A disk of its own for the test. */
async function smallDisk(name: string, bytes: number): Promise<string> {
  const disk = join(folder, name);
  await mkdir(disk);
  mount(bytes, disk);
  onTestFinished(async () => {
    await Promise.all(machines.map((machine) => machine.stop("SIGKILL")));
    await expect.poll(() => inside(disk)).toEqual([]);
    unmount(disk);
  });
  return disk;
}

/** Fills a disk until so much is left. */
async function fill(disk: string, left = 0): Promise<void> {
  const filler = await open(join(disk, "filler"), "w");
  try {
    for (;;) await filler.write(Buffer.alloc(4 * KB));
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe("ENOSPC");
    await filler.truncate(Math.max((await filler.stat()).size - left, 0));
  } finally {
    await filler.close();
  }
}

/** The processes that work in a folder: parents, children that prepare, workerd. */
async function inside(data: string): Promise<string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  return ids.filter((id) => {
    try {
      // The shells beside them end a moment later.
      return readlinkSync(`/proc/${id}/cwd`).startsWith(data) && commandOf(id) !== "sh";
    } catch {
      return false;
    }
  });
}

function commandOf(id: string): string {
  return readFileSync(`/proc/${id}/comm`, "utf8").trim();
}

let senders = 0;

/** By a sender of its own. */
function viewed(address: string, id: string): Promise<string | null> {
  senders += 1;
  return view(address, id, `10.${senders >> 16}.${(senders >> 8) & 255}.${senders & 255}`);
}

async function statusOf(address: string, path: string): Promise<number> {
  senders += 1;
  const headers = { "X-Forwarded-For": `10.200.${senders >> 8}.${senders & 255}` };
  const response = await fetch(`${address}${path}`, { headers });
  await response.body?.cancel();
  return response.status;
}

async function statusOfView(address: string, event_id: string): Promise<number> {
  senders += 1;
  const response = await fetch(`${address}/api/analytics/view`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Forwarded-For": `10.201.0.${senders % 250}` },
    body: JSON.stringify({ page_id: "machine", event_id }),
  });
  await response.body?.cancel();
  return response.status;
}

testWithDisks(
  "F17: a start on a full disk says so, and the folder is served once there is room",
  {
    timeout: TIMEOUT_MS,
  },
  async () => {
    const disk = await smallDisk("full", 32 * MB);
    const data = join(disk, "data");
    for (const left of [0, 16 * KB, 512 * KB, 4 * MB]) {
      await fill(disk, left);
      const refused = started(data);
      expect(await refused.exited).toBe(1);
      expect(refused.output).toMatch(FULL);
      expect(await inside(data)).toEqual([]);
    }
    const key = await readFile(join(data, "key"), "utf8");
    await rm(join(disk, "filler"));
    expect(await statusOf(await started(data).address(), "/health/deep")).toBe(200);
    expect(await readFile(join(data, "key"), "utf8")).toBe(key);
  },
);

testWithDisks(
  "F17: on a disk that becomes full nothing is acknowledged, pages are served, and counting goes on with room",
  {
    timeout: TIMEOUT_MS,
  },
  async () => {
    const disk = await smallDisk("filling", 64 * MB);
    const data = join(disk, "data");
    await cp(await copied("of-filling"), data, { recursive: true });
    let machine = started(data);
    let address = await machine.address();
    const acknowledged: string[] = [];
    const refused: string[] = [];
    const count = async (n: number) => {
      for (let i = 0; i < n; i += 1) {
        const id = randomUUID();
        const outcome = await viewed(address, id);
        (outcome === null ? refused : acknowledged).push(id);
      }
    };
    expect(await statusOf(address, "/machine")).toBe(200);
    await count(20);
    expect(refused).toEqual([]);
    await fill(disk);
    await count(40);
    expect(refused).not.toEqual([]);
    expect(await statusOfView(address, randomUUID())).toBe(503);
    expect(await statusOf(address, "/machine")).toBe(200);
    expect(await statusOf(address, "/health")).toBe(200);
    await rm(join(disk, "filler"));
    await expect.poll(() => viewed(address, refused[0] ?? "")).not.toBe(null);
    await count(20);

    await machine.stop("SIGKILL");
    await expect.poll(() => inside(data)).toEqual([]);
    await rm(join(data, "run"), { recursive: true });
    await fill(disk);
    machine = started(data);
    expect(await machine.exited).toBe(1);
    expect(machine.output).toMatch(FULL);
    await rm(join(disk, "filler"));
    machine = started(data);
    address = await machine.address();
    for (const id of acknowledged) expect(await viewed(address, id)).toBe("duplicate");
    for (const id of refused) expect(await viewed(address, id)).not.toBe(null);
    await expect.poll(() => viewsInD1(data)).toBe(acknowledged.length + refused.length);
  },
);

test("a log that cannot be written ends nothing", { timeout: TIMEOUT_MS }, async () => {
  const PORT = String(await freePort());
  const address = `http://localhost:${PORT}`;
  const data = await copied("log");
  const machine = started(data, ["sh", "-c", 'exec "$@" >/dev/full 2>&1', "sh"], { PORT });
  const counts = () => viewed(address, randomUUID());
  await expect.poll(counts).toBe("counted");
  // Its end is logged.
  const [pid = 0] = await machine.workerd();
  process.kill(pid, "SIGKILL");
  await expect.poll(counts).toBe("counted");
  expect(await machine.stop()).toBe(0);
});

/** What it prints does not arrive. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await once(server.close(), "close");
  return port;
}

test("a folder that is read-only is refused in a sentence, and stays as it is", {
  timeout: TIMEOUT_MS,
}, async () => {
  const data = await copied("read-only");
  const served = await copied("read-only-served");
  await started(served).address();
  // With a lock that nobody holds.
  await Promise.all(machines.map((machine) => machine.stop("SIGKILL")));
  for (const one of [data, served, join(folder, "read-only/new")]) {
    await run("chmod", ["-R", "a-w", one]).catch(() => {});
    const before = await listing(folder, /read-only/);
    const refused = started(one, BOUND);
    expect(await refused.exited).toBe(1);
    expect(refused.output).toMatch(READ_ONLY);
    expect(await listing(folder, /read-only/)).toEqual(before);
  }
  await run("chmod", ["-R", "u+w", data, served]);
  const address = await started(served).address();
  expect(await viewed(address, randomUUID())).toBe("counted");
});

async function listing(of: string, which: RegExp): Promise<string[]> {
  const names = (await readdir(of, { recursive: true })).filter((name) => which.test(name));
  const files = names.map(async (name) => {
    const { size, mtimeMs } = await stat(join(of, name));
    return `${name} ${size} ${mtimeMs}`;
  });
  return (await Promise.all(files)).sort();
}

/** Kills starts of the folder at random moments, and starts anew after each few. */
async function killStarts(
  data: string,
  { rounds, each }: { rounds: number; each: number },
  then: (address: string) => Promise<void>,
): Promise<void> {
  for (let round = 1; round <= rounds; round += 1) {
    const about = `seed ${seed}, round ${round}`;
    const machine = started(data);
    await pause(random() * 1.1 * start_ms);
    // A start that ends by itself is a refusal.
    expect(machine.output, about).not.toContain("✗");
    await (random() < 0.5 ? machine.killGroup() : machine.stop("SIGKILL"));
    // In half of the rounds the next start comes at once.
    if (random() < 0.5 || round % each === 0) await expect.poll(() => inside(data)).toEqual([]);
    if (round % each !== 0) continue;
    const whole = started(data);
    await then(await whole.address().catch((error) => expect.fail(`${about}: ${error}`)));
    await (random() < 0.5 ? whole.killGroup() : whole.stop("SIGKILL"));
  }
}

test("F1: first starts that are killed leave a folder that is served", {
  timeout: TIMEOUT_MS,
}, async () => {
  let key = "";
  const data = join(folder, "first");
  await killStarts(data, { rounds: 4, each: 2 }, async (address) => {
    expect(await statusOf(address, "/health/deep")).toBe(200);
    const now = await readFile(join(data, "key"), "utf8");
    if (key !== "") expect(now).toBe(key);
    key = now;
  });
  await isWhole(data);
});

test("F1: starts that are killed lose nothing that was acknowledged before", {
  timeout: TIMEOUT_MS,
}, async () => {
  const data = await copied("killed");
  const key = await readFile(join(data, "key"), "utf8");
  const acknowledged: string[] = [];
  await killStarts(data, { rounds: 6, each: 3 }, async (address) => {
    for (const id of acknowledged) expect(await viewed(address, id), `${seed}`).toBe("duplicate");
    const id = randomUUID();
    expect(await viewed(address, id)).toBe("counted");
    acknowledged.push(id);
    expect(await readFile(join(data, "key"), "utf8")).toBe(key);
  });
  await started(data).address();
  await expect.poll(() => viewsInD1(data)).toBe(acknowledged.length);
});

test("F16: upgrades that are killed are whole after the next start", {
  timeout: TIMEOUT_MS,
}, async () => {
  const old = join(folder, "old");
  await mkdir(old);
  await makeFolder(old, 3);
  await killStarts(old, { rounds: 2, each: 2 }, async (address) => {
    expect(await viewed(address, randomUUID())).toBe("counted");
  });
  await isWhole(old);
});

/** Every migration is applied, in order. */
async function isWhole(data: string): Promise<void> {
  const names = await readD1(data, (db) =>
    db.prepare("SELECT name FROM d1_migrations ORDER BY id").all(),
  );
  const { main } = (await readCheckout()).migrations;
  expect(names.map(({ name }) => name)).toEqual(main.map(({ name }) => name));
}

/** A backup's process, which is killed. */
function begunBackup(data: string, to: string): ChildProcess {
  return spawn(
    process.execPath,
    ["--no-warnings", join(ROOT, "src/commands/serve/backup.ts"), to],
    {
      env: { ...process.env, DATA: data },
      stdio: "ignore",
    },
  );
}

/** What a backup says to the service, until so far. */
async function sayAs(data: string, ...words: [string, string][]): Promise<Socket> {
  const socket = connect(join(data, LOCK)).on("error", () => {});
  for (const [word, answer] of words) {
    socket.write(word);
    const [answered] = await once(socket, "data");
    expect(`${answered}`).toBe(answer);
  }
  return socket;
}

test("a backup that is killed at any moment holds nothing up, and what it leaves is no copy", {
  timeout: TIMEOUT_MS,
}, async () => {
  const data = await copied("backed-up");
  const machine = started(data);
  const address = await machine.address();
  const to = join(folder, "broken-off");
  const from = performance.now();
  await backup(data, join(folder, "timed"));
  const backup_ms = performance.now() - from;
  for (let round = 1; round <= 6; round += 1) {
    const child = begunBackup(data, to);
    const ended = once(child, "exit");
    await pause(random() * backup_ms);
    child.kill("SIGKILL");
    await ended;
    expect(await viewed(address, randomUUID()), `seed ${seed}, round ${round}`).toBe("counted");
    // Killed too late.
    await rm(to, { recursive: true, force: true });
  }
  await sayAs(data, [BEGIN, BEGUN], [PAUSE, PAUSED]).then((socket) => socket.destroy());
  expect(await viewed(address, randomUUID())).toBe("counted");
  await backup(data, to);
  await machine.stop();
  const copy = await started(to).address();
  expect(await viewed(copy, randomUUID())).toBe("counted");
});

test("a workerd that is killed in a backup's pause is started again, and the backup fails", {
  timeout: TIMEOUT_MS,
}, async () => {
  const data = await copied("paused");
  const machine = started(data);
  const address = await machine.address();
  const socket = await sayAs(data, [BEGIN, BEGUN], [PAUSE, PAUSED]);
  const gone = once(socket, "close");
  const [pid = 0] = await machine.workerd();
  process.kill(pid, "SIGKILL");
  await gone;
  await expect.poll(() => viewed(address, randomUUID())).toBe("counted");
});

test("a copy is refused while it is not whole: the service went on, or the backup was killed", {
  timeout: TIMEOUT_MS,
}, async () => {
  const data = await copied("by-hand");
  const to = join(folder, "half");
  let pauses: Socket[] = [];
  let goes_on = true;
  // In place of the service.
  const unlock = await lockState(data, (socket) => {
    socket.once("data", () => {
      socket.write(BEGUN);
      socket.once("data", () => {
        if (goes_on) socket.end(PAUSED);
        else pauses.push(socket);
      });
    });
  });
  await expect(backup(data, to)).rejects.toThrow("went on before the copy was whole");
  expect(await readdir(folder)).not.toContain("half.part");
  goes_on = false;
  const child = begunBackup(data, to);
  await expect.poll(() => pauses.length).toBe(1);
  child.kill("SIGKILL");
  await once(child, "exit");
  pauses = [];
  await unlock();
  expect(await readdir(`${to}.part`)).toContain(UNFINISHED);
  const refused = started(`${to}.part`);
  expect(await refused.exited).toBe(1);
  expect(refused.output).toContain("is a copy that broke off");
  expect(await backup(data, to)).toContain("✓");
  expect(await readdir(folder)).not.toContain("half.part");
  expect(await readdir(to)).not.toContain(UNFINISHED);
});

test("of two backups at once one is made and the other refused", {
  timeout: TIMEOUT_MS,
}, async () => {
  const data = await copied("twice");
  const address = await started(data).address();
  const id = randomUUID();
  expect(await viewed(address, id)).toBe("counted");
  const to = join(folder, "once");
  const socket = await sayAs(data, [BEGIN, BEGUN]);
  await expect(backup(data, to)).rejects.toThrow("is being copied already");
  socket.destroy();
  const both = await Promise.allSettled([backup(data, to), backup(data, to)]);
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  await Promise.all(machines.map((machine) => machine.stop()));
  expect(await viewed(await started(to).address(), id)).toBe("duplicate");
});

testWithDisks(
  "a backup onto a full disk, into a read-only folder or into the data says so and leaves nothing",
  {
    timeout: TIMEOUT_MS,
  },
  async () => {
    const disk = await smallDisk("target", MB);
    const data = await copied("too-large");
    const address = await started(data).address();
    await expect(backup(data, join(disk, "copy"))).rejects.toThrow(
      "✗ no room is left on the disk of",
    );
    expect(await readdir(disk)).toEqual([]);
    const target = join(folder, "target-read-only");
    await mkdir(target);
    await chmod(target, 0o555);
    const program = [process.execPath, "--no-warnings", join(ROOT, "src/commands/serve/backup.ts")];
    const [command = "", ...words] = [...BOUND, ...program, join(target, "copy")];
    const env = { ...process.env, DATA: data };
    await expect(run(command, words, { env })).rejects.toThrow(READ_ONLY);
    await expect(backup(data, join(data, "copy"))).rejects.toThrow("is inside");
    expect(await viewed(address, randomUUID())).toBe("counted");
  },
);

test("a folder may have a long path with spaces and Arabic letters, and be a symbolic link", {
  timeout: TIMEOUT_MS,
}, async () => {
  const long = join(folder, "مجلد البيانات ".repeat(7), "x".repeat(100), "data");
  await cp(await copied("of-long"), long, { recursive: true });
  const link = join(folder, "l".repeat(120));
  await symlink(long, link);
  const machine = started(link);
  const id = randomUUID();
  expect(await viewed(await machine.address(), id)).toBe("counted");
  const second = started(long);
  expect(await second.exited).toBe(1);
  expect(second.output).toContain("is being served by another process");
  const copy = join(folder, "نسخة كاملة");
  expect(await backup(link, copy)).toContain("requests waited");
  await machine.stop();
  expect(await viewed(await started(copy).address(), id)).toBe("duplicate");
});
