/**
 * `npm run backup -- <folder>`: a copy of the data folder, taken while it is served
 * (docs/operations.md "On a machine of your own"). First all is copied beside the service; then
 * workerd stands still while the changes since are copied again. So the copy is what a SIGKILL at
 * one moment would have left, of all objects at once.
 */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:fs";
import { copyFile, lstat, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { dirname, join, relative, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { ROOT } from "../root.ts";
import { lockState } from "./lock.ts";
import { sentenceOf } from "./refusal.ts";
import { BEGIN, BEGUN, LOCK, PAUSE, PAUSED, RUN, UNFINISHED } from "./run-folder.ts";

const HELP = `npm run backup -- <folder>

Copies the data folder (DATA, by default data) into a new folder, also while it is served. Requests wait for as long as it
takes to copy what changed during the copy: some milliseconds. Serve the copy with DATA=<folder>.
`;

/** A file's time of change is coarse: a write just after a copy may leave it as it was. */
const COARSE_MS = 2_000;
/** SQLite makes it anew from the write-ahead log. */
const SHARED_MEMORY = /\.sqlite-shm$/;

interface Seen {
  mtime_ms: number;
  size: number;
  copied_at: number;
}

/** Paths begin at the data folder. */
type Copied = Map<string, Seen>;

async function backup(from: string, to: string): Promise<void> {
  if (!relative(from, to).startsWith("..")) throw new Error(`${to} is inside ${from}`);
  if ((await namesIn(to)).length > 0) throw new Error(`${to} is there already`);
  const names = await namesIn(from);
  if (names.length === 0) throw new Error(`there are no data in ${from}`);
  if (names.includes(UNFINISHED)) throw new Error(`${from} is a copy that broke off`);
  // A socket's path is limited to about 100 bytes.
  process.chdir(from);
  const service = await connected();
  // From here on no other copy is made of these data.
  const unlock = service === null ? await lockState(from) : () => service.destroy();
  if (service !== null) await answered(service, BEGIN, BEGUN);
  const part = `${to}.part`;
  const copied: Copied = new Map();
  try {
    // A run that broke off has left it.
    await rm(part, { recursive: true, force: true });
    await mkdir(part, { recursive: true, mode: 0o700 });
    await writeFile(join(part, UNFINISHED), "");
    await copyChanged("", part, copied);
    const paused_at = performance.now();
    if (service !== null) {
      await answered(service, PAUSE, PAUSED);
      await copyChanged("", part, copied);
      await removeOthers("", part, copied);
      // What has arrived is read.
      await setImmediate();
      if (service.destroyed || service.readableEnded) {
        throw new Error("the service went on before the copy was whole: run it again");
      }
    }
    await unlock();
    const paused_ms = service === null ? 0 : Math.ceil(performance.now() - paused_at);
    await promisify(execFile)("sync");
    await rm(join(part, UNFINISHED));
    await rename(part, to);
    const bytes = [...copied.values()].reduce((sum, { size }) => sum + size, 0);
    console.log(`✓ ${to}: ${copied.size} files, ${bytes} bytes; requests waited ${paused_ms} ms`);
  } catch (error) {
    await unlock();
    await rm(part, { recursive: true, force: true }).catch(() => {});
    throw error;
  }
}

async function copyChanged(folder: string, to: string, copied: Copied): Promise<void> {
  await mkdir(join(to, folder), { recursive: true, mode: 0o700 });
  for (const entry of await readdir(join(".", folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && path !== RUN) await copyChanged(path, to, copied);
    if (!entry.isFile() || SHARED_MEMORY.test(path)) continue;
    const now = await seen(path);
    const before = copied.get(path);
    if (now === null || (before !== undefined && !hasChanged(before, now))) continue;
    try {
      await copyFile(path, join(to, path), constants.COPYFILE_FICLONE);
      copied.set(path, now);
    } catch (error) {
      // The file was deleted meanwhile.
      if ((await seen(path)) !== null) throw error;
    }
  }
}

function hasChanged(before: Seen, now: Seen): boolean {
  return (
    now.mtime_ms !== before.mtime_ms ||
    now.size !== before.size ||
    now.mtime_ms > before.copied_at - COARSE_MS
  );
}

async function seen(path: string): Promise<Seen | null> {
  const copied_at = Date.now();
  try {
    const { mtimeMs: mtime_ms, size } = await lstat(path);
    return { mtime_ms, size, copied_at };
  } catch {
    return null;
  }
}

/** A write-ahead log whose database is gone must go too: it would be another one's. */
async function removeOthers(folder: string, to: string, copied: Copied): Promise<void> {
  for (const entry of await readdir(join(to, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await removeOthers(path, to, copied);
    else if (path !== UNFINISHED && (await seen(path)) === null) {
      await rm(join(to, path));
      copied.delete(path);
    }
  }
}

async function connected(): Promise<Socket | null> {
  const socket = connect(LOCK);
  try {
    await once(socket, "connect");
    return socket;
  } catch {
    return null;
  }
}

/** @throws where the service refuses */
async function answered(service: Socket, asked: string, expected: string): Promise<void> {
  service.on("error", () => {});
  service.write(asked);
  const answer = await new Promise((resolve) => {
    service.once("data", resolve).once("close", resolve);
  });
  if (`${answer}` !== expected) {
    throw new Error("the service is starting, has ended or is being copied already");
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

const [target, ...more] = process.argv.slice(2);
if (target === undefined || target.startsWith("-") || more.length > 0) {
  process.stdout.write(HELP);
  process.exitCode = target === "--help" || target === "-h" ? 0 : 2;
} else {
  const invoked_in = process.env.INIT_CWD ?? process.cwd();
  const to = resolve(invoked_in, target);
  try {
    await backup(resolve(ROOT, process.env.DATA || "data"), to);
  } catch (error) {
    console.error(`✗ ${await sentenceOf(error, dirname(to))}`);
    process.exitCode = 1;
  }
}
